"""A clause on a job, as the headline puts them together."""

from dataclasses import dataclass

# What a limit of a volume, a host or a link does to a job, and what anything else does.
THROTTLED = "throttled by"
LIMITED = "limited by"


@dataclass(frozen=True)
class Clause:
    """What a job asked for and got."""

    job: str
    text: str
    # How bad it is, to be compared: an open load that was not served, then waiting.
    suffers: tuple[int, float]
    # Its bottleneck, `data IOPS (3,000 IOPS)`; empty if there is none, or none is known.
    by: str = ""
    # What is to be added to that, and what of a job that is alone.
    part: str = ""
    after: str = ""
    # How `by` acts: limits of volumes, hosts and links throttle.
    how: str = THROTTLED
    # Whether it waits for a limit that is not its bottleneck.
    waits: bool = False


def between(least: int, most: int) -> str:
    """`1 to 4`, `4`."""
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"
