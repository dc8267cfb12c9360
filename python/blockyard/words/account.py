"""What an account's volumes live on, what is at a limit, and what would be better: in words."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from blockyard.text import limit_names
from blockyard.text.formatting import duration, latency, number, rate
from blockyard.text.table import Table
from blockyard.types.under_demand import LimitUnderDemand, UnderDemand
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


@dataclass(frozen=True)
class Balance:
    """A balance that CloudWatch saw, in percent: the lowest, and when that began."""

    of: str
    metric: str
    lowest: float
    at: int


@dataclass(frozen=True)
class Check:
    """How often CloudWatch saw a limit exceeded."""

    of: str
    metric: str
    intervals: int


@dataclass(frozen=True)
class Slow:
    """The longest mean latency of an interval, in microseconds, and when that began."""

    of: str
    op: str
    us: float
    at: int


@dataclass(frozen=True)
class Queue:
    """The longest mean queue of an interval, and when that began."""

    of: str
    depth: float
    at: int


@dataclass(frozen=True)
class Change:
    """A volume that is there, and what would be in its place, each in words and dollars."""

    device: str
    before: str
    after: str
    before_usd: float
    after_usd: float
    # What it mends; empty where it only saves.
    mends: str


@dataclass(frozen=True)
class Finding:
    """What was found out about an instance or a database with its volumes."""

    name: str
    id: str
    # The instance type or the class of the database; empty where it is not known.
    kind: str
    devices: Sequence[str]
    volumes: int
    # When the load begins, in seconds since 1970.
    start: int
    # What limits would do to the load; None where CloudWatch's figures say nothing of it.
    under: UnderDemand | None
    scenario: str
    balances: Sequence[Balance] = ()
    checks: Sequence[Check] = ()
    slow: Sequence[Slow] = ()
    queues: Sequence[Queue] = ()
    # Dollars a month; None where a price is not known, or it is not charged as EBS is.
    today_usd: float | None = None
    next_usd: float | None = None
    changes: Sequence[Change] = ()
    # The scenario with all changes; None without any.
    next_scenario: str | None = None
    # What else is to be known, such as why there are no prices.
    notes: Sequence[str] = field(default_factory=list)

    @property
    def saving(self) -> float | None:
        """Dollars a month that the changes save; negative if they cost."""
        if self.today_usd is None or self.next_usd is None:
            return None
        return self.today_usd - self.next_usd


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
    said = [*_dry(found), *_at_limit(found)][:1] or ["no credits end, and no limit is reached"]
    if found.under is None:
        said = ["its load is not known"]
    if found.changes and found.saving is not None:
        kinds = sorted({one.after.split()[0] for one in found.changes})
        devices = listed([one.device for one in found.changes])
        said.append(f"{listed(kinds)} for {devices} {_saves(found.saving)}")
    return "; ".join(said)


def lives_on(found: Finding) -> Iterator[str]:
    """What its volumes and its instance live on, beside the balances that CloudWatch saw."""
    if found.under is None:
        yield "no load is known: save CloudWatch's figures too"
        return
    own = [limit for limit in found.under["limits"] if limit["credits"] is not None]
    if not own:
        yield "nothing lives on burst credits: what is bought is there all day"
    yield from _dry(found)
    full = []
    for limit in own:
        left = limit["credits"]
        if left is None or left["dry_s"] is not None:
            continue
        name = limit_names.in_words(limit["limit"])
        if left["lowest_pct"] >= _FULL:
            full.append(f"{name} of {_value(limit, limit['value'])}")
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


def _dry(found: Finding) -> Iterator[str]:
    if found.under is None:
        return
    for limit in found.under["limits"]:
        left = limit["credits"]
        if left is not None and left["dry_s"] is not None:
            at = when(found.start + left["dry_s"])
            times = f"{left['dry']:,} of {found.under['intervals']:,} intervals"
            yield (
                f"{limit_names.owner(limit['limit'])} runs dry at {at}: its credits are used up "
                f"in {times}, and {_value(limit, limit['value'])} remain"
            )


def _at_limit(found: Finding) -> Iterator[str]:
    if found.under is None:
        return
    for limit in found.under["limits"]:
        if limit["credits"] is None and limit["reached"]:
            name = limit_names.in_words(limit["limit"])
            times = counted(limit["reached"], "interval")
            yield f"{name} is at its limit of {_value(limit, limit['value'])} in {times}"


def limits(found: Finding) -> Table | None:
    """The limits that are used most in their busiest interval."""
    if found.under is None:
        return None
    lasting = [limit for limit in found.under["limits"] if limit["credits"] is None]
    used = sorted(lasting, key=lambda limit: -limit["busiest"] / limit["value"])
    rows = [
        [
            limit_names.in_words(limit["limit"]),
            _value(limit, limit["busiest"]),
            _value(limit, limit["value"]),
            f"{limit['busiest'] / limit['value']:.0%}",
            f"{limit['reached']:,}" if limit["reached"] else "",
            f"{_moment(found.start + limit['busiest_s']):%a %d %H:%M}",
        ]
        for limit in used[:_ROWS]
    ]
    columns = ["", "busiest", "of", "used", "at it", "when"]
    return (
        Table("The busiest interval of each limit, and how many are at it", columns, rows)
        if rows
        else None
    )


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


def fleet(found: Sequence[Finding]) -> Table:
    """A row for each instance and database."""
    columns = ["", "volumes", "lives on, and at a limit", "then", "today", "saving"]
    rows = [
        [
            one.name,
            str(one.volumes),
            next(iter([*_dry(one), *_at_limit(one)]), "" if one.under else "no load known"),
            listed([f"{change.device}: {change.after}" for change in one.changes])
            if one.changes
            else "",
            "" if one.today_usd is None else f"{one.today_usd:,.2f}",
            "" if one.saving is None else f"{one.saving:,.2f}",
        ]
        for one in found
    ]
    return Table("Dollars a month, the largest saving first", columns, rows).without_empty()


def total(found: Sequence[Finding], failed: int) -> str:
    """What all of them cost, and save."""
    said = f"{len(found):,} of {len(found) + failed:,} hosts and databases judged"
    priced = [one.today_usd for one in found if one.today_usd is not None]
    if priced:
        saved = sum(one.saving for one in found if one.saving is not None)
        said += f", ${sum(priced):,.2f} a month today; the changes of all {_save(saved)}"
    dry = sum(bool(list(_dry(one))) for one in found)
    return f"{said}; {dry:,} of them run dry" if dry else said


def _save(usd: float) -> str:
    return f"save ${usd:,.2f}" if usd >= 0 else f"cost ${-usd:,.2f} more"


def _value(limit: LimitUnderDemand, per_s: float) -> str:
    if limit["limit"]["counts"] == "ios":
        return f"{rate(per_s)} IOPS"
    return f"{rate(per_s / _MIB)} MiB/s"


def when(second: int) -> str:
    """A moment in UTC: `Mon 2026-11-16 03:12 UTC`."""
    return f"{_moment(second):%a %Y-%m-%d %H:%M} UTC"


def _moment(second: int) -> datetime:
    return datetime.fromtimestamp(second, UTC)
