"""What is known of a sweep beside its rows: `sweep.json`."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from blockyard._core import FileError, SweepPlan, __version__
from blockyard.sweeps.directory import ABOUT
from blockyard.text import files

SCHEMA = "blockyard/sweep/1"

Status = Literal["running", "interrupted", "complete"]


@dataclass(frozen=True)
class Refusal:
    """Why combinations are not run, and how many."""

    reason: str
    combinations: int


@dataclass(frozen=True)
class Found:
    """What a search found: the cheapest combination that meets the goals, if one does."""

    # Its number, the overrides that make it, and what it costs a month; None if none meets them.
    combination: int | None
    sets: list[str]
    usd_per_month: float | None
    # How many combinations were tried, and how many there are that are not refused.
    tried: int
    of: int


@dataclass
class About:
    """What was asked, what is refused, and how far it is."""

    name: str
    axes: list[str]
    figures: list[str]
    goals: list[str]
    seeds: list[int]
    merge_seeds: bool
    combinations: int
    refused: list[Refusal]
    # The runs that there are to make, those that are done, and of these those that failed.
    runs: int
    done: int = 0
    failed: int = 0
    status: Status = "running"
    found: Found | None = None
    schema: str = SCHEMA
    version: str = __version__
    description: str = field(default="")

    @classmethod
    def of(cls, name: str, plan: SweepPlan, runs: int, *, merge_seeds: bool) -> "About":
        """Of a plan whose combinations were examined."""
        return cls(
            name=name,
            axes=plan.axes,
            figures=plan.figures,
            goals=plan.goals,
            seeds=plan.seeds,
            merge_seeds=merge_seeds,
            combinations=plan.combinations,
            refused=refusals([reason for _, reason in plan.refused()]),
            runs=runs,
        )

    def write(self, directory: Path) -> None:
        """Write it into a sweep's directory. Raises OSError."""
        partial = directory / f".{ABOUT}.partial"
        partial.write_text(self.json() + "\n", encoding="utf-8")
        partial.rename(directory / ABOUT)

    def json(self) -> str:
        """It as JSON."""
        return json.dumps(asdict(self), indent=2, ensure_ascii=False)


def refusals(reasons: Sequence[str]) -> list[Refusal]:
    """Each reason with how often there is, the most frequent first."""
    return [Refusal(reason, count) for reason, count in Counter(reasons).most_common()]


def read(directory: Path) -> About:
    """What `sweep.json` of a directory says.

    Raises OSError if it cannot be read, and FileError, in one line, if it is none or was written
    by another version.
    """
    path = directory / ABOUT
    try:
        found = json.loads(files.text(path, files.MADE))
        version = found["version"]
        if found["schema"] != SCHEMA or version != __version__:
            raise FileError(
                f"{path}: a sweep of blockyard {version}; this is {__version__}, whose runs may "
                "differ: expected a sweep of this version"
            )
        found["refused"] = [Refusal(**one) for one in found["refused"]]
        found["found"] = Found(**found["found"]) if found["found"] else None
        return About(**found)
    except (json.JSONDecodeError, KeyError, TypeError, UnicodeDecodeError) as error:
        raise FileError(f"{path}: not what a sweep wrote: {error}") from error
