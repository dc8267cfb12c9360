"""Stalls that the percentiles of a run hide, as few IOs complete in them."""

from blockyard.types.result import Total, WorstSecond

# In a stall p99 is this many times the run's.
_TIMES = 3.0

# A second with fewer IOs says no more than that one of them was slow.
_FEW_IOS = 10


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
