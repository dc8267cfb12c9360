"""What changes of a layout would bring.

Made by scripts/door_types.py from schemas/what-if.schema.json, the schema of the Rust type
`Alternatives`, which says what each key means.
"""

from typing import Literal, TypedDict

from blockyard.types.bill import Bill
from blockyard.types.capacity import Measure
from blockyard.types.facts import Facts
from blockyard.types.result import LatencyUs, Result
from blockyard.types.what_if.change import (
    Amount,
    Change,
    InstanceChange,
    IopsChange,
    JournalChange,
    Part,
    PartsChange,
    SizeChange,
    ThroughputChange,
    TypeChange,
    VolumesChange,
)

__all__ = [
    "Alternatives",
    "Amount",
    "Brought",
    "Change",
    "Gained",
    "InstanceChange",
    "IopsChange",
    "JournalChange",
    "Now",
    "OfGoal",
    "OfJob",
    "Part",
    "PartsChange",
    "Row",
    "SizeChange",
    "ThroughputChange",
    "TypeChange",
    "VolumesChange",
    "Worth",
]


class OfJob(TypedDict):
    """A job of the layout as it is."""

    job: str
    transactions: bool
    per_s: float
    of: tuple[str, str] | None
    latency_us: LatencyUs | None
    measure: Measure
    chance: tuple[float, float] | None


class OfGoal(TypedDict):
    """A goal, what was measured of it and with how many seeds it is met."""

    goal: str
    met: bool
    measured: str
    seeds_met: int


class Now(TypedDict):
    """A layout as it is."""

    leads: str
    jobs: list[OfJob]
    goals: list[OfGoal]
    seeds: int
    lasts_s: float | None
    bill: Bill | None
    no_price: str | None


# What a change is worth, in the order in which changes are listed.
Worth = Literal[
    "meets",
    "cheaper",
    "pays",
    "unpriced",
    "nothing",
    "mixed",
    "saves",
    "worse",
    "refused",
    "untried",
]


class Gained(TypedDict):
    """What a change does to a job."""

    job: str
    transactions: bool
    per_s: float
    of: tuple[str, str] | None
    latency_us: LatencyUs | None
    measure: Measure
    gain: float
    chance: bool


class Brought(TypedDict):
    """What a change brings."""

    job: str
    gain: float
    jobs: list[Gained]
    goals: list[OfGoal]
    seeds: int
    lasts_s: float | None


class Row(TypedDict):
    """A change and its outcome."""

    change: Change
    sets: list[str]
    worth: Worth
    came: Brought | None
    refused: str | None
    dollars: float | None
    no_price: str | None
    per_dollar: float | None


class Alternatives(TypedDict):
    """What changes of a layout would bring."""

    scenario: str
    seed: int
    now: Now
    sustained_sets: list[str]
    changes: list[Row]
    result: Result
    facts: Facts
    ios: int
