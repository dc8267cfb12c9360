"""The charts of a report, which Rust makes of runs (`crates/report`), as data."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from blockyard._core import Report
from blockyard.pages.figure import (
    Axis,
    Bar,
    Bars,
    Curve,
    Curves,
    Figure,
    Heat,
    Lane,
    Lanes,
    Level,
    Lines,
    Plot,
    Series,
    Span,
)
from blockyard.runs.run import Run


def all_figures(
    runs: Sequence[Run], bin_s: float | None = None, colours: Sequence[int] | None = None
) -> list[Figure]:
    """The figures of all charts, each of the runs that have what it needs.

    One run is shown in detail, with its jobs and devices apart; several over each other. Without
    `bin_s` the length of the runs decides on the width of bins. In figures of several runs each
    has its colour of `colours`, or else one of its own.

    Raises what the facts of runs do.
    """
    text = Report.figures([run.told for run in runs], bin_s, colours)
    return [Figure(**{**found, "plot": _plot(**found["plot"])}) for found in json.loads(text)]


def _plot(kind: str, **fields: Any) -> Plot:
    read = {name: _FIELDS.get(name, _as_it_is)(value) for name, value in fields.items()}
    plot: Plot = _KINDS[kind](**read)
    return plot


def _curve(found: dict[str, Any]) -> Curve:
    marked = found["marked"]
    return Curve(
        **{
            **found,
            "points": [tuple(point) for point in found["points"]],
            "marked": None if marked is None else tuple(marked),
        }
    )


def _lane(found: dict[str, Any]) -> Lane:
    return Lane(found["label"], [tuple(piece) for piece in found["pieces"]])


def _axis(found: dict[str, Any]) -> Axis:
    return Axis(**found)


def _all(item: Callable[..., Any]) -> Callable[[Any], list[Any]]:
    return lambda found: [item(**one) for one in found]


def _as_it_is(value: Any) -> Any:
    return value


_KINDS: dict[str, Callable[..., Any]] = {
    kind.__name__: kind for kind in (Lines, Curves, Heat, Bars, Lanes)
}

# How what is not a plain list is read.
_FIELDS: dict[str, Callable[[Any], Any]] = {
    "x": _axis,
    "y": _axis,
    "series": _all(Series),
    "levels": _all(Level),
    "spans": _all(Span),
    "bars": _all(Bar),
    "curves": lambda found: [_curve(one) for one in found],
    "lanes": lambda found: [_lane(one) for one in found],
}
