"""The page of a sweep: a map of two axes, lines, price against latency, what decides."""

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

from blockyard._core import quantity
from blockyard.pages.figure import Axis, Cells, Curve, Curves, Figure
from blockyard.pages.head import Head
from blockyard.pages.page import Page, Passage, Section
from blockyard.sweeps import comparing, directory, summary, words
from blockyard.sweeps.summary import Point
from blockyard.sweeps.sweep import Sweep
from blockyard.text import files
from blockyard.text.table import Table

# Small multiples beside each other, and lines in one plot.
_MOST_MULTIPLES = 6
_MOST_LINES = 8
# Rows of the table of combinations.
_MOST_ROWS = 20
# Where the largest is so many times the least, lower ones would lie on one line.
_FAR_APART = 10


def report(sweep: Sweep) -> Page:
    """The page of a sweep. Raises OSError, and FileError for a table that is torn."""
    figure = words.main_figure(sweep)
    axes = by_weight(sweep, figure)
    points = summary.points(sweep, sweep.about.axes)
    scenario = files.text(sweep.path / directory.SCENARIO, files.WRITTEN)
    about = sweep.about
    facts = [
        ("axes", ", ".join(about.axes)),
        ("runs", f"{about.done:,} of {about.runs:,}"),
        ("seeds", f"{len(about.seeds):,} each"),
        ("goals", "; ".join(about.goals)),
    ]
    said = words.found(sweep) or words.decided(sweep, figure)
    sections = [Section("How it varies", list(_figures(sweep, points, axes, figure)))]
    return Page(
        title=f"Sweep: {about.name}",
        headlines=[_plain(said)],
        heads=[Head(about.name, tuple(fact for fact in facts if fact[1]), scenario)],
        words=list(_passages(sweep, points, axes, figure)),
        sections=[section for section in sections if section.figures],
    )


def comparison(first: Sweep, other: Sweep, compared: comparing.Compared) -> Page:
    """The page of two sweeps: the maps of both beside each other, and how they differ."""
    axes = by_weight(first, compared.figure)
    maps: list[Figure] = []
    for sweep, name in zip((first, other), compared.names, strict=True):
        points = summary.points(sweep, axes)
        maps += _maps(points, axes, compared.figure, f"map-{len(maps)}", name)
    return Page(
        title=f"{compared.names[1]} vs {compared.names[0]}",
        headlines=[_plain(compared.sentence())],
        heads=[],
        words=[Passage("By combination", [table_of(compared)])] if compared.pairs else [],
        sections=[Section("Side by side", maps)],
    )


def by_weight(sweep: Sweep, figure: str | None) -> list[str]:
    """The axes that vary, those that move the figure most first."""
    return [axis for axis, _ in words.shares(sweep, figure)] if figure else sweep.axes


def table_of(compared: comparing.Compared) -> Table:
    """The combinations of two sweeps, those that differ most first."""
    axes = [*compared.pairs[0].axes]
    most = sorted(compared.pairs, key=lambda pair: -abs(pair.change))[:_MOST_ROWS]
    unit = axis_of(compared.figure).unit
    rows = [
        [
            *(str(pair.axes[axis]) for axis in axes),
            *(quantity(_shown(compared.figure, own), unit) for own in (pair.first, pair.other)),
            f"{100 * pair.change:+.1f} %",
        ]
        for pair in most
    ]
    names = words.short(axes)
    columns = [*(names[axis] for axis in axes), *compared.names, "change"]
    caption = f"{words.plain(compared.figure)}, where it differs most"
    return Table(caption, columns, rows, words=len(axes))


