"""The page of a plan: what to buy, why, and what latency costs."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from blockyard.pages.engine import Engine, Scenario
from blockyard.pages.figure import Axis, Curve, Curves, Figure
from blockyard.pages.head import Head
from blockyard.pages.page import Page, Passage, Section
from blockyard.text.formatting import latency, sentence
from blockyard.text.table import Table
from blockyard.types.plan import Answer, Current, Layout
from blockyard.words import plan, plan_reasons
from blockyard.words.tiles import Tile

_COST = Axis("cost", "$ a month")
_P99 = Axis("p99 latency", "ms")

# Where one figure is so many times another, all small ones would lie on one spot.
_FAR_APART = 10

# Why a layout that was simulated is not on the Pareto frontier.
_DROPPED = "misses a goal"


def planned(answer: Answer) -> Page:
    """The page of a plan."""
    best = plan.bought(answer)
    said = plan.buy(answer, best) if best else "; ".join(plan.impossible(answer))
    curves = _curves(answer, best)
    return Page(
        title=_title(answer["name"]),
        first=Section("What latency costs", [_frontier(answer, curves)]) if curves else None,
        headlines=[sentence(line) for line in (said, *plan.cautions(answer))],
        tiles=list(_tiles(answer, best)) if best else [],
        heads=[Head(answer["name"], tuple(_facts(answer)), answer["scenario"])],
        words=[
            *(_bought(best) if best else []),
            *_uncertain(answer),
            *_today(answer, best),
            *_others(answer),
            *_rejected(answer),
        ],
        sections=[],
        engine=_engine(answer),
    )


def _engine(answer: Answer) -> Engine | None:
    """The layout to buy, to be changed in the page; None if nothing meets the requirement."""
    text = answer["scenario"]
    return Engine([Scenario(answer["name"], text)]) if text is not None else None


def _tiles(answer: Answer, best: Layout) -> Iterator[Tile]:
    """What it must deliver, its p99, what limits it first, and its price."""
    iops = sum(iops for _, iops, _ in answer["wanted"]["streams"])
    yield Tile("Delivers", f"{iops:,} IOPS", "what is required")
    if (p99 := plan.p99_ms(best)) is not None:
        yield Tile("p99", plan.ms(p99), "simulated")
    if best["limits"]:
        first = min(best["limits"], key=lambda use: use["left"])
        name, *_, headroom = plan.use(first)
        yield Tile("First limit", name, f"{headroom} headroom")
    yield Tile("Price", plan.money(best), f"a month in {answer['region']}, {answer['term']}")


def _title(name: str) -> str:
    """A requirement without a name is called `plan`."""
    return "Plan" if name == "plan" else f"Plan: {name}"


def _facts(answer: Answer) -> Iterator[tuple[str, str]]:
    yield "wanted", plan.load(answer["wanted"])
    yield "prices", f"{answer['region']}, {answer['term']}"
    yield "instance types", f"{answer['instances']:,}"
    if (avoided := plan.avoided(answer)) is not None:
        yield "left out", avoided
    for note in answer["notes"]:
        yield "note", note


def _bought(best: Layout) -> Iterator[Passage]:
    bill = [[plan.item(item), plan.dollars(item["usd_per_month"])] for item in best["bill"]]
    sum_of_all = ["all", plan.money(best)]
    table = Table("A month", ["", "cost"], [*bill, sum_of_all])
    yield Passage("Bill", [table, *map(sentence, plan.assumed(best))])
    limits = Table(
        "Peak use of each limit",
        ["limit", "used", "of", "headroom"],
        list(map(plan.use, best["limits"])),
    )
    latencies = Table("Latency", ["", "p50", "p99"], list(plan.latencies(best)))
    said = [sentence(one) for one in (plan.held(best), plan.places(best)) if one is not None]
    yield Passage("Headroom", [limits, latencies, *said])
    kept = (plan.durability(best), plan.outgrown(best))
    yield Passage("Durability", [sentence(it) for it in kept if it is not None])


def _uncertain(answer: Answer) -> Iterator[Passage]:
    said = plan.samples(answer)
    if said is None or answer["uncertain"] is None:
        return
    rows = [
        [
            plan.what(one["layout"]),
            plan.money(one["layout"]),
            plan.dollars(one["regret_usd"]),
            f"{one['suffices']:.1%}",
        ]
        for one in answer["uncertain"]["others"]
    ]
    table = Table("More regret", ["layout", "cost", "regret", "suffices in"], rows)
    yield Passage("Over all samples", [sentence(said), *([table] if rows else [])])


def _today(answer: Answer, best: Layout | None) -> Iterator[Passage]:
    current = answer["current"]
    if current is None:
        return
    said = [plan.today(current["layout"], current["holds"], best, current["room"])]
    said += [f"missed: {plan_reasons.text(reason)}" for reason in current["missed"]]
    content: list[str | Table] = list(map(sentence, said))
    if best is not None:
        content.append(sentence(plan.change(current["layout"], best)))
        rows = list(plan.differences(current["layout"], best))
        if rows:
            content.append(Table("What to change", ["", "from", "to"], rows, words=3))
    yield Passage("Today", content)


def _others(answer: Answer) -> Iterator[Passage]:
    rows = [
        [title, plan.what(layout), plan.money(layout), _worst(layout), _loss(layout)]
        for title, layout, _ in plan.others(answer)
        # Those have a table of their own.
        if title != "more regret"
    ]
    content: list[str | Table] = []
    if rows:
        columns = ["", "layout", "cost", "p99", "yearly loss"]
        content.append(Table("That do as well", columns, rows, words=2))
    possible = plan.cheapest_possible(answer)
    if possible is not None:
        layout, broken = possible
        said = f"{plan.money(layout)}, {plan.what(layout)}{plan.p99(layout)}{plan.loss(layout)}"
        content.append(sentence(f"cheapest possible: {said}; {broken}"))
    best = plan.bought(answer)
    if best is not None and (managed := plan.managed(answer, best)):
        content.append(sentence(managed))
    if content:
        yield Passage("Other layouts", content)


def _loss(layout: Layout) -> str:
    share = layout["yearly_loss"]
    return "" if share is None else plan.percent(share)


def _worst(layout: Layout) -> str:
    found = plan.p99_ms(layout)
    return "" if found is None else plan.ms(found)


def _rejected(answer: Answer) -> Iterator[Passage]:
    said = dict(plan_reasons.rejected(answer))
    dropped = [plan_reasons.layout(one["layout"]) for one in answer["dropped"]]
    names = [one["type"] for one in answer["rejected"]]
    captions = (
        ("Volume types", names),
        ("Dropped, as they missed a goal in the simulation", dropped),
    )
    tables: list[str | Table] = [
        Table(caption, ["", "reason", "in numbers"], rows, words=3)
        for caption, of in captions
        if (rows := [[name, *reason] for name in of for reason in said.get(name, [])])
    ]
    tables.extend(_families(answer))
    if tables:
        yield Passage("Why not the rest", tables)


def _families(answer: Answer) -> Iterator[Table | str]:
    """Why families of instances are not it; those of which nothing is known in a sentence."""
    said = dict(plan_reasons.rejected(answer))
    rows, without = [], dict[str, list[str]]()
    for one in answer["families"]:
        for kind, text in said.get(one["family"], []) if one["reasons"] else []:
            if kind in plan.WITHOUT:
                without.setdefault(kind, []).append(one["family"])
            else:
                rows.append([one["family"], kind, text])
    if rows:
        yield Table("Families of instances", ["", "reason", "in numbers"], rows, words=3)
    for kind, families in without.items():
        yield f"Families of instances without {plan.WITHOUT[kind]}: {', '.join(families)}."


_Point = tuple[float, float, str]


def _curves(answer: Answer, best: Layout | None) -> list[Curve]:
    """The Pareto frontier, and the other layouts; nothing without a layout."""

    def of(*, on_frontier: bool) -> list[_Point]:
        return [
            (at["usd_per_month"], at["p99_us"] / 1e3, _named(at["name"], at["type"]))
            for at in answer["pareto_frontier"]
            if at["on_frontier"] == on_frontier
        ]

    frontier, chosen = of(on_frontier=True), _placed([best] if best else [])
    place = next((at for at, point in enumerate(frontier) if point[:2] == chosen[0][:2]), None)
    mark = None if place is None else (place, f"bought: {frontier[place][2]}")
    clouds: list[tuple[str, Sequence[_Point]]] = [
        ("on the Pareto frontier", frontier),
        ("dearer or slower", of(on_frontier=False)),
        (_DROPPED, _placed([one["layout"] for one in answer["dropped"]])),
        ("today", _placed(_bearing(answer["current"], answer["wanted"]["headroom"]))),
    ]
    if place is None:
        clouds.append(("bought", chosen))
    return [
        Curve(
            label,
            points,
            colour,
            marked=None if colour else mark,
            joined=not colour,
            named=label != _DROPPED,
        )
        for colour, (label, points) in enumerate(clouds)
        if points
    ]


def _bearing(current: Current | None, headroom: float) -> list[Layout]:
    """What there is today, if it bears the load: else its latency is as long as one waits."""
    return [current["layout"]] if current and current["holds"] >= 1 - headroom else []


def _placed(layouts: Sequence[Layout]) -> list[_Point]:
    placed = [(layout, plan.p99_ms(layout) or _estimated(layout)) for layout in layouts]
    return [(it["usd_per_month"], ms, plan_reasons.layout(it)) for it, ms in placed]


def _estimated(layout: Layout) -> float:
    return max((one["p99_us"] / 1e3 for one in layout["latency"]), default=0.0)


def _named(name: str, volume_type: str) -> str:
    """`10 x gp3 on a1.4xlarge`, of how many on what."""
    count, _, instance = name.partition(" on ")
    return f"{count} x {volume_type} on {instance}"


def _frontier(answer: Answer, curves: Sequence[Curve]) -> Figure:
    points = [point for curve in curves for point in curve.points]
    frontier = [point for curve in curves if curve.joined for point in curve.points]
    said = "; ".join(f"{what}: ${usd:,.0f}, {latency(ms * 1e3)}" for usd, ms, what in frontier)
    proven = any(layout["simulated"] for layout in [answer["best"], *answer["others"]] if layout)
    how = "in the simulation" if proven else "by the profiles of the volume types"
    caption = (
        f"The highest p99 of reads, writes and journal {how}, against the cost of a month. The "
        f"line is the Pareto frontier: no layout is both cheaper and faster than one on it. {said}."
    )
    current = answer["current"]
    if current and not _bearing(current, answer["wanted"]["headroom"]):
        caption += (
            f" The layout of today is not shown: at {plan.money(current['layout'])} it holds "
            f"{current['holds']:.0%} of the load with its headroom, so its latency grows for as "
            "long as that lasts."
        )
    return Figure(
        name="pareto-frontier",
        title="Cost against p99",
        caption=caption,
        plot=Curves(
            _spread(_COST, [usd for usd, _, _ in points]),
            _spread(_P99, [ms for _, ms, _ in points]),
            curves,
        ),
    )


def _spread(axis: Axis, values: Sequence[float]) -> Axis:
    """A logarithmic axis where the values are far apart."""
    least, most = min(values), max(values)
    return replace(axis, scale="log") if 0 < _FAR_APART * least < most else axis
