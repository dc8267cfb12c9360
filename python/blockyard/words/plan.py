"""Plans in words, as the command prints them and the report has them."""

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal

from blockyard.types.plan import Answer, Item, Layout, Load, Use, Volumes
from blockyard.words import plan_reasons
from blockyard.words.phrases import in_seeds

_UNITS = (("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10))

# What goals hold with, if nothing else is asked for.
_USUAL_PROBABILITY = 0.95

# What the streams of a load are called in a sentence.
_STREAMS = {"journal": "journal writes"}

# How many layouts of slightly more regret are listed: they are much alike.
_REGRETTED = 2

# What needs no saying of an instance.
_USUAL = "x86_64"

# A size of this many units or more is rounded in a larger one.
_UNWIELDY = 100_000

# Kinds of reasons of which nothing more can be said, and what there is not.
WITHOUT = {"price unknown": "a known price", "no published limits": "published limits"}

_LIMITS = {
    "iops": "IOPS",
    "read_iops": "read IOPS",
    "write_iops": "write IOPS",
    "throughput": "throughput",
    "iops_credits": "IOPS, credits",
    "throughput_credits": "throughput, credits",
}


def load(wanted: Load) -> str:
    """What is wanted: how much data, which IO, for how long."""
    streams = [
        f"{iops:,} {_STREAMS.get(name, name)} of {size(each)}"
        + (" (skewed)" if name in wanted["skewed"] else "")
        for name, iops, each in wanted["streams"]
    ]
    lasts = wanted["lasts_s"]
    said = f"{_growing(wanted)}, {listed(streams)} a second"
    said += ", sustained" if lasts is None else f" for {lasting(lasts)}"
    if wanted["highest"] > 1:
        said += f", at times {wanted['highest']:g} times that"
    said += f", {wanted['headroom']:.0%} headroom, {wanted['free_space']:.0%} free space"
    usual = wanted["probability"] == _USUAL_PROBABILITY
    return said if usual else f"{said}, goals with {wanted['probability']:.1%} probability"


def _growing(wanted: Load) -> str:
    """The size of the data, today and at the horizon."""
    today, years = size(wanted["size"]), wanted["horizon_years"]
    if years is None:
        return today
    return f"{today} growing to {_whole(wanted['size_at_horizon'])} in {_years(years)}"


def _whole(of: int) -> str:
    """A size that was worked out, in whole GiB."""
    return size(-(-of // (1 << 30)) << 30)


def _years(years: float) -> str:
    """`3 years`, `18 months`, `3.7 years`, `3.7 months`."""
    if years >= 2 or years == 1:
        return "1 year" if years == 1 else f"{years:.2g} years"
    return "a month" if round(12 * years, 1) == 1 else f"{12 * years:.2g} months"


def listed(of: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join([*([", ".join(of[:-1])] if of[1:] else []), *of[-1:]])


def bought(answer: Answer) -> Layout | None:
    """What to buy: of an uncertain requirement the layout of least regret."""
    uncertain = answer["uncertain"]
    return uncertain["layout"] if uncertain is not None else answer["best"]


def buy(answer: Answer, best: Layout) -> str:
    """What to buy, and for how much, where."""
    region = answer["region"] + (", which is assumed" if answer["region_assumed"] else "")
    return f"buy {what(best)}: {money(best)} a month in {region}, {answer['term']}"


def what(layout: Layout) -> str:
    """Volumes and instance."""
    said = volumes(layout["data"])
    if layout["journal"] is not None:
        said += f" and for the journal {volumes(layout['journal'])}"
    said += f" on {instance(layout)}"
    return said if layout["copies"] == 1 else f"{layout['copies']} times {said}, in two zones"


def instance(layout: Layout) -> str:
    """Its instance, and what its processors are built for unless that is the usual."""
    built_for = layout["architecture"]
    return layout["instance"] + (f" ({built_for})" if built_for != _USUAL else "")


def cautions(answer: Answer) -> list[str]:
    """What to know of the instance before it is bought."""
    all_of = (
        kept(answer),
        unsized(answer),
        architecture(answer),
        burstable(answer),
        zones(answer),
        unpriced(answer),
    )
    return [said for said in all_of if said]


def kept(answer: Answer) -> str | None:
    """That the instance is to be no smaller than today's; None if it was said how large it is."""
    if answer["instance_kept"] is None:
        return None
    name, vcpu, memory_mib = answer["instance_kept"]
    return (
        f"the instance has at least {vcpu} vCPU and {size(memory_mib << 20)} of memory, as {name} "
        "has today: --vcpu and --memory say otherwise"
    )


def architecture(answer: Answer) -> str | None:
    """What to do if programs cannot run on an instance that nobody has asked for.

    None if that is what most programs are built for, or there is nothing else.
    """
    best = bought(answer)
    if best is None or not needs_arm(answer):
        return None
    runs = f"on {best['instance']} programs must be built for {best['architecture']}"
    if answer["uncertain"] is not None:
        return f"{runs}; --architecture {_USUAL} leaves such instances out"
    for family in answer["families"]:
        if family["usd_per_month"] is not None and family["architecture"] == _USUAL:
            return (
                f"{runs}; for {_USUAL} it is {dollars(family['usd_per_month'])} on "
                f"{family['instance']}: --architecture {_USUAL}"
            )
    return None


def needs_arm(answer: Answer) -> bool:
    """Whether programs cannot run as most are built on an instance that nobody has asked for."""
    best = bought(answer)
    return best is not None and not answer["architecture"] and best["architecture"] != _USUAL


def burstable(answer: Answer) -> str | None:
    """That the instance slows down when its CPU credits are used up; none if it does not."""
    best = bought(answer)
    if best is None or not best["burstable"]:
        return None
    return (
        f"{best['instance']} is burstable: it slows down once its CPU credits are used up, or "
        "costs more in unlimited mode, which is not on the bill"
    )


def zones(answer: Answer) -> str | None:
    """In which zones the instance type is offered; none if in all, or that is not known."""
    best = bought(answer)
    if best is None or best["zones"] is None:
        return None
    offered, of = best["zones"]
    if len(offered) == of:
        return None
    return f"{best['instance']} is offered in {len(offered)} of {of} zones: {', '.join(offered)}"


def unsized(answer: Answer) -> str | None:
    """That the instance is as small as storage lets it be; none if it was said how large it is."""
    best = bought(answer)
    if best is None or answer["instance_sized"]:
        return None
    return (
        f"{best['instance']} is what the storage takes, and may be too small for a database: "
        "--vcpu and --memory say what that needs"
    )


def unpriced(answer: Answer) -> str | None:
    """That most instance types are left out for their price; none if that is not so."""
    missing, of = answer["unpriced"], answer["instances"]
    if 2 * missing <= of:
        return None
    return (
        f"no {answer['term']} price in {answer['region']} is known of {missing:,} of {of:,} "
        "instance types, which leaves them out; `blockyard prices import` reads AWS's price list, "
        "--price-file states yours"
    )


def durability(layout: Layout) -> str:
    """How often the layout loses data, and with what."""
    volumes = layout["data"]["count"] + (layout["journal"] or {"count": 0})["count"]
    if layout["data"]["local"]:
        return "data is lost when the instance stops"
    share = layout["yearly_loss"]
    if share is None:
        return "no failure rate of its volumes is published"
    stripe = "the volume" if volumes == 1 else f"any of {volumes} volumes"
    lost = stripe if layout["copies"] == 1 else f"{stripe} of both copies"
    return f"data is lost with {lost}: in {percent(share)} of years"


def loss(layout: Layout) -> str:
    """How often that is, after a comma; nothing if nothing is published."""
    share = layout["yearly_loss"]
    return "" if share is None else f", yearly loss {percent(share)}"


def percent(share: float) -> str:
    """A share to two digits, `5.5%`, `0.001%`."""
    return f"{Decimal(f'{100 * share:.2g}'):f}%"


def outgrown(layout: Layout) -> str | None:
    """When growing data and load outgrow a layout; none where nothing is said of growth."""
    found = layout["outgrown"]
    if found is None:
        return None
    said = f"outgrown: the data fills its file system after {_years(found['data_years'])}"
    if found["load_years"] is None or found["limit"] is None:
        return said
    owner, limit = found["limit"]
    reached = f"reaches {owner} {_LIMITS.get(limit, limit)} after {_years(found['load_years'])}"
    return f"{said}; a load that grows alike {reached}"


def cheapest_possible(answer: Answer) -> tuple[Layout, str] | None:
    """What would be cheaper without preferences, and which of them it breaks."""
    found = answer["cheapest_possible"]
    if found is None:
        return None
    return found[
        "layout"
    ], f"it breaks: {'; '.join(plan_reasons.text(it) for it in found['breaks'])}"


def managed(answer: Answer, best: Layout) -> str | None:
    """What services charge for the storage, beside the layout's own; None where not known."""
    if not answer["managed"]:
        return None
    services = ", ".join(
        f"{one['service']} {dollars(one['usd_per_month'])}" for one in answer["managed"]
    )
    own = sum(item["usd_per_month"] for item in _storage(best))
    return (
        f"as a service, storage alone: {services}; here {dollars(own)} (whether a service delivers "
        "the load is not checked, nor are its instances and throughput beyond what is included)"
    )


def _storage(layout: Layout) -> Iterator[Item]:
    """What is on the bill beside instances and traffic."""
    for one in layout["bill"]:
        if one["what"] != layout["instance"] and one["assumed"] is None:
            yield one


def avoided(answer: Answer) -> str | None:
    """How many instance types preferences leave out, and as what; none if none."""
    kinds = sorted(answer["avoided"].items(), key=lambda it: -it[1])
    return ", ".join(f"{count} {kind}" for kind, count in kinds) or None


def item(of: Item) -> str:
    """What a line of the bill is for."""
    # Traffic, which rests on an assumption, is counted in its unit; all else in pieces.
    times = "" if of["assumed"] is not None else "x "
    return f"{of['count']:,} {times}{of['what']}"


def assumed(layout: Layout) -> Iterator[str]:
    """What is assumed for the bill."""
    for one in layout["bill"]:
        if one["assumed"] is not None:
            yield f"its traffic assumes that {one['assumed']}"


def volumes(them: Volumes) -> str:
    """How many volumes, and what is provisioned of each."""
    said = f"{them['count']} x {them['type']} of {size(them['size'])}"
    if them["iops"] is not None:
        said += f", {them['iops']:,} IOPS"
    if them["throughput"] is not None:
        said += f", {size(them['throughput'])}/s"
    return said


def use(of: Use) -> tuple[str, str, str, str]:
    """A limit: its name, what is used, of how much, and the headroom."""
    name = f"{of['owner']} {_LIMITS.get(of['limit'], of['limit'])}"
    last = of["credits_last_s"]
    if last is None and of["used"] <= of["has"]:
        # The baseline is enough, so no credits are spent.
        name = name.replace(", credits", ", sustained")
    beyond = last is None and "credits" in of["limit"] and of["used"] > of["has"]
    has = _rate(of, of["has"]) if last is None else lasting(last)
    has = "sustained" if beyond else has
    return name, _rate(of, of["used"]), has, f"{of['left']:.0%}"


def _rate(of: Use, value: int) -> str:
    return f"{value:,}/s" if of["unit"] == "io" else f"{value / (1 << 20):,.0f} MiB/s"


def held(layout: Layout) -> str | None:
    """In how many seeds all goals hold; None if it was not simulated."""
    found = layout["held"]
    if found is None:
        return None
    return f"goals hold in {in_seeds(found)}"


def places(layout: Layout) -> str | None:
    """What is taken of the places of IOs; None of one volume, on which they do not matter."""
    count, hottest = layout["data"]["count"], layout["hottest"]
    if count == 1:
        return None
    if hottest is None:
        return "places are taken to be uniform; --skew states otherwise"
    return (
        f"the hottest of {count} volumes takes {hottest:.1%} of the IOs, of which the headroom is; "
        f"an equal share is {1 / count:.1%}"
    )


def latencies(layout: Layout) -> Iterator[tuple[str, str, str]]:
    """Of which IO, p50 and p99: simulated, or else as profiles estimate them."""
    if layout["simulated"] is not None:
        for job in layout["simulated"]:
            yield f"simulated {job['job']}", ms(job["p50_us"] / 1e3), ms(job["p99_us"] / 1e3)
        return
    for one in layout["latency"]:
        yield f"estimated {one['of']}", ms(one["p50_us"] / 1e3), ms(one["p99_us"] / 1e3)


def p99_ms(layout: Layout) -> float | None:
    """The highest p99 of its simulated IO; none if it was not simulated."""
    return max((job["p99_us"] / 1e3 for job in layout["simulated"] or []), default=None)


def p99(layout: Layout) -> str:
    """That after a comma; nothing if it was not simulated."""
    found = p99_ms(layout)
    return "" if found is None else f", p99 {ms(found)}"


def ms(of: float) -> str:
    """Milliseconds, from a thousand of them on in seconds."""
    return f"{of:.2f} ms" if of < 1000 else f"{of / 1e3:.1f} s"


def samples(answer: Answer) -> str | None:
    """How the chosen layout does over all samples of a requirement with ranges."""
    found = answer["uncertain"]
    if found is None:
        return None
    low, mid, high = found["usd_per_month"]
    said = (
        f"over {found['samples']:,} samples (seed {found['seed']}) the cheapest layouts cost "
        f"${low:,.0f} to ${high:,.0f}, median ${mid:,.0f}; the layout of least regret suffices "
        f"in {found['suffices']:.1%} of them, with a regret of "
        f"{dollars(found['regret_usd'])} a month (a shortfall counts {found['factor']:g} times)"
    )
    if found["impossible"]:
        said += f"; no layout meets {found['impossible']:,} samples, which are left out"
    return said


def impossible(answer: Answer) -> Iterator[str]:
    """That nothing meets the requirement, and what comes nearest."""
    unpriced = _unpriced_types(answer)
    if unpriced:
        # Whether these meet it is not known, and so neither is what comes nearest.
        region = answer["region"]
        yield (
            f"nothing that has a price in {region} meets it; no price is known there of "
            f"{listed(unpriced)}: `blockyard prices import` reads AWS's price list, "
            "--price-file states yours"
        )
        return
    yield f"nothing meets it; instance types: {answer['instances']:,}"
    nearest = answer["nearest"]
    if nearest is None:
        return
    layout = nearest["layout"]
    if layout is None:
        yield f"less load would not help{_least_latency(answer)}"
        return
    yield (
        f"nearest possible: {nearest['permille'] / 10:g}% of the load, with {what(layout)}, "
        f"{money(layout)} a month"
    )


def others(answer: Answer) -> Iterator[tuple[str, Layout, str]]:
    """The alternatives: what each is, the layout, and what to know of it.

    Of a requirement with ranges: layouts of more regret, and the cheapest for the likeliest load.
    """
    uncertain = answer["uncertain"]
    if uncertain is not None:
        for one in uncertain["others"][:_REGRETTED]:
            suffices = f"{one['suffices']:.1%}"
            more = f"; regret {dollars(one['regret_usd'])}, suffices in {suffices}"
            yield "more regret", one["layout"], more
        if answer["best"] is not None:
            yield "for the likeliest load alone", answer["best"], ""
        return
    if answer["fewest"] is not None:
        yield "fewest volumes", answer["fewest"], ""
    for layout in answer["others"]:
        yield "next best", layout, ""


def _unpriced_types(answer: Answer) -> list[str]:
    """The volume types that were left out for nothing but their price."""
    return [
        one["type"]
        for one in answer["rejected"]
        if {reason["kind"] for reason in one["reasons"]} == {"price_unknown"}
    ]


def _least_latency(answer: Answer) -> str:
    """The shortest possible latency, if every type misses the latency goal."""
    missed = [
        (reason["estimate_us"] / reason["goal_us"], one["type"], reason)
        for one in answer["rejected"]
        for reason in one["reasons"]
        if reason["kind"] == "latency"
    ]
    if not missed:
        return ""
    _, name, reason = min(missed, key=lambda it: it[0])
    least = ms(reason["estimate_us"] / 1e3)
    return f"; nearest possible: {reason['quantile']} of {reason['of']} of {least}, on {name}"


def today(layout: Layout, holds: float, best: Layout | None, room: float = 1.0) -> str:
    """What there is today, and whether it holds the load, and has the copies that are wanted.

    `room` is the share that its file systems have of what is needed.
    """
    # Rounded down: 99.9 % of it is not all.
    said = "holds it" if holds >= 1 else f"holds {math.floor(100 * holds)}% of it with its headroom"
    if best is not None and best["copies"] > layout["copies"]:
        said += " without a second copy"
    if room < 1:
        said += f", and has {math.floor(100 * room)}% of the space with what is to stay free"
    return f"today: {what(layout)}, {money(layout)} a month; it {said}{p99(layout)}{_until(layout)}"


def _until(layout: Layout) -> str:
    """That a p99 is of the time when burst credits are used up, and when that is; else nothing."""
    ends = [use["credits_last_s"] for use in layout["limits"] if use["credits_last_s"] is not None]
    if not ends or p99_ms(layout) is None:
        return ""
    return f" once burst credits are used up, after {lasting(min(ends))}"


def change(layout: Layout, best: Layout) -> str:
    """The change in cost and p99 from the current layout to the plan."""
    saved = best["usd_per_month"] - layout["usd_per_month"]
    word = "more" if saved >= 0 else "less"
    said = f"the plan costs {dollars(abs(saved))} a month {word}"
    before, after = p99_ms(layout), p99_ms(best)
    if before and after:
        said += f", and p99 goes from {ms(before)} to {ms(after)}"
    return said


def differences(before: Layout, best: Layout) -> Iterator[tuple[str, str, str]]:
    """What to change: instance, data or journal, from what, to what."""
    if before["copies"] != best["copies"]:
        yield "copies", f"{before['copies']}", f"{best['copies']}, in two zones"
    if before["instance"] != best["instance"]:
        yield "instance", instance(before), instance(best)
    for role, was, will in (
        ("data", before["data"], best["data"]),
        ("journal", before["journal"], best["journal"]),
    ):
        if was != will:
            yield role, _own(was), _own(will)


def _own(them: Volumes | None) -> str:
    return volumes(them) if them else "none of its own"


def money(layout: Layout) -> str:
    """What it costs in a month."""
    return dollars(layout["usd_per_month"])


def dollars(amount: float) -> str:
    """`$1,515.98`."""
    return f"${amount:,.2f}"


def size(of: int) -> str:
    """In the largest unit of which it is a whole number, `2,964GiB`, unless that is unwieldy."""
    for name, unit in _UNITS:
        if unit <= of < _UNWIELDY * unit and of % unit == 0:
            return f"{of // unit:,}{name}"
    for name, unit in _UNITS:
        if of >= unit:
            return f"{of / unit:,.1f}{name}"
    return f"{of}B"


def lasting(seconds: float) -> str:
    """A time in its largest unit, `1.5h`."""
    for name, unit in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= unit:
            return f"{seconds / unit:.3g}{name}"
    return f"{seconds:.3g}s"
