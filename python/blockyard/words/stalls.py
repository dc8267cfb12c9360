"""Stalls that the percentiles of a run hide, as few IOs complete in them."""

from collections.abc import Iterator

from blockyard.text.formatting import clock, latency, quantity, share
from blockyard.types.result import Result, TimeAbove, Total, WorstSecond

# In a stall p99 is this many times the run's.
_TIMES = 3.0

# What is above the run's p99 is this many times as long.
_ABOVE = 2.0

# A second with fewer IOs says no more than that one of them was slow.
_FEW_IOS = 10


def stalls(result: Result) -> Iterator[str]:
    """For each total whose p99 hides its worst second, what that was, without a full stop."""
    for total in result["totals"]:
        worst = hidden(total)
        if worst is not None:
            yield f"{_name(result, total)}: {_worst(worst)}{_for_how_long(total)}"


def hidden(total: Total) -> WorstSecond | None:
    """The worst second, if the figures of the whole run do not show it.

    Its IOs took longer in the mean than 99 in 100 of all IOs.
    """
    us, worst = total["latency_us"], total.get("worst_second")
    if not us or not worst or 0 < worst["iops"] < _FEW_IOS:
        return None
    second = worst["latency_us"]
    shown = second["p99"] < _TIMES * us["p99"] or second["mean"] < us["p99"]
    return None if shown or not us["p99"] else worst


def _name(result: Result, total: Total) -> str:
    devices = {one["device"] for one in result["totals"] if one["job"] == total["job"]}
    name = f"{total['job']} {total['op']}"
    return f"{name} {total['device']}" if len(devices) > 1 else name


def _worst(worst: WorstSecond) -> str:
    at, p99 = clock(worst["t_s"]), latency(worst["latency_us"]["p99"])
    if not worst["iops"]:
        return f"worst second without any completion, at {at}; those in flight then took {p99}"
    return f"worst second p99 {p99}, at {at}"


def _for_how_long(total: Total) -> str:
    us = total["latency_us"]
    ladder = total.get("time_above", [])
    above: TimeAbove | None = next(
        (one for one in ladder if us and one["us"] >= _ABOVE * us["p99"]), None
    )
    if above is None:
        return ""
    value = quantity(above["us"] / 1e3, "ms")
    return f"; above {value} for {share(above['share'])} of the time"
