"""Figures of runs, side by side, as text.

Made by scripts/door_types.py from schemas/comparison-tables.schema.json, the schema of the Rust
type `Tables`, which says what each key means.
"""

from typing import Literal, TypedDict

# Whether a difference is shown.
LineVerdict = Literal[
    "better",
    "worse",
    "alike within 5%",
    "no difference shown",
    "too little to tell",
    "on one side only",
]


class Line(TypedDict):
    """A figure of the first side and of another, as text."""

    figure: str
    first: str
    other: str
    change: str
    interval: str
    verdict: LineVerdict
    brief: str


class StepLine(TypedDict):
    """A load step of the first side and of another, as text."""

    name: str
    load: str
    rate: Line
    p99: Line | None


class SideTables(TypedDict):
    """How a side differs from the first."""

    lines: list[Line]
    steps: list[StepLine]


class Table(TypedDict):
    """A table; the first `words` columns are words, and say what the figures of a row are of."""

    caption: str
    columns: list[str]
    rows: list[list[str]]
    words: int
    verdict: bool


class Tables(TypedDict):
    """The tables of a comparison, and what they rest on."""

    sides: list[SideTables]
    costs: Table | None
    bases: list[str]
