"""The page of a plan: what to buy, why, and what latency costs."""

import json
from typing import Any

from blockyard import _core
from blockyard.pages.engine import Engine, Scenario
from blockyard.pages.figure import Axis, Curve, Curves, Figure
from blockyard.pages.head import Head
from blockyard.pages.page import Page, Passage, Section
from blockyard.text.table import content
from blockyard.types.plan import Answer
from blockyard.words.tiles import Tile


def planned(answer: Answer) -> Page:
    """The page of a plan."""
    said = json.loads(_core.plan_page(json.dumps(answer)))
    figures = [_figure(one) for one in said["figures"]["figures"]]
    facts = tuple((what, value) for what, value in said["facts"])
    return Page(
        title=said["title"],
        first=Section("What latency costs", figures) if figures else None,
        headlines=said["headlines"],
        tiles=[Tile(**one) for one in said["tiles"]],
        heads=[Head(answer["name"], facts, answer["scenario"])],
        words=[Passage(one["heading"], content(one["content"])) for one in said["passages"]],
        sections=[],
        engine=_engine(answer),
    )


def _engine(answer: Answer) -> Engine | None:
    """The layout to buy, to be changed in the page; None if nothing meets the requirement."""
    text = answer["scenario"]
    return Engine([Scenario(answer["name"], text)]) if text is not None else None


def _figure(one: dict[str, Any]) -> Figure:
    """Cost against latency: the only figure of a plan is one of curves."""
    plot = one["plot"]
    curves = [_curve(curve) for curve in plot["curves"]]
    return Figure(**{**one, "plot": Curves(Axis(**plot["x"]), Axis(**plot["y"]), curves)})


def _curve(one: dict[str, Any]) -> Curve:
    marked = None if one["marked"] is None else tuple(one["marked"])
    return Curve(**{**one, "points": list(map(tuple, one["points"])), "marked": marked})
