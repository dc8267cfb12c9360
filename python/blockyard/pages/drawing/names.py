"""Names beside points, placed so that none lies on another, on a point or on a line."""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.transforms import Bbox

from blockyard.pages.drawing import scales
from blockyard.pages.figure import Curve

_SIZE = 9
# The usual width of a letter of that size, and the height of a line, in points.
_LETTER = 5.2
_LINE = 11.0
# From a point to its name; from one that is marked, which has a ring, further.
_AWAY, _AWAY_FROM_RING = 5.0, 10.0
# Places of a line that names keep clear of are so close together.
_CLOSE = 6.0
# Where a name may stand: right or left of its point, above or below; the best place first.
_PLACES = ((1, 1), (-1, 1), (1, -1), (-1, -1))

_At = tuple[float, float]


@dataclass(frozen=True)
class _Named:
    """A point in points of the canvas, and what stands beside it."""

    at: _At
    data: _At
    what: str
    marked: bool


def beside(axes: Axes, curves: Sequence[Curve]) -> None:
    """Write the names of curves that have them, what is marked first.

    The ends of the axes must be known. What finds no room is left out, unless it is marked.
    """
    taken = [_around(at) for curve in curves for at in _drawn(axes, curve)]
    named = [one for curve in curves if curve.named for one in _named(axes, curve)]
    inside = _in_points(axes, axes.bbox)
    for one in sorted(named, key=lambda one: not one.marked):
        places = [(place, _box(one, place)) for place in _PLACES]
        within = [it for it in places if inside.x0 <= it[1].x0 and it[1].x1 <= inside.x1]
        free = [it for it in within if not it[1].count_overlaps(taken)]
        found = free or (within or places if one.marked else [])
        if found:
            place, box = found[0]
            taken.append(box)
            _write(axes, one, place)


def _points(axes: Axes) -> float:
    """Points of the canvas in a pixel."""
    return 72.0 / axes.figure.dpi


def _in_points(axes: Axes, box: Bbox) -> Bbox:
    return Bbox(box.get_points() * _points(axes))


def _placed(axes: Axes, curve: Curve) -> list[_At]:
    found = axes.transData.transform([point[:2] for point in curve.points]) * _points(axes)
    return [(float(x), float(y)) for x, y in found]


def _drawn(axes: Axes, curve: Curve) -> Iterator[_At]:
    """Its points, and places along its line."""
    placed = _placed(axes, curve)
    yield from placed
    for (x, y), (to_x, to_y) in itertools.pairwise(placed) if curve.joined else ():
        steps = math.ceil(math.hypot(to_x - x, to_y - y) / _CLOSE)
        for step in range(1, steps):
            yield x + (to_x - x) * step / steps, y + (to_y - y) * step / steps


def _named(axes: Axes, curve: Curve) -> Iterator[_Named]:
    for number, at in enumerate(_placed(axes, curve)):
        x, y, what = curve.points[number]
        marked = curve.marked is not None and curve.marked[0] == number
        text = curve.marked[1] if marked and curve.marked else what
        yield _Named(at, (x, y), text, marked)


def _around(at: _At) -> Bbox:
    return Bbox.from_bounds(at[0] - 2, at[1] - 2, 4, 4)


def _offset(one: _Named, place: tuple[int, int]) -> _At:
    away = _AWAY_FROM_RING if one.marked else _AWAY
    return place[0] * away, place[1] * away / 2


def _box(one: _Named, place: tuple[int, int]) -> Bbox:
    across, up = _offset(one, place)
    width = _LETTER * len(one.what)
    left = one.at[0] + across - (width if place[0] < 0 else 0)
    bottom = one.at[1] + up - (_LINE if place[1] < 0 else 0)
    return Bbox.from_bounds(left, bottom, width, _LINE)


def _write(axes: Axes, one: _Named, place: tuple[int, int]) -> None:
    axes.annotate(
        one.what,
        one.data,
        xytext=_offset(one, place),
        textcoords="offset points",
        ha="left" if place[0] > 0 else "right",
        va="bottom" if place[1] > 0 else "top",
        fontsize=_SIZE,
        fontweight="bold" if one.marked else "normal",
        color=scales.MUTED,
    )
