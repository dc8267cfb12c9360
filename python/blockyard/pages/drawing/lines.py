"""Lines over common places on the x axis."""

from collections.abc import Sequence

from matplotlib.axes import Axes

from blockyard.pages.drawing import scales
from blockyard.pages.figure import Lines

# Room above the highest point for the names of spans.
_HEADROOM = 1.12


def lines(axes: Axes, plot: Lines) -> None:
    """Draw lines; a point between two gaps as a dot, as it would not show."""
    for series in plot.series:
        style = "steps-post" if series.stepped else "default"
        values = [float("nan") if value is None else value for value in series.values]
        colour = scales.colour(series.colour)
        axes.plot(
            plot.at,
            values,
            color=colour,
            linestyle=scales.dash(series.dash),
            linewidth=1.2,
            drawstyle=style,
            label=series.label,
        )
        alone = _alone(series.values)
        axes.plot(
            [plot.at[number] for number in alone],
            [values[number] for number in alone],
            color=colour,
            linestyle="",
            marker=".",
        )
    # One place alone has no width; matplotlib then puts it in the middle.
    if len(plot.at) > 1:
        axes.set_xlim(plot.at[0], plot.at[-1])
    scales.lay_out(axes, plot.x, plot.y)
    if plot.y.scale == "linear" and plot.y.most is None:
        _make_room(axes, plot)
    scales.spans(axes, plot.spans)
    scales.levels(axes, plot.levels)
    scales.round_ends(axes, plot.y)


def _make_room(axes: Axes, plot: Lines) -> None:
    points = [value for series in plot.series for value in series.values if value is not None]
    highest = max([*points, *(level.value for level in plot.levels)], default=0) or 1
    axes.set_ylim(0, highest * _HEADROOM)


def _alone(values: Sequence[float | None]) -> list[int]:
    """The numbers of values with none beside them."""
    padded = [None, *values, None]
    return [
        number
        for number, value in enumerate(values)
        if value is not None and padded[number] is None and padded[number + 2] is None
    ]
