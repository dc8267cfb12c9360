"""A plan as text: what to buy, its cost and headroom, and why alternatives were rejected."""

import textwrap
from collections.abc import Iterator

from blockyard.types.plan import Answer, Current, Item, Layout, Use
from blockyard.words import plan, plan_reasons

# Families of instances that are listed, of those that hold the load and of those that do not.
_LISTED = 5


def lines(answer: Answer, width: int, *, explain: bool) -> Iterator[str]:
    """The lines, at most `width` columns wide."""
    yield from _folded(f"{answer['name']}: {plan.load(answer['wanted'])}", width)
    for note in [*answer["notes"], plan.samples(answer)]:
        if note is not None:
            yield from _folded(note, width)
    best = plan.bought(answer)
    if best is None:
        for line in plan.impossible(answer):
            yield from _folded(line, width)
    else:
        yield from _folded(plan.buy(answer, best), width)
        for said in plan.cautions(answer):
            yield from _folded(said, width)
        yield ""
        yield from _bill(best["bill"])
        for said in plan.assumed(best):
            yield from _folded(f"  {said}", width, "    ")
        yield ""
        yield from _limits(best["limits"])
        for of, p50, p99 in plan.latencies(best):
            yield f"  {of:<18} p50 {p50}, p99 {p99}"
        for told in (
            plan.held(best),
            plan.places(best),
            plan.durability(best),
            plan.outgrown(best),
        ):
            if told is not None:
                yield from _folded(f"  {told}", width, "    ")
    if answer["current"] is not None:
        yield from _change(answer["current"], best, width)
    yield from _next(answer, width)
    yield from _rejected(answer, width)
    if explain:
        yield from _families(answer, width)


def _bill(bill: list[Item]) -> Iterator[str]:
    for item in bill:
        yield f"  {plan.item(item):<40}{plan.dollars(item['usd_per_month']):>14}"


def _limits(limits: list[Use]) -> Iterator[str]:
    yield f"  {'limit':<32}{'used':>14}{'of':>14}{'headroom':>10}"
    for name, used, has, left in map(plan.use, limits):
        yield f"  {name:<32}{used:>14}{has:>14}{left:>10}"


def _change(current: Current, best: Layout | None, width: int) -> Iterator[str]:
    layout = current["layout"]
    yield ""
    yield from _folded(plan.today(layout, current["holds"], best, current["room"]), width)
    for reason in current["missed"]:
        yield from _folded(f"  missed: {plan_reasons.text(reason)}", width, "    ")
    if best is None:
        return
    yield from _folded(plan.change(layout, best), width)
    for role, was, will in plan.differences(layout, best):
        if role in ("copies", "instance"):
            yield f"  {role}: {was} -> {will}"
        else:
            yield f"  {role}: {was}"
            yield f"  {'':{len(role)}}  -> {will}"


def _next(answer: Answer, width: int) -> Iterator[str]:
    others = list(plan.others(answer))
    possible = plan.cheapest_possible(answer)
    best = plan.bought(answer)
    managed = plan.managed(answer, best) if best is not None else None
    if others or possible or managed:
        yield ""
    for title, layout, more in others:
        yield from _folded(f"{title}: {_in_short(layout)}{more}", width)
    if possible is not None:
        layout, broken = possible
        yield from _folded(f"cheapest possible: {_in_short(layout)}; {broken}", width)
    if managed is not None:
        yield from _folded(managed, width)


def _in_short(layout: Layout) -> str:
    said = f"{plan.money(layout)}, {plan.what(layout)}"
    return f"{said}{plan.p99(layout)}{plan.loss(layout)}"


def _rejected(answer: Answer, width: int) -> Iterator[str]:
    said = dict(plan_reasons.rejected(answer))
    names = [one["type"] for one in answer["rejected"]]
    if names:
        yield ""
    excluded = [
        one["type"]
        for one in answer["rejected"]
        if [reason["kind"] for reason in one["reasons"]] == ["excluded"]
    ]
    for name in names:
        for kind, text in said.get(name, []) if name not in excluded else []:
            yield from _folded(f"not {name}: {kind}: {text}", width, "    ")
    if excluded:
        yield from _folded(f"left out by the requirement: {', '.join(excluded)}", width, "    ")
    # Of each type the first; the others are further widths of it.
    dropped: dict[str, list[Layout]] = {}
    for one in answer["dropped"]:
        dropped.setdefault(one["layout"]["data"]["type"], []).append(one["layout"])
    for first, *others in dropped.values():
        name = plan_reasons.layout(first)
        too = ", ".join(str(other["data"]["count"]) for other in others)
        for _, text in said.get(name, []):
            line = f"dropped {name}, {plan.money(first)}: {text}"
            line += f"; missed with {too} volumes, too" if too else ""
            yield from _folded(line, width, "    ")


def _families(answer: Answer, width: int) -> Iterator[str]:
    said = dict(plan_reasons.rejected(answer))
    holding = [one for one in answer["families"] if one["usd_per_month"] is not None]
    others = [one for one in answer["families"] if one["usd_per_month"] is None]
    yield ""
    yield f"families of instances that hold it: {len(holding)} of {len(answer['families'])}"
    for one in holding[:_LISTED]:
        price = plan.dollars(one["usd_per_month"] or 0)
        loss = one["yearly_loss"]
        lost = "" if loss is None else f"  yearly loss {plan.percent(loss)}"
        yield f"  {one['instance']:<24}{one['architecture']:<8}{price:>14}{lost}"
    avoided = plan.avoided(answer)
    if avoided is not None:
        yield from _folded(f"types left out by preferences: {avoided}", width)
    counts: dict[str, int] = {}
    for one in others:
        for kind in {kind for kind, _ in said.get(one["family"], [])}:
            counts[kind] = counts.get(kind, 0) + 1
    for kind, count in sorted(counts.items(), key=lambda it: -it[1]):
        if kind in plan.WITHOUT:
            yield f"families without {plan.WITHOUT[kind]}: {count}"
            continue
        yield f"families that lack {kind}: {count}, such as"
        named = [one for one in others if kind in {it for it, _ in said.get(one["family"], [])}]
        for one in named[:_LISTED]:
            text = next(text for it, text in said[one["family"]] if it == kind)
            yield from _folded(f"  {one['instance']}: {text}", width, "    ")


def _folded(text: str, width: int, indent: str = "  ") -> list[str]:
    return textwrap.wrap(text, max(40, width), subsequent_indent=indent, break_on_hyphens=False)
