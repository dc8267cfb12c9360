"""A clause on a job, as the headline puts them together."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Clause:
    """What a job asked for and got."""

    job: str
    text: str
    # How bad it is, to be compared: an open load that was not served, then waiting.
    suffers: tuple[int, float]
    # What holds it back, `data IOPS (3,000 IOPS)`; empty if nothing does, or none is known.
    by: str = ""
    # What is to be added to that, and what of a job that is alone.
    part: str = ""
    after: str = ""
    # Whether it waits for a limit that does not hold it back.
    waits: bool = False


def between(least: int, most: int) -> str:
    """`1 to 4`, `4`."""
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"
