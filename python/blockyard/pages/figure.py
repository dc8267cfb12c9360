"""What a chart shows, apart from how it is drawn.

The browser and matplotlib draw the same figures: `web/` and `pages.pictures` know the
kinds of plots here, and nothing of runs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

Dash = Literal["solid", "dashed", "dotted"]

# How an axis is laid out. On `nines`, a share q, below 1, lies at -log10(1 - q), so that
# 99 %, 99.9 % and 99.99 % are as far apart.
Scale = Literal["linear", "log", "nines"]


@dataclass(frozen=True)
class Axis:
    """What is measured along an axis."""

    label: str
    # As it follows a figure: `s`, `IOPS`, `MiB/s`, `ms`, `%`; empty for a plain number.
    unit: str = ""
    scale: Scale = "linear"
    # The end of the axis, where there is a natural one, as 100 %.
    most: float | None = None


@dataclass(frozen=True)
class Series:
    """A line; a gap where its value is None."""

    label: str
    values: Sequence[float | None]
    # A place in the palette; None for grey, which is for what is not measured.
    colour: int | None
    # Lines differ by more than colour.
    dash: Dash = "solid"
    # Whether a value holds until the next one.
    stepped: bool = False


@dataclass(frozen=True)
class Level:
    """A value drawn across the whole plot: a budget, a threshold."""

    label: str
    value: float


@dataclass(frozen=True)
class Span:
    """A part of the x axis that has a name: a load step, an event where both ends are one."""

    label: str
    start: float
    end: float


@dataclass(frozen=True)
class Lines:
    """Series over common places on the x axis, which rise."""

    x: Axis
    y: Axis
    at: Sequence[float]
    series: Sequence[Series]
    levels: Sequence[Level] = ()
    spans: Sequence[Span] = ()


@dataclass(frozen=True)
class Curve:
    """Points, (x, y, what the point is): joined in their order, or a cloud of them."""

    label: str
    points: Sequence[tuple[float, float, str]]
    colour: int | None
    dash: Dash = "solid"
    # The number of the point that is marked, with what it is marked as.
    marked: tuple[int, str] | None = None
    joined: bool = True
    # Whether what the points are stands beside them, as far as there is room.
    named: bool = False


@dataclass(frozen=True)
class Curves:
    """Curves that have their own places on the x axis."""

    x: Axis
    y: Axis
    curves: Sequence[Curve]
    levels: Sequence[Level] = ()


@dataclass(frozen=True)
class Heat:
    """Counts in cells between the edges of x and y: `counts[column][row]`."""

    x: Axis
    y: Axis
    x_edges: Sequence[float]
    y_edges: Sequence[float]
    counts: Sequence[Sequence[int]]


@dataclass(frozen=True)
class Cells:
    """A value for every pair of two lists of words: `values[column][row]`; rows go downwards."""

    x: Axis
    y: Axis
    # What a cell shows.
    value: Axis
    columns: Sequence[str]
    rows: Sequence[str]
    values: Sequence[Sequence[float | None]]


@dataclass(frozen=True)
class Bar:
    """A bar, of parts of the kinds that its plot names."""

    label: str
    parts: Sequence[float]


@dataclass(frozen=True)
class Bars:
    """Bars beside each other, of stacked parts."""

    x: Axis
    kinds: Sequence[str]
    bars: Sequence[Bar]


@dataclass(frozen=True)
class Lane:
    """A row of pieces, (start, end, number of the kind)."""

    label: str
    pieces: Sequence[tuple[float, float, int]]


@dataclass(frozen=True)
class Lanes:
    """Rows of pieces of named kinds along a common axis."""

    x: Axis
    kinds: Sequence[str]
    lanes: Sequence[Lane]
    levels: Sequence[Level] = ()


Plot = Lines | Curves | Heat | Cells | Bars | Lanes


@dataclass(frozen=True)
class Figure:
    """A plot with what it takes to read it."""

    # Names it within a report: `iops-data`.
    name: str
    title: str
    # What it shows, in a sentence or two, also for readers who cannot see it.
    caption: str
    plot: Plot
    # Figures of one group stand side by side where there is room.
    group: str = field(default="")
