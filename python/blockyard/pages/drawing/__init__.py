"""Figures drawn by matplotlib."""

import io
import math
from pathlib import Path
from typing import Any, Literal

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from PIL import Image

from blockyard.pages.drawing.blocks import bars, cells, heat, lanes
from blockyard.pages.drawing.curves import curves
from blockyard.pages.drawing.lines import lines
from blockyard.pages.figure import Bars, Cells, Curves, Figure, Heat, Lanes, Lines, Plot

_STYLE: dict[Any, Any] = {
    # Text stays text, and the same figure gives the same file.
    "svg.fonttype": "none",
    "svg.hashsalt": "blockyard",
    "font.size": 10,
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#9aa3ab",
    "axes.labelcolor": "#3c444c",
    "xtick.color": "#58626c",
    "ytick.color": "#58626c",
    "grid.color": "#e2e5e8",
    "axes.grid": True,
    "axes.axisbelow": True,
    "legend.frameon": False,
}
_SIZE_INCHES = (9, 4)
_DPI = 150
_SMALL_DPI = 100
_COLOURS = 48
# Names in a row of the legend.
_MOST_COLUMNS = 5


def drawn(figure: Figure) -> Canvas:
    """Draw a figure."""
    with mpl.rc_context(_STYLE):
        canvas = Canvas(figsize=_SIZE_INCHES, facecolor="white", layout="constrained")
        axes = canvas.subplots()
        axes.set_title(figure.title)
        _plot(axes, figure.plot)
        _legend(canvas, axes)
    return canvas


def draw(figure: Figure, path: Path, kind: Literal["png", "svg"]) -> None:
    """Draw a figure into a file. Raises OSError if it cannot be written."""
    canvas = drawn(figure)
    with mpl.rc_context(_STYLE):
        # Neither the day nor the version, so that pictures change only with what they show.
        unstamped = {"svg": {"Date": None, "Creator": None}, "png": {"Software": None}}[kind]
        said = {"Title": figure.title, "Description": figure.caption}
        canvas.savefig(path, dpi=_DPI, format=kind, metadata=said | unstamped)


def small(figure: Figure) -> bytes:
    """A figure as PNG of few colours: a tenth of the size, for a page that has many."""
    whole = io.BytesIO()
    canvas = drawn(figure)
    with mpl.rc_context(_STYLE):
        canvas.savefig(whole, dpi=_SMALL_DPI, format="png", metadata={"Software": None})
    packed = io.BytesIO()
    with Image.open(whole) as picture:
        picture.convert("RGB").quantize(_COLOURS).save(packed, "png", optimize=True)
    return packed.getvalue()


def _plot(axes: Axes, plot: Plot) -> None:
    match plot:
        case Lines():
            lines(axes, plot)
        case Curves():
            curves(axes, plot)
        case Heat():
            heat(axes, plot)
        case Cells():
            cells(axes, plot)
        case Bars():
            bars(axes, plot)
        case Lanes():
            lanes(axes, plot)


def _legend(canvas: Canvas, axes: Axes) -> None:
    """What is drawn, below the plot, if there is more than one thing."""
    handles, labels = axes.get_legend_handles_labels()
    if len(labels) > 1:
        rows = math.ceil(len(labels) / _MOST_COLUMNS)
        columns = math.ceil(len(labels) / rows)
        canvas.legend(handles, labels, loc="outside lower left", ncols=columns, fontsize=9)
