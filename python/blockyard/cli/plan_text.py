"""A plan as text: what to buy, what it costs, what is left, and why the rest is not it."""

import textwrap
from collections.abc import Iterator

from blockyard.planning.answer import Answer, Item, Layout, Load, Use, Volumes

_UNITS = (("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10))

_LIMITS = {
    "iops": "IOPS",
    "throughput": "throughput",
    "iops_credits": "IOPS, credits",
    "throughput_credits": "throughput, credits",
}

# What nothing more can be said of.
_WITHOUT = {"price unknown": "a known price", "no published limits": "published limits"}

# Families of instances that are listed, of those that hold the load and of those that do not.
_LISTED = 5


def lines(answer: Answer, width: int, *, explain: bool) -> Iterator[str]:
    """The lines, on so many columns."""
    region = answer["region"] + (", which is assumed" if answer["region_assumed"] else "")
    yield from _folded(f"{answer['name']}: {_load(answer['wanted'])}", width)
    for note in answer.get("notes", []):
        yield from _folded(note, width)
    uncertain = answer["uncertain"]
    if uncertain is not None:
        yield from _worlds(answer, width)
    best = uncertain["layout"] if uncertain is not None else answer["best"]
    if best is None:
        yield from _impossible(answer, width)
    else:
        yield from _folded(
            f"buy {_what(best)}: {_money(best)} a month in {region}, {answer['term']}", width
        )
        yield ""
        yield from _bill(best["bill"])
        yield ""
        yield from _limits(best["limits"])
        yield from _latency(best)
    if answer["current"] is not None:
        yield from _change(answer, best, width)
    yield from _next(answer, width)
    yield from _rejected(answer, width)
    if explain:
        yield from _families(answer, width)


def _load(wanted: Load) -> str:
    streams = [f"{iops:,} {name} of {_size(size)}" for name, iops, size in wanted["streams"]]
    lasts = wanted["lasts_s"]
    said = f"{_size(wanted['size'])}, {' and '.join(streams)} a second"
    if wanted["highest"] > 1:
        said += f", at times {wanted['highest']:g} times that"
    said += " for good" if lasts is None else f" for {_time(lasts)}"
    return f"{said}, {wanted['headroom']:.0%} headroom"


def _what(layout: Layout) -> str:
    said = _volumes(layout["data"])
    if layout["journal"] is not None:
        said += f" and for the journal {_volumes(layout['journal'])}"
    said += f" on {layout['instance']}"
    return said if layout["copies"] == 1 else f"{layout['copies']} times {said}, in two zones"


def _volumes(volumes: Volumes) -> str:
    said = f"{volumes['count']} x {volumes['type']} of {_size(volumes['size'])}"
    if volumes["iops"] is not None:
        said += f", {volumes['iops']:,} IOPS"
    if volumes["throughput"] is not None:
        said += f", {_size(volumes['throughput'])}/s"
    return said


def _bill(bill: list[Item]) -> Iterator[str]:
    for item in bill:
        what = f"{item['count']} x {item['what']}"
        yield f"  {what:<32}{_dollars(item['usd_per_month']):>14}"


def _limits(limits: list[Use]) -> Iterator[str]:
    rows = [_use(use) for use in limits]
    yield f"  {'limit':<32}{'used':>14}{'of':>14}{'left':>9}"
    for name, used, has, left in rows:
        yield f"  {name:<32}{used:>14}{has:>14}{left:>9}"


def _use(use: Use) -> tuple[str, str, str, str]:
    name = f"{use['owner']} {_LIMITS.get(use['limit'], use['limit'])}"
    last = use["credits_last_s"]
    if last is not None:
        return name, _rate(use, "used"), f"{_time(last)}", f"{use['left']:.0%}"
    return name, _rate(use, "used"), _rate(use, "has"), f"{use['left']:.0%}"


def _rate(use: Use, key: str) -> str:
    value = use["used"] if key == "used" else use["has"]
    if use["unit"] == "io":
        return f"{value:,}/s"
    return f"{value / (1 << 20):,.0f} MiB/s"


def _latency(layout: Layout) -> Iterator[str]:
    if layout["simulated"] is not None:
        for job in layout["simulated"]:
            p50, p99 = job["p50_us"] / 1e3, job["p99_us"] / 1e3
            yield f"  simulated {job['job']:<8} p50 {p50:.2f} ms, p99 {p99:.2f} ms"
        return
    for one in layout["latency"]:
        p50, p99 = one["p50_us"] / 1e3, one["p99_us"] / 1e3
        yield f"  estimated {one['of']:<8} p50 {p50:.2f} ms, p99 {p99:.2f} ms"


def _worlds(answer: Answer, width: int) -> Iterator[str]:
    found = answer["uncertain"]
    assert found is not None  # noqa: S101 - asked by the caller
    low, mid, high = found["usd_per_month"]
    said = (
        f"of {found['worlds']:,} worlds (seed {found['seed']}) the cheapest layouts cost "
        f"${low:,.0f} to ${high:,.0f}, in the middle ${mid:,.0f}; least regretted is what "
        f"suffices in {found['suffices']:.1%} of them, with a regret of "
        f"{_dollars(found['regret_usd'])} a month (what is missing counts "
        f"{found['factor']:g} times)"
    )
    if found["impossible"]:
        said += f"; nothing meets {found['impossible']:,} of them, which are left out"
    yield from _folded(said, width)


def _impossible(answer: Answer, width: int) -> Iterator[str]:
    yield from _folded(f"nothing meets it; instance types: {answer['instances']:,}", width)
    nearest = answer["nearest"]
    if nearest is None:
        return
    layout = nearest["layout"]
    if layout is None:
        yield from _folded("less load would not help", width)
        return
    yield from _folded(
        f"nearest possible: {nearest['permille'] / 10:g}% of the load, with {_what(layout)}, "
        f"{_money(layout)} a month",
        width,
    )


def _change(answer: Answer, best: Layout | None, width: int) -> Iterator[str]:
    current = answer["current"]
    assert current is not None  # noqa: S101 - asked by the caller
    layout = current["layout"]
    yield ""
    held = min(1.0, current["holds"])
    holds = "holds it" if held >= 1 else f"holds {held:.0%} of it"
    yield from _folded(
        f"today: {_what(layout)}, {_money(layout)} a month; it {holds}{_p99(layout)}", width
    )
    for name, reasons in answer["words"]:
        if name == "today":
            for _, text in reasons:
                yield from _folded(f"  missed: {text}", width, "    ")
    if best is None:
        return
    saved = best["usd_per_month"] - layout["usd_per_month"]
    word = "more" if saved >= 0 else "less"
    said = f"the plan costs {_dollars(abs(saved))} a month {word}"
    both = [
        max((job["p99_us"] for job in it["simulated"] or []), default=0.0) for it in (layout, best)
    ]
    if all(both):
        said += f", and p99 goes from {both[0] / 1e3:.2f} to {both[1] / 1e3:.2f} ms"
    yield from _folded(said, width)
    for line in _differences(layout, best):
        yield f"  {line}"


def _differences(today: Layout, best: Layout) -> Iterator[str]:
    if today["instance"] != best["instance"]:
        yield f"instance: {today['instance']} -> {best['instance']}"
    for role in ("data", "journal"):
        before = today["data"] if role == "data" else today["journal"]
        after = best["data"] if role == "data" else best["journal"]
        if before != after:
            was = _volumes(before) if before else "none of its own"
            will = _volumes(after) if after else "none of its own"
            yield f"{role}: {was}"
            yield f"{'':{len(role)}}  -> {will}"


def _p99(layout: Layout) -> str:
    jobs = layout["simulated"]
    return f", p99 {max(job['p99_us'] for job in jobs) / 1e3:.2f} ms" if jobs else ""


def _next(answer: Answer, width: int) -> Iterator[str]:
    others = [("fewest volumes", answer["fewest"])] if answer["fewest"] else []
    others += [("next best", layout) for layout in answer["others"]]
    if not others:
        return
    yield ""
    for title, layout in others:
        assert layout is not None  # noqa: S101 - only those that are there
        yield from _folded(f"{title}: {_money(layout)}, {_what(layout)}{_p99(layout)}", width)


def _rejected(answer: Answer, width: int) -> Iterator[str]:
    words = dict(answer["words"])
    names = [one["type"] for one in answer["rejected"]]
    if names:
        yield ""
    excluded = [
        one["type"]
        for one in answer["rejected"]
        if [reason["kind"] for reason in one["reasons"]] == ["excluded"]
    ]
    for name in names:
        for kind, text in words.get(name, []) if name not in excluded else []:
            yield from _folded(f"not {name}: {kind}: {text}", width, "    ")
    if excluded:
        yield from _folded(f"left out by the requirement: {', '.join(excluded)}", width, "    ")
    for one in answer["dropped"]:
        layout = one["layout"]
        name = f"{layout['data']['count']} x {layout['data']['type']} on {layout['instance']}"
        for _, text in words.get(name, []):
            yield from _folded(f"dropped {name}, {_money(layout)}: {text}", width, "    ")


def _families(answer: Answer, width: int) -> Iterator[str]:
    words = dict(answer["words"])
    holding = [one for one in answer["families"] if one["usd_per_month"] is not None]
    others = [one for one in answer["families"] if one["usd_per_month"] is None]
    yield ""
    yield f"families of instances that hold it: {len(holding)} of {len(answer['families'])}"
    for one in holding[:_LISTED]:
        yield f"  {one['instance']:<24}{_dollars(one['usd_per_month'] or 0):>14}"
    counts: dict[str, int] = {}
    for one in others:
        for kind in {kind for kind, _ in words.get(one["family"], [])}:
            counts[kind] = counts.get(kind, 0) + 1
    for kind, count in sorted(counts.items(), key=lambda it: -it[1]):
        if kind in _WITHOUT:
            yield f"families without {_WITHOUT[kind]}: {count}"
            continue
        yield f"families that lack {kind}: {count}, such as"
        named = [one for one in others if kind in {it for it, _ in words.get(one["family"], [])}]
        for one in named[:_LISTED]:
            text = next(text for it, text in words[one["family"]] if it == kind)
            yield from _folded(f"  {one['instance']}: {text}", width, "    ")


def _money(layout: Layout) -> str:
    return _dollars(layout["usd_per_month"])


def _dollars(amount: float) -> str:
    return f"${amount:,.2f}"


def _size(size: int) -> str:
    for name, unit in _UNITS:
        if size >= unit and size % unit == 0:
            return f"{size // unit:,}{name}"
    for name, unit in _UNITS:
        if size >= unit:
            return f"{size / unit:,.1f}{name}"
    return f"{size}B"


def _time(seconds: float) -> str:
    for name, unit in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= unit:
            return f"{seconds / unit:.3g}{name}"
    return f"{seconds:.3g}s"


def _folded(text: str, width: int, indent: str = "  ") -> list[str]:
    return textwrap.wrap(text, max(40, width), subsequent_indent=indent, break_on_hyphens=False)
