"""Figures of runs, side by side.

Made by scripts/door_types.py from schemas/comparison.schema.json, the schema of the Rust type
`Comparison`, which says what each key means.
"""

from typing import Literal, NotRequired, TypedDict

# What tells chance from a difference.
Basis = Literal["paired seeds", "repeats", "blocks of one run", "repeats, and blocks of one run"]


# Whether a figure is shown to differ.
Verdict = Literal["better", "worse", "alike within 5%", "no difference shown", "too little to tell"]


class Change(TypedDict):
    """How a figure differs from the first side's."""

    relative: float
    interval: tuple[float, float] | None
    basis: Basis | None
    verdict: Verdict


class Row(TypedDict):
    """One figure, side by side."""

    job: str
    device: str | None
    op: str | None
    figure: str
    values: list[float | None]
    changes: list[Change | None]


class Load(TypedDict):
    """What a job offers in a load step."""

    processes: NotRequired[int]
    rate: NotRequired[int]


class StepRow(TypedDict):
    """One figure of a load step, side by side."""

    load: Load
    time: int
    job: str
    device: str | None
    op: str | None
    figure: str
    values: list[float | None]
    changes: list[Change | None]


class Outcome(TypedDict):
    """The outcome of a condition."""

    condition: str
    side: int
    holds: bool
    measured: str


class Compared(TypedDict):
    """What differs between the sides."""

    rows: list[Row]
    steps: list[StepRow]
    conditions: list[Outcome]
