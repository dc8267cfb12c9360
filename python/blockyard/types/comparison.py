"""What differs between runs.

Made by scripts/door_types.py from schemas/comparison.schema.json, the schema of the Rust type
`Compared`, which says what each key means.
"""

from typing import Literal, NotRequired, TypedDict

from blockyard.types.facts import LimitId, RateUnit


class Changed(TypedDict):
    """A value that is not the same."""

    field: str
    first: str
    other: str


class Differing(TypedDict):
    """In what a side differs from the first."""

    side: int
    changes: list[Changed] | None
    lines: list[str]


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


class SideCost(TypedDict):
    """What a side costs, in US dollars."""

    region: str
    region_assumed: bool
    per_month: float
    per_1000_iops: float | None
    per_tps: float | None


class Ends(TypedDict):
    """The burst credits of a side that end first."""

    limit: LimitId
    lasts_s: float
    then: tuple[float, RateUnit] | None
    of: float | None


class Outcome(TypedDict):
    """The outcome of a condition."""

    condition: str
    side: int
    holds: bool
    measured: str


# What a side comes to against the first.
Whole = Literal[
    "better",
    "worse",
    "better and worse",
    "alike",
    "not shown",
    "too little to tell",
    "not comparable",
]


class Conclusion(TypedDict):
    """The outcome of a side against the first."""

    side: int
    verdict: Whole
    fits: bool | None
    sentence: str


class Comparison(TypedDict):
    """What differs between sides."""

    sides: list[str]
    differing: list[Differing]
    seeds: list[int]
    rows: list[Row]
    steps: list[StepRow]
    costs: list[SideCost | None]
    credits: list[Ends | None]
    notes: list[str]
    conditions: list[Outcome]
    conclusions: list[Conclusion]
