"""Outages of clusters in a few words."""

from blockyard.text.formatting import duration
from blockyard.types.result import Result
from blockyard.words.phrases import listed


def in_brief(result: Result) -> str:
    """All outages of a run in a few words: `an outage of 51 s`; nothing without any."""
    found = [event.get("outage") for event in result.get("events", [])]
    lengths = [outage["total_s"] for outage in found if outage]
    if not lengths:
        return ""
    of = listed([duration(length) for length in lengths])
    many = f"{len(lengths)} outages of" if len(lengths) > 1 else "an outage of"
    return f"{many} {of}"
