"""Plots of areas: heat maps, bars and lanes."""

import math

from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, LogNorm, SymLogNorm

from blockyard.pages.drawing import scales
from blockyard.pages.figure import Axis, Bars, Cells, Heat, Lanes
from blockyard.text.formatting import number, quantity

_HEIGHT = 0.72


# Blue below nothing and orange above, which no kind of colour-blindness takes for each other;
# each has its own pale end, so that one IO has a side. As on the report's page.
_DIFFERENCE = LinearSegmentedColormap.from_list(
    "difference", [(0, "#1b469e"), (0.5, "#d9eafd"), (0.5, "#fee3c2"), (1, "#9c3a05")]
)
# The part of a decade of colours that stands for less than one IO.
_BELOW_ONE = 0.01


def heat(axes: Axes, plot: Heat) -> None:
    """Draw counts as colours, from pale to dark by their logarithm; nothing where none is.

    Where some are below nothing, the map is a difference: both sides have their own colour.
    """
    rows = list(zip(*plot.counts, strict=True))
    differs = min(min(row) for row in rows) < 0
    most = max(10, *(abs(count) for row in rows for count in row))
    norm = SymLogNorm(1, _BELOW_ONE, -most, most) if differs else LogNorm(1, most)
    cells = axes.pcolormesh(
        plot.x_edges,
        plot.y_edges,
        [[count or math.nan for count in row] for row in rows],
        norm=norm,
        cmap=_DIFFERENCE if differs else "YlGnBu",
        # Ten thousand cells as shapes would make a file of megabytes.
        rasterized=True,
    )
    axes.grid(visible=False)
    scales.lay_out(axes, plot.x, plot.y)
    axes.set_ylim(plot.y_edges[0], plot.y_edges[-1])
    scale = axes.figure.colorbar(
        cells,
        ax=axes,
        label="IOs more or fewer" if differs else "IOs",
        # Those nearer to nothing have no room.
        ticks=_decades(most) if differs else None,
        pad=0.01,
        format=_grouped,
    )
    scale.outline.set_visible(False)


def cells(axes: Axes, plot: Cells) -> None:
    """Draw values as colours, and as figures where there is room; nothing where none is."""
    rows = list(zip(*plot.values, strict=True))
    shown = [[math.nan if value is None else value for value in row] for row in rows]
    known = [value for row in shown for value in row if not math.isnan(value)]
    log = plot.value.scale == "log" and min(known) > 0
    image = axes.imshow(shown, aspect="auto", cmap="YlGnBu", norm="log" if log else "linear")
    axes.grid(visible=False)
    axes.set_xticks(range(len(plot.columns)), plot.columns)
    axes.set_yticks(range(len(plot.rows)), plot.rows)
    axes.set(xlabel=scales.label_of(plot.x), ylabel=scales.label_of(plot.y))
    axes.figure.colorbar(image, ax=axes, label=scales.label_of(plot.value), pad=0.01)


def bars(axes: Axes, plot: Bars) -> None:
    """Draw stacked bars, the first at the top, with their sums."""
    labels = [bar.label for bar in plot.bars]
    lefts = [0.0] * len(labels)
    for kind, name in enumerate(plot.kinds):
        widths = [bar.parts[kind] for bar in plot.bars]
        axes.barh(range(len(labels)), widths, _HEIGHT, lefts, color=scales.colour(kind), label=name)
        lefts = [left + width for left, width in zip(lefts, widths, strict=True)]
    for row, end in enumerate(lefts):
        axes.annotate(
            quantity(end, plot.x.unit),
            (end, row),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            color=scales.MUTED,
        )
    axes.set_yticks(range(len(labels)), labels)
    _rows(axes, plot.x, labels)
    axes.margins(x=0.12)
    if plot.x.most is not None:
        axes.set_xlim(0, plot.x.most * 1.12)


def lanes(axes: Axes, plot: Lanes) -> None:
    """Draw rows of pieces, the first at the top."""
    labels = [lane.label for lane in plot.lanes]
    for kind, name in enumerate(plot.kinds):
        pieces = [
            (row, start, end - start)
            for row, lane in enumerate(plot.lanes)
            for start, end, found in lane.pieces
            if found == kind
        ]
        rows, starts, widths = zip(*pieces, strict=True) if pieces else ((), (), ())
        axes.barh(rows, widths, _HEIGHT, starts, color=scales.colour(kind), label=name)
    axes.set_yticks(range(len(labels)), labels, fontsize=10 if len(labels) < 16 else 6)
    _rows(axes, plot.x, labels)
    scales.levels(axes, plot.levels, along_x=True)
    axes.set_xlim(left=0)


def _decades(most: int) -> list[int]:
    """From ten on to the most, and the same below nothing."""
    decades = [10**power for power in range(1, len(str(most)))]
    return [*(-decade for decade in reversed(decades)), *decades]


def _grouped(value: float, _: float) -> str:
    return number(value, 4)


def _rows(axes: Axes, x: Axis, labels: list[str]) -> None:
    axes.set_xlabel(scales.label_of(x))
    scales.ticks(x, axes.xaxis)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
