"""What an account's volumes live on, what is at a limit, and what would be better."""

import math
from collections.abc import Iterator

from blockyard.text import limit_names
from blockyard.text.formatting import duration, latency, number
from blockyard.words.account_finding import Balance, Finding
from blockyard.words.phrases import counted, listed, throttled
from blockyard.words.under_load import at_limit, dry, throttling, value_of, when

CAVEAT = (
    "These are means of an interval: peaks within it are higher, and no percentile of a latency "
    "follows from them."
)

# A load of less says little of what comes.
_DAY = 86_400

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
    said = ["its load is not known"]
    if (under := found.under) is not None:
        troubles = [*dry(under, found.start), *at_limit(under)]
        said = troubles[:1] or [_untroubled(found)]
    if found.changes and found.saving is not None:
        said.append(f"{kinds(found)} {_saves(found.saving)}")
    return "; ".join(said)


def _untroubled(found: Finding) -> str:
    if found.unexplained:
        of, seen = next(iter(found.unexplained.items()))
        whose = limit_names.possessive(of)
        return f"CloudWatch saw {whose} {seen}, which these figures of the load do not explain"
    known = "of what is known of its load, " if found.unknown else ""
    return f"{known}no credits end, and no limit is reached"


def lives_on(found: Finding) -> Iterator[str]:
    """What its volumes and its instance live on, beside the balances that CloudWatch saw."""
    if found.under is None:
        yield "no load is known: no file has CloudWatch's figures of its volumes; --query asks"
        return
    own = [limit for limit in found.under["limits"] if limit["credits"] is not None]
    if not own:
        yield "nothing lives on burst credits: what is bought is there all day"
    yield from dry(found.under, found.start)
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


def exceeded(found: Finding) -> Iterator[str]:
    """What is at a limit, by the model and by CloudWatch."""
    if found.under is not None:
        yield from at_limit(found.under)
    for check in found.checks:
        times = counted(check.intervals, "interval")
        yield f"CloudWatch: {check.metric} of {check.of} says so in {times}"
    for slow in found.slow:
        at = when(slow.at)
        yield f"CloudWatch: {slow.of}: {slow.op} took {latency(slow.us)} in the mean at {at}"
    if found.drive_said:
        yield f"was it the drive? {found.drive_said}"
    for queue in found.queues:
        said = f"a queue of {number(queue.depth)} in the mean"
        yield f"CloudWatch: {queue.of}: {said} at {when(queue.at)}"


def better(found: Finding) -> Iterator[str]:
    """What would be cheaper or better, in dollars a month."""
    for change in found.changes:
        mends = f", and {change.mends}" if change.mends else ""
        saved = change.before_usd - change.after_usd
        yield f"{change.device}: {change.after} for {change.before} {_saves(saved)}{mends}"
    judged = found.today_usd is not None and found.under is not None
    if judged and not found.changes and not found.remarks:
        yield "no volume of another type or size does the same for less"
    if found.prices and found.today_usd is None:
        yield "nothing is proposed without prices"
    if found.today_usd is not None:
        after = "" if found.next_usd is None else f", then ${found.next_usd:,.2f}"
        what = "its volumes" if found.volumes_only else "instance and volumes"
        yield f"{what} cost ${found.today_usd:,.2f} a month today{after}"
    yield from _afterwards(found)
    yield from found.remarks


def _afterwards(found: Finding) -> Iterator[str]:
    """What the same load meets after the changes."""
    if (after := found.next_under) is None:
        return
    left = [*dry(after, found.start), *at_limit(after)]
    if not left:
        yield "on the same load nothing runs dry then, and no limit is reached"
    yield from (f"on the same load, after the changes, {one}" for one in left)
    if any(one["limit"]["host"] is not None for one in throttling(after)):
        yield "the instance is what limits then: `blockyard what-if` tries other types"


def else_to_know(found: Finding) -> Iterator[str]:
    """What the answers rest on, and what is not known."""
    held = throttling(found.under) if found.under else []
    if held:
        yield throttled(found.name, [limit_names.in_words(one["limit"]) for one in held])
    if found.under is not None:
        length = found.under["interval_s"] * found.under["intervals"]
        if length < _DAY:
            yield f"{duration(length)} have no night, and no busiest hour: give a week"
    if found.prices:
        yield found.prices
    yield from found.notes


def _saves(usd: float) -> str:
    if abs(usd) < 0.005:
        return "costs the same"
    return f"saves ${usd:,.2f} a month" if usd > 0 else f"costs ${-usd:,.2f} a month more"


def kinds(found: Finding) -> str:
    """The types of the changes: `gp3 for data and log`."""
    types = sorted({one.after.split()[0] for one in found.changes})
    devices = [one.device for one in found.changes]
    return f"{listed(types)} for {listed(devices)}" if types else ""