def _passages(
    sweep: Sweep, points: Sequence[Point], axes: Sequence[str], figure: str | None
) -> Iterator[Passage]:
    about = sweep.about
    # Where the headline says something else.
    lines = [words.decided(sweep, figure)] if about.found else []
    if about.failed:
        lines.append(f"{words.counted(about.failed, 'run')} failed.")
    if about.status != "complete":
        lines.append(f"{about.runs - about.done:,} of {about.runs:,} runs are missing.")
    if lines:
        yield Passage("What decides", lines)
    if figure is not None:
        yield Passage("Cheapest first", [_combinations(sweep, points, axes, figure)])
    if about.refused:
        yield Passage("Refused by the catalog", list(words.refusal_lines(about.refused)))


def _combinations(sweep: Sweep, points: Sequence[Point], axes: Sequence[str], figure: str) -> Table:
    """Those that meet the goals, or else all on the frontier; the cheapest first."""
    judged = [point for point in points if point.met]
    chosen = judged or summary.frontier(points, figure) or list(points)
    dear = float("inf")
    chosen = sorted(
        chosen, key=lambda one: dear if one.usd_per_month is None else one.usd_per_month
    )
    shown = axes or sweep.about.axes
    rows = [
        [
            *(str(point.axes[axis]) for axis in shown),
            _value(point, figure),
            "" if point.usd_per_month is None else f"{point.usd_per_month:,.2f}",
            point.throttled_by or "",
        ]
        for point in chosen[:_MOST_ROWS]
    ]
    what = "that meet the goals" if judged else "to which none is cheaper and better"
    names = words.short(shown)
    columns = [*(names[axis] for axis in shown), words.plain(figure), "$ a month", "throttled by"]
    return Table(f"Combinations {what}", columns, rows, words=len(shown)).without_empty()


def _figures(
    sweep: Sweep, points: Sequence[Point], axes: Sequence[str], figure: str | None
) -> Iterator[Figure]:
    if figure is None or not points:
        return
    yield from _maps(points, axes, figure, "map", "")
    if axes:
        yield _lines(points, axes, figure)
    best = summary.frontier(points, figure)
    if best:
        yield _frontier(points, best, axes or sweep.about.axes, figure)


def _maps(
    points: Sequence[Point], axes: Sequence[str], figure: str, name: str, of: str
) -> Iterator[Figure]:
    """A map of the two axes that matter most, once for each value of the third."""
    if len(axes) < 2:
        return
    x, y, *further = axes
    names = words.short(axes)
    parts: list[tuple[str, list[Point]]] = [("", list(points))]
    if further:
        third = further[0]
        values = _values(points, third)[:_MOST_MULTIPLES]
        parts = [
            (f"{names[third]} {value}", [one for one in points if one.axes[third] == value])
            for value in values
        ]
    over = f" Each cell is the median over {', '.join(further[1:])}." if further[1:] else ""
    for number, (where, some) in enumerate(parts):
        columns, rows = _values(some, x), _values(some, y)[::-1]
        cells = [[_cell(some, {x: column, y: row}, figure) for row in rows] for column in columns]
        axis = _scaled(axis_of(figure), [value for column in cells for value in column])
        title = ", ".join(part for part in (of, f"{words.plain(figure)}", where) if part)
        yield Figure(
            name=f"{name}-{number}",
            title=title,
            caption=f"{words.plain(figure)} by {x} and {y}{', ' if where else ''}{where}.{over}",
            plot=Cells(
                Axis(names[x]),
                Axis(names[y]),
                axis,
                [str(one) for one in columns],
                [str(one) for one in rows],
                cells,
            ),
            group=name.split("-")[0],
        )


