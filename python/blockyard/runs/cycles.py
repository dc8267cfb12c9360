"""Write-daemon cycles: their phases, how long they took, and when the next is due."""

from itertools import pairwise

from blockyard.runs.run import Run
from blockyard.types.result import Cycle

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


def duration_s(cycle: Cycle) -> float:
    """How long a cycle took, in seconds."""
    return cycle["end_s"] - cycle["start_s"]


def times_s(run: Run) -> dict[str, tuple[float, float]]:
    """Of each job with write daemons, after how long the next cycle is due, and an alert.

    In seconds from the start of a cycle. Foreign files do not say.
    """
    found = run.facts["write_daemons"] if run.facts else []
    return {daemons["job"]: (daemons["every_s"], daemons["alert_s"]) for daemons in found}
