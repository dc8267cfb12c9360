"""The axes that several charts have, and names for figures."""

import re

from blockyard.pages.figure import Axis

TIME = Axis("time", "s")
LATENCY = Axis("latency", "ms", "log")


def name_of(*parts: str) -> str:
    """A name for a figure of parts such as jobs and devices."""
    return "-".join(re.sub(r"[^a-z0-9]+", "-", part.lower()).strip("-") for part in parts)
