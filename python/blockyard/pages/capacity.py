"""The page of a largest load: what a layout takes, and the curve that says so."""

from collections.abc import Callable, Iterator
from typing import Literal

from blockyard.pages.engine import Engine, Scenario
from blockyard.pages.figure import Axis, Curve, Curves, Figure, Level
from blockyard.pages.head import Head
from blockyard.pages.page import Page, Passage, Section
from blockyard.text.formatting import latency, rate
from blockyard.text.table import Table
from blockyard.types.capacity import Came, Capacity, Point
from blockyard.words import capacity as words

# Where one latency is so many times another, the lower ones would lie on one line.
_FAR_APART = 10


def load_curve(found: Capacity, scenario: str) -> Page:
    """The page of a largest load; `scenario` is its text."""
    said = words.answer(found).replace("`", "")
    columns = [words.unit(found), "goals", *words.headings(found)]
    rows = [
        [load, goals, *figures]
        for point in found["curve"]
        for load, *figures, goals in [words.row(found, point)]
    ]
    curve = Table("Every load that was tried, simulated", columns, rows, words=2)
    return Page(
        title=f"Capacity: {found['scenario']}",
        headlines=[said],
        heads=[Head(found["scenario"], tuple(_facts(found)), scenario)],
        words=[
            Passage("What ends it", [words.ended(found), *words.notes(found)]),
            Passage("The curve in numbers", [curve]),
        ],
        sections=[Section("What more load does", list(_figures(found)))],
        engine=Engine([Scenario(found["scenario"], scenario)]),
    )


def _facts(found: Capacity) -> Iterator[tuple[str, str]]:
    yield "goals", "; ".join(found["goals"])
    yield "load of", ", ".join(job["job"] for job in found["scaled"])
    yield "seed", str(found["seed"])


def _figures(found: Capacity) -> Iterator[Figure]:
    """What the job whose goal binds does a second, and its p99, against the load."""
    counted, p99 = words.headings(found)
    yield _figure(
        found,
        "per_s",
        (f"{counted} against load", Axis(counted, words.counted(found))),
        lambda came: came["per_s"],
        rate,
    )
    yield _figure(
        found,
        "p99",
        (f"{p99} against load", Axis("p99 latency", "ms")),
        lambda came: came["latency_us"] and came["latency_us"]["p99"] / 1e3,
        lambda ms: latency(ms * 1e3),
    )


def _figure(
    found: Capacity,
    of: Literal["per_s", "p99"],
    named: tuple[str, Axis],
    value: Callable[[Came], float | None],
    written: Callable[[float], str],
) -> Figure:
    job = found["told"]
    title, axis = named
    points = [
        (_placed(found, point), y, point)
        for point in found["curve"]
        for came in point["jobs"]
        if came["job"] == job and (y := value(came)) is not None
    ]
    levels = [
        Level(level["goal"], level["value"] / (1e3 if of == "p99" else 1))
        for level in found["levels"]
        if level["of"] == of and level["job"] == job
    ]
    heights = [y for _, y, _ in points if y > 0]
    if of == "p99" and heights and max(heights) > _FAR_APART * min(heights):
        axis = Axis(axis.label, axis.unit, "log")
    at = {point["load"]: written(y) for _, y, point in points}
    ends = [(load, at[load]) for load in (found["holds"], found["missed"]) if load in at]
    said = "; ".join(f"{words.load(found, load)}: {figure}" for load, figure in ends)
    return Figure(
        name=of,
        title=title,
        caption=f"The outcome for {job} at each load tried. {said}.",
        plot=Curves(Axis("load", words.unit(found)), axis, list(_curves(found, points)), levels),
        group="curve",
    )


def _curves(found: Capacity, points: list[tuple[float, float, Point]]) -> Iterator[Curve]:
    """All loads as a line, marked where the goals hold last, and those at which one is missed."""
    all_of = [(x, y, words.load(found, point["load"])) for x, y, point in points]
    loads = [point["load"] for _, _, point in points]
    holds = found["holds"]
    mark = None if holds is None or holds not in loads else (loads.index(holds), "holds")
    yield Curve("all loads", all_of, 0, marked=mark)
    missed = [own for own, (_, _, point) in zip(all_of, points, strict=True) if not point["met"]]
    if missed:
        yield Curve("a goal is missed", missed, 1, joined=False)


def _placed(found: Capacity, point: Point) -> float:
    return point["load"] / 1000 if found["by_factor"] else float(point["load"])
