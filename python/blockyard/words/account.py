"""What an account's volumes live on, what is at a limit, and what would be better."""

import math
from collections.abc import Iterator
from datetime import UTC, datetime

from blockyard.text import limit_names
from blockyard.text.formatting import duration, latency, number, rate
from blockyard.text.table import Table
from blockyard.types.under_demand import LimitUnderDemand
from blockyard.words.account_finding import Balance, Finding
from blockyard.words.phrases import counted, listed

CAVEAT = (
    "Means of an interval are what was asked, and bound what limits do: peaks within it are "
    "higher, and no percentile of a latency follows from them."
)

_MIB = 1 << 20

# How many limits have a row: those that are used most in their busiest interval.
_ROWS = 8

# Credits of which never less was left, in percent, stay full.
_FULL = 99.5


def headline(found: Finding) -> str:
    """What was looked at."""
    kind = f", {found.kind}" if found.kind else ""
    said = f"{found.name} ({found.id}{kind}): {counted(found.volumes, 'volume')}"
    if found.under is None:
        return f"{said}; no figures of CloudWatch of its load"
    length = found.under["interval_s"] * found.under["intervals"]
    each = duration(found.under["interval_s"])
    return f"{said}, {duration(length)} in steps of {each} from {when(found.start)}"


def first(found: Finding) -> str:
    """The news: what runs dry or is at a limit, and what a change saves."""
    said = [*dry(found), *_at_limit(found)][:1] or ["no credits end, and no limit is reached"]
    if found.under is None:
        said = ["its load is not known"]
    if found.changes and found.saving is not None:
        said.append(f"{kinds(found)} {_saves(found.saving)}")
    return "; ".join(said)


def lives_on(found: Finding) -> Iterator[str]:
    """What its volumes and its instance live on, beside the balances that CloudWatch saw."""
    if found.under is None:
        yield "no load is known: save CloudWatch's figures too"
        return
    own = [limit for limit in found.under["limits"] if limit["credits"] is not None]
    if not own:
        yield "nothing lives on burst credits: what is bought is there all day"
    yield from dry(found)
    full = []
    for limit in own:
        left = limit["credits"]
        if left is None or left["dry_s"] is not None:
            continue
        name = limit_names.in_words(limit["limit"])
        if left["lowest_pct"] >= _FULL:
            full.append(f"{name} of {value_of(limit, limit['value'])}")
        else:
            at = when(found.start + left["lowest_s"])
            yield f"{name}: credits last; the lowest is {left['lowest_pct']:g}% at {at}"
    if full:
        carry = "carries" if len(full) == 1 else "carry"
        yield f"{listed(full)} {carry} the load: credits stay full"
    for seen in found.balances:
        yield f"CloudWatch: {seen.metric} of {seen.of} was lowest at {when(seen.at)}: {_pct(seen)}"


def _pct(seen: Balance) -> str:
    return f"{math.floor(10 * seen.lowest) / 10:g}%"


def dry(found: Finding) -> Iterator[str]:
    """What runs out of credits, and when."""
    if found.under is None:
        return
    for limit in found.under["limits"]:
        left = limit["credits"]
        if left is not None and left["dry_s"] is not None:
            at = when(found.start + left["dry_s"])
            times = f"{left['dry']:,} of {found.under['intervals']:,} intervals"
            yield (
                f"{limit_names.owner(limit['limit'])} runs dry at {at}: its credits are used up "
                f"in {times}, and {value_of(limit, limit['value'])} remain"
            )


def _at_limit(found: Finding) -> Iterator[str]:
    if found.under is None:
        return
    for limit in found.under["limits"]:
        if limit["credits"] is None and limit["reached"]:
            name = limit_names.in_words(limit["limit"])
            times = counted(limit["reached"], "interval")
            yield f"{name} is at its limit of {value_of(limit, limit['value'])} in {times}"


def limits(found: Finding) -> Table | None:
    """The limits that are used most in their busiest interval."""
    if found.under is None:
        return None
    lasting = [limit for limit in found.under["limits"] if limit["credits"] is None]
    used = sorted(lasting, key=lambda limit: -limit["busiest"] / limit["value"])
    rows = [
        [
            limit_names.in_words(limit["limit"]),
            value_of(limit, limit["busiest"]),
            value_of(limit, limit["value"]),
            f"{limit['busiest'] / limit['value']:.0%}",
            f"{limit['reached']:,}" if limit["reached"] else "",
            f"{moment(found.start + limit['busiest_s']):%a %d %H:%M}",
        ]
        for limit in used[:_ROWS]
    ]
    columns = ["", "busiest", "of", "used", "at it", "when"]
    caption = "The busiest interval of each limit"
    return Table(caption, columns, rows).without_empty() if rows else None


def exceeded(found: Finding) -> Iterator[str]:
    """What is at a limit, by the model and by CloudWatch."""
    yield from _at_limit(found)
    for check in found.checks:
        times = counted(check.intervals, "interval")
        yield f"CloudWatch: {check.metric} of {check.of} says so in {times}"
    for slow in found.slow:
        at = when(slow.at)
        yield f"CloudWatch: {slow.of}: {slow.op} took {latency(slow.us)} in the mean at {at}"
    for queue in found.queues:
        said = f"a queue of {number(queue.depth)} in the mean"
        yield f"CloudWatch: {queue.of}: {said} at {when(queue.at)}"


def better(found: Finding) -> Iterator[str]:
    """What would be cheaper or better, in dollars a month."""
    for change in found.changes:
        mends = f", and {change.mends}" if change.mends else ""
        saved = change.before_usd - change.after_usd
        yield f"{change.device}: {change.after} for {change.before} {_saves(saved)}{mends}"
    if not found.changes and found.today_usd is not None and found.under is not None:
        yield "no volume of another type or size does the same for less"
    if found.today_usd is not None:
        after = "" if found.next_usd is None else f", then ${found.next_usd:,.2f}"
        yield f"instance and volumes cost ${found.today_usd:,.2f} a month today{after}"
    yield from found.notes


def _saves(usd: float) -> str:
    if abs(usd) < 0.005:
        return "costs the same"
    return f"saves ${usd:,.2f} a month" if usd > 0 else f"costs ${-usd:,.2f} a month more"


def value_of(limit: LimitUnderDemand, per_s: float) -> str:
    """A rate that a limit counts, with its unit."""
    if limit["limit"]["counts"] == "ios":
        return f"{rate(per_s)} IOPS"
    return f"{rate(per_s / _MIB)} MiB/s"


def when(second: int) -> str:
    """A moment in UTC: `Mon 2026-11-16 03:12 UTC`."""
    return f"{moment(second):%a %Y-%m-%d %H:%M} UTC"


def moment(second: int) -> datetime:
    """A moment in UTC."""
    return datetime.fromtimestamp(second, UTC)


def kinds(found: Finding) -> str:
    """The types of the changes: `gp3 for data and log`."""
    types = sorted({one.after.split()[0] for one in found.changes})
    devices = [one.device for one in found.changes]
    return f"{listed(types)} for {listed(devices)}" if types else ""
