"""What another program saw, in a clause: it tells nothing of limits."""

from typing import Literal

import pyarrow as pa

from blockyard.text.formatting import latency, rate
from blockyard.types.result import Result, TransactionTotal
from blockyard.words.mean_latency import mean_us
from blockyard.words.outcome import Outcome

_BY = {
    "fio": ", measured by fio, which tells nothing of limits",
    "iostat": ", seen by iostat, which tells nothing of limits",
    "yaspe": ", from yaspe's database, which tells nothing of limits",
    "sar": ", seen by sar, which tells nothing of limits",
    "diskstats": ", from /proc/diskstats, which tells nothing of limits",
    "prometheus": ", seen by Prometheus, which tells nothing of limits",
    "systemperformance": ", from SystemPerformance, which tells nothing of limits",
    "pgbench": ", measured by pgbench, which tells nothing of storage",
    "sysbench": ", measured by sysbench, which tells nothing of storage",
}


def seen(result: Result, intervals: pa.Table | None) -> str:
    """What was done in all, and of several jobs or devices by the one with most in flight."""
    jobs = dict.fromkeys(total["job"] for total in result["totals"])
    key: Literal["job", "device"] = "job" if len(jobs) > 1 else "device"
    names = dict.fromkeys(total[key] for total in result["totals"])
    done = {
        name: Outcome.of(total for total in result["totals"] if total[key] == name)
        for name in names
    }
    whole = Outcome.of(result["totals"])
    by = _BY.get(result["mode"], "")
    if len(done) == 1:
        [name] = done
        of = f" of {next(iter(jobs))}" if result["mode"] == "fio" else ""
        return f"{rate(whole.iops)} IOPS{_each(whole, intervals)}{of} on {name}{by}"
    busiest = max(done, key=lambda name: done[name].iops * (_mean_us(done[name], intervals) or 1.0))
    own = f"{rate(done[busiest].iops)} IOPS{_each(done[busiest], intervals)}"
    return (
        f"{rate(whole.iops)} IOPS of {len(done)} {key}s{by}; the busiest is {busiest}, with {own}"
    )


def transactions_seen(result: Result) -> str:
    """How many transactions a second were done, of which a file tells no more."""
    by = _BY.get(result["mode"], "")
    done = [
        f"{rate(total['tps'])} transactions a second{_latency(total)}"
        for total in result.get("transactions", [])
    ]
    return f"{'; '.join(done)}{by}"


def _latency(total: TransactionTotal) -> str:
    figures = total.get("latency_us")
    return f" at {latency(figures['mean'])} (p99 {latency(figures['p99'])})" if figures else ""


def _each(outcome: Outcome, intervals: pa.Table | None) -> str:
    """The latency; by the means of intervals where nothing else is known."""
    mean = _mean_us(outcome, intervals)
    return outcome.latency() or ("" if mean is None else f" at {latency(mean)}")


def _mean_us(outcome: Outcome, intervals: pa.Table | None) -> float | None:
    if outcome.mean_us is not None or intervals is None:
        return outcome.mean_us
    means = [(total["ios"], mean_us(intervals, total)) for total in outcome.totals]
    known = [(ios, mean) for ios, mean in means if mean is not None]
    ios = sum(ios for ios, _ in known)
    return sum(ios * mean for ios, mean in known) / ios if ios else None
