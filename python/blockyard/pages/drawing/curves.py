"""Curves that have their own places on the x axis."""

from matplotlib.axes import Axes

from blockyard.pages.drawing import names, scales
from blockyard.pages.figure import Curve, Curves

# Points further apart than this many to a curve are worth a marker and a name each.
_MOST_NAMED = 12
_MARKERS = "os^Dv*Pp"

# How large a point of many is, that are not joined.
_OF_A_CLOUD = 3.5


def curves(axes: Axes, plot: Curves) -> None:
    """Draw curves; the points of short ones with what they are."""
    for number, curve in enumerate(plot.curves):
        x = scales.placed([point[0] for point in curve.points], plot.x.scale)
        y = scales.placed([point[1] for point in curve.points], plot.y.scale)
        few = curve.joined and len(x) <= _MOST_NAMED
        axes.plot(
            x,
            y,
            color=scales.colour(curve.colour),
            linestyle=scales.dash(curve.dash) if curve.joined else "none",
            linewidth=1.6,
            marker=_MARKERS[number % len(_MARKERS)] if few or not curve.joined else "",
            markersize=6 if curve.joined else _OF_A_CLOUD,
            alpha=1 if curve.joined else 0.6,
            label=curve.label,
        )
        if few and number == 0 and not curve.named:
            _name(axes, curve, x, y)
        if curve.marked is not None:
            place = curve.marked[0]
            axes.plot(x[place], y[place], "o", markersize=14, fillstyle="none", color=scales.MUTED)
    if any(curve.named for curve in plot.curves):
        # Room for the names above the highest points.
        axes.margins(y=0.15)
    scales.lay_out(axes, plot.x, plot.y)
    if not all(curve.joined for curve in plot.curves):
        axes.margins(x=0.05)
    if plot.x.scale != "log":
        axes.set_xlim(left=0)
    axes.margins(y=0.15)
    scales.levels(axes, plot.levels)
    scales.round_ends(axes, plot.y)
    names.beside(axes, plot.curves)


def _name(axes: Axes, curve: Curve, x: list[float], y: list[float]) -> None:
    """Beside each point what it is, and of the marked one why it is marked."""
    for number, (_, _, what) in enumerate(curve.points):
        marked = curve.marked if curve.marked and curve.marked[0] == number else None
        axes.annotate(
            marked[1] if marked else what,
            (x[number], y[number]),
            xytext=(-6, 7),
            textcoords="offset points",
            ha="right",
            fontsize=9,
            fontweight="bold" if marked else "normal",
            color=scales.MUTED,
        )