def _lines(points: Sequence[Point], axes: Sequence[str], figure: str) -> Figure:
    """The figure against the main axis that has numbers, a line for each value of another."""
    numeric = [
        axis for axis in axes if all(_number(one) is not None for one in _values(points, axis))
    ]
    x = numeric[0] if numeric else axes[0]
    rest = [axis for axis in axes if axis != x]
    by = rest[0] if rest else None
    curves = []
    places = {
        value: _number(value) if numeric else float(n) for n, value in enumerate(_values(points, x))
    }
    for number, value in enumerate(_values(points, by)[:_MOST_LINES] if by else [None]):
        line = []
        for own, place in places.items():
            wanted = {x: own} | ({by: value} if by else {})
            found = _cell(points, wanted, figure)
            if found is not None and place is not None:
                line.append((place, found, str(own)))
        label = f"{words.short(axes)[by]} {value}" if by else words.plain(figure)
        curves.append(Curve(label, sorted(line), number))
    heights = [y for curve in curves for _, y, _ in curve.points]
    further = ", ".join(rest[1:])
    over = f" Each point is the median over {further}." if further else ""
    return Figure(
        name="lines",
        title=f"{words.plain(figure)} against {x}",
        caption=f"{words.plain(figure)} by {x}{f', a line for each {by}' if by else ''}.{over}",
        plot=Curves(Axis(x), _scaled(axis_of(figure), heights), curves),
    )


def _frontier(
    points: Sequence[Point], best: Sequence[Point], axes: Sequence[str], figure: str
) -> Figure:
    """Price against the figure: all combinations, and those to which none is cheaper and better."""
    names = words.short(axes)

    def place(point: Point) -> tuple[float, float, str]:
        value = point.figures[figure]
        named = ", ".join(f"{names[axis]} {point.axes[axis]}" for axis in axes)
        return point.usd_per_month or 0.0, _shown(figure, value or 0.0), named

    priced = [
        point
        for point in points
        if point.usd_per_month is not None and point.figures[figure] is not None
    ]
    every = [place(point) for point in priced]
    curves = [
        Curve("all combinations", every, None, joined=False),
        Curve("none is cheaper and better", [place(point) for point in best], 0, named=True),
    ]
    met = [place(point) for point in priced if point.met]
    if met:
        curves.append(Curve("meets the goals", met, 2, joined=False))
    return Figure(
        name="frontier",
        title=f"Price against {words.plain(figure)}",
        caption=f"{len(best)} of {len(priced)} combinations have none that is cheaper and better.",
        plot=Curves(
            Axis("price", "$ a month"),
            _scaled(axis_of(figure), [y for _, y, _ in every]),
            curves,
        ),
    )


def axis_of(figure: str) -> Axis:
    """The axis of a figure's column, in the unit that it is shown in."""
    name = words.plain(figure)
    if figure.endswith("_us"):
        return Axis(name, "ms")
    if figure.endswith("_s"):
        return Axis(name, "s")
    unit = {"iops": "IOPS", "mib_per_s": "MiB/s", "tps": "TPS"}.get(name.rsplit(".", 1)[-1], "")
    return Axis(name, unit)


def _shown(figure: str, value: float) -> float:
    return value / 1e3 if figure.endswith("_us") else value


def _value(point: Point, figure: str) -> str:
    value = point.figures[figure]
    return "" if value is None else quantity(_shown(figure, value), axis_of(figure).unit)


def _cell(points: Sequence[Point], wanted: dict[str, Any], figure: str) -> float | None:
    own = [
        value
        for point in points
        if all(point.axes[axis] == value for axis, value in wanted.items())
        and (value := point.figures[figure]) is not None
    ]
    return _shown(figure, median(own)) if own else None


def _values(points: Sequence[Point], axis: str) -> list[Any]:
    """The values of an axis: numbers rising, words in the order of the sweep."""
    values = list(dict.fromkeys(point.axes[axis] for point in points))
    numbers = [_number(value) for value in values]
    if any(number is None for number in numbers):
        return values
    return sorted(values, key=lambda value: _number(value) or 0.0)


def _number(value: object) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    return None


def _scaled(axis: Axis, values: Sequence[float | None]) -> Axis:
    known = [value for value in values if value is not None and value > 0]
    far = (
        known
        and max(known) > _FAR_APART * min(known)
        and len(known) == len([value for value in values if value is not None])
    )
    return Axis(axis.label, axis.unit, "log") if far else axis


def _plain(line: str) -> str:
    return line.replace("`", "")
