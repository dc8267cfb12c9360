"""The phases of a write-daemon cycle."""

from itertools import pairwise

from blockyard.result import Cycle

# In their order; updates are held during the first.
PHASES = (
    "list of blocks, updates held",
    "WIJ",
    "journal",
    "database",
    "clearing the WIJ",
)


def phases_of(cycle: Cycle) -> list[tuple[str, float, float]]:
    """The phases of a cycle with their begins and ends, in seconds of the run."""
    ends = [
        cycle["start_s"],
        cycle["listed_s"],
        cycle["wij_done_s"],
        cycle["journal_done_s"],
        cycle["database_done_s"],
        cycle["end_s"],
    ]
    return [(name, *times) for name, times in zip(PHASES, pairwise(ends), strict=True)]
