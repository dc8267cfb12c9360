"""Limits under a load that was measured: which end their credits, which are reached, and when."""

from collections.abc import Iterator
from datetime import UTC, datetime

from blockyard.text import limit_names
from blockyard.text.formatting import rate
from blockyard.text.table import Table
from blockyard.types.under_demand import LimitUnderDemand, UnderDemand
from blockyard.words.phrases import counted

_MIB = 1 << 20

# How many limits have a row: those that are used most in their busiest interval.
_ROWS = 8


def dry(under: UnderDemand, start: int) -> Iterator[str]:
    """What runs out of credits, and when; the load begins at `start`, in seconds since 1970."""
    for limit in under["limits"]:
        left = limit["credits"]
        if left is not None and left["dry_s"] is not None:
            at = when(start + left["dry_s"])
            times = f"{left['dry']:,} of {under['intervals']:,} intervals"
            yield (
                f"{limit_names.owner(limit['limit'])} runs dry at {at}: its credits are used up "
                f"in {times}, and {value_of(limit, limit['value'])} remain"
            )


def at_limit(under: UnderDemand) -> Iterator[str]:
    """What reaches a limit that is there all day."""
    for limit in under["limits"]:
        if limit["credits"] is None and limit["reached"]:
            name = limit_names.in_words(limit["limit"])
            times = counted(limit["reached"], "interval")
            yield f"{name} is at its limit of {value_of(limit, limit['value'])} in {times}"


def throttling(under: UnderDemand) -> list[LimitUnderDemand]:
    """The limits that hold the load back: those without credits left, and those reached."""
    return [limit for limit in under["limits"] if is_throttling(limit)]


def is_throttling(limit: LimitUnderDemand) -> bool:
    """Whether it holds the load back at any time."""
    left = limit["credits"]
    return limit["reached"] > 0 if left is None else left["dry_s"] is not None


def limits(under: UnderDemand, start: int) -> Table | None:
    """The limits that are used most in their busiest interval."""
    lasting = [limit for limit in under["limits"] if limit["credits"] is None]
    used = sorted(lasting, key=lambda limit: -limit["busiest"] / limit["value"])
    rows = [
        [
            limit_names.in_words(limit["limit"]),
            value_of(limit, limit["busiest"]),
            value_of(limit, limit["value"]),
            f"{limit['busiest'] / limit['value']:.0%}",
            f"{limit['reached']:,}" if limit["reached"] else "",
            f"{moment(start + limit['busiest_s']):%a %d %H:%M}",
        ]
        for limit in used[:_ROWS]
    ]
    columns = ["", "busiest", "of", "used", "at it", "when"]
    caption = "The busiest interval of each limit"
    return Table(caption, columns, rows).without_empty() if rows else None


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
