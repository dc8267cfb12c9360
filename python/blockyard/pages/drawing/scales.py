"""Axes, levels and spans, as all kinds of plots have them."""

import math
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.axis import Axis as PlotAxis
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from blockyard.pages.drawing import times
from blockyard.pages.figure import Axis, Dash, Level, Scale, Span
from blockyard.text.formatting import number

# Okabe and Ito's colours, which the colour-blind tell apart, in the order of the report's
# page; those too faint on white are darker, as there.
PALETTE = (
    "#0072b2",
    "#d55e00",
    "#00865f",
    "#b8588f",
    "#b07900",
    "#2b8cc4",
    "#857c00",
    "#30363c",
)
MUTED = "#58626c"
_NOT_MEASURED = "#8a939b"
_DASHES = {"solid": "-", "dashed": (0, (6, 3)), "dotted": (0, (1.5, 2))}
# A span narrower than this part of the axis has no room for its name.
_NARROWEST = 0.06
# Letters of a name that would fill the whole axis, and fewest that say anything.
_LETTERS = 105
_FEWEST = 5


def colour(place: int | None) -> str:
    """The colour of a place in the palette."""
    return _NOT_MEASURED if place is None else PALETTE[place % len(PALETTE)]


def dash(kind: Dash) -> object:
    """A dash as matplotlib has it."""
    return _DASHES[kind]


def label_of(axis: Axis) -> str:
    """What stands beside an axis: `latency, ms`; the unit once if it is all there is."""
    return axis.label if axis.unit in ("", axis.label) else f"{axis.label}, {axis.unit}"


def placed(values: Sequence[float], scale: Scale) -> list[float]:
    """Where values lie on an axis; matplotlib itself knows no nines."""
    return [-math.log10(1 - value) for value in values] if scale == "nines" else list(values)


def lay_out(axes: Axes, x: Axis, y: Axis) -> None:
    """Labels, scales and ticks of both axes, once their data is drawn."""
    axes.set(xlabel=label_of(x), ylabel=label_of(y))
    if y.scale == "log":
        axes.set_yscale("log")
    elif y.scale == "linear":
        axes.set_ylim(0, y.most)
    if x.scale == "log":
        axes.set_xscale("log")
    for axis, plot_axis in ((x, axes.xaxis), (y, axes.yaxis)):
        ticks(axis, plot_axis)


def round_ends(axes: Axes, y: Axis) -> None:
    """End a log axis at 1, 2 or 5 times a power of ten, so that it has two ticks at least."""
    low, high = axes.dataLim.intervaly
    if y.scale == "log" and 0 < low <= high < math.inf:
        axes.set_ylim(_round(low, down=True), _round(high, down=False))


def _round(value: float, *, down: bool) -> float:
    decade = 10.0 ** math.floor(math.log10(value))
    digits = [digit * decade for digit in (0.5, 1.0, 2.0, 5.0, 10.0)]
    return max(d for d in digits if d < value) if down else min(d for d in digits if d > value)


def ticks(axis: Axis, plot_axis: PlotAxis) -> None:
    """Figures along an axis, once its ends are known."""
    scale = axis.scale
    plot_axis.set_major_formatter(FuncFormatter(lambda value, _: number(value, 4)))
    if times.lay_out(axis, plot_axis):
        return
    if scale == "log":
        plot_axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        plot_axis.set_minor_formatter(NullFormatter())
    elif scale == "linear" and not axis.unit:
        plot_axis.set_major_locator(MaxNLocator(integer=True))
    elif scale == "nines":
        plot_axis.set_major_locator(FixedLocator(range(12)))
        plot_axis.set_major_formatter(FuncFormatter(lambda value, _: _nines(round(value))))


def _nines(count: int) -> str:
    return f"{100 - 100 / 10**count:.{max(0, count - 2)}f}%"


def levels(axes: Axes, found: Sequence[Level], *, along_x: bool = False) -> None:
    """Dashed lines across the plot, with their names on them."""
    for level in found:
        if along_x:
            axes.axvline(level.value, color=MUTED, linestyle=_DASHES["dashed"], linewidth=1)
            axes.annotate(
                level.label,
                (level.value, 0.5),
                xycoords=("data", "axes fraction"),
                xytext=(-3, 0),
                textcoords="offset points",
                rotation=90,
                ha="right",
                va="center",
                color=MUTED,
                fontsize=9,
            )
        else:
            axes.axhline(level.value, color=MUTED, linestyle=_DASHES["dashed"], linewidth=1)
            axes.annotate(
                level.label,
                (1, level.value),
                xycoords=("axes fraction", "data"),
                xytext=(-2, 2),
                textcoords="offset points",
                ha="right",
                va="bottom",
                color=MUTED,
                fontsize=9,
                bbox={"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 0.5},
            )


def spans(axes: Axes, found: Sequence[Span]) -> None:
    """Every other span shaded, moments as lines, with their names at the top."""
    left, right = axes.get_xlim()
    moments = [span.start for span in found if span.start == span.end]
    for place, span in enumerate(found):
        label = span.label
        if span.start == span.end:
            axes.axvline(span.start, color=MUTED, linewidth=1)
            following = min((at for at in moments if at > span.start), default=right)
            label = _fitting(label, (following - span.start) / (right - left))
        elif place % 2:
            axes.axvspan(span.start, span.end, color="#f1f3f5", zorder=0)
        if span.start == span.end or span.end - span.start > _NARROWEST * (right - left):
            axes.annotate(
                label,
                (span.start, 1),
                xycoords=("data", "axes fraction"),
                xytext=(4, -3),
                textcoords="offset points",
                va="top",
                color=MUTED,
                fontsize=9,
            )


def _fitting(label: str, share: float) -> str:
    """As much of a name as has room on a share of the axis."""
    letters = int(share * _LETTERS)
    if len(label) <= letters:
        return label
    return "" if letters < _FEWEST else label[: letters - 1].rstrip() + "…"
