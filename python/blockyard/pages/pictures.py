"""Figures as pictures, PNG or SVG, without a browser.

picture(figure, Path("iops.svg"))

The same figure gives the same bytes with the same matplotlib.
"""

from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from blockyard.pages.figure import Figure

if TYPE_CHECKING:
    import matplotlib.figure


class NoPlotsError(ImportError):
    """Pictures were asked for where matplotlib is not installed."""


def picture(figure: Figure, path: Path) -> None:
    """Draw a figure into a file whose ending, `.png` or `.svg`, says how.

    Raises NoPlotsError without matplotlib, ValueError for another ending and OSError if
    the file cannot be written.
    """
    kind = path.suffix.removeprefix(".")
    if kind not in ("png", "svg"):
        raise ValueError(f"{path}: `{path.suffix}` is no picture; expected .png or .svg")
    _drawing().draw(figure, path, "png" if kind == "png" else "svg")


def drawn(figure: Figure) -> "matplotlib.figure.Figure":
    """A figure as matplotlib's. Raises NoPlotsError without it."""
    canvas: matplotlib.figure.Figure = _drawing().drawn(figure)
    return canvas


def small(figure: Figure) -> bytes:
    """A figure as a small PNG. Raises NoPlotsError without matplotlib."""
    png: bytes = _drawing().small(figure)
    return png


def _drawing() -> ModuleType:
    try:
        from blockyard.pages import drawing
    except ImportError as error:
        raise NoPlotsError(
            "pictures need matplotlib; install it with: pip install 'blockyard[plots]'"
        ) from error
    return drawing
