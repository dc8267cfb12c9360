"""Tables of what was delivered: latencies, ranges over seeds, load steps."""

from collections.abc import Callable, Collection, Iterator, Sequence

from blockyard.runs.run import Run
from blockyard.runs.steps import load_of, loaded
from blockyard.text import provenance
from blockyard.text.formatting import latency, number, rate
from blockyard.text.limit_names import in_words
from blockyard.text.table import Table
from blockyard.types.result import LatencyUs, Range, Step, Total, TotalRange
from blockyard.words.mean_latency import mean_us
from blockyard.words.phrases import joined

# What a row is of.
_SERIES = ("job", "operation", "device")
_RATES = ("IOPS", "MiB/s")


def tables(run: Run) -> Iterator[Table]:
    """The tables of a run, without those that would be empty."""
    totals = [total for total in run.result["totals"] if _tells(total)]
    if not totals:
        return
    columns = [*_SERIES, *_RATES, "mean", "p50", "p95", "p99", "p99.9", "max"]
    marked = provenance.marked(run.result)
    rows = [[*_of(total, marked), *_rates(total), *_latencies(run, total)] for total in totals]
    caption = "The run without its warm-up" if run.warmup_s else "The whole run"
    yield Table(caption, columns, rows, words=3).without_empty()
    yield from _seeds(run)
    yield from _steps(run, totals)


def _tells(total: Total) -> bool:
    """Whether there is anything to tell: flushes may have had nothing to wait for."""
    us = total["latency_us"]
    return total["ios"] > 0 and not (us and us["max"] == 0)


def _of(total: Total | TotalRange, marked: Collection[tuple[str, str]] = frozenset()) -> list[str]:
    """What a row is of, with a mark where figures depend on an assumption."""
    mark = f" {provenance.MARK}" if (total["device"], total["op"]) in marked else ""
    return [total["job"], f"{total['op']}{mark}", total["device"]]


def _rates(total: Total) -> list[str]:
    mib_per_s = total["mib_per_s"]
    moved = f"{mib_per_s:,.1f}" if mib_per_s >= 1 else number(mib_per_s)
    return [rate(total["iops"]), moved if total["bytes"] else ""]


def _latencies(run: Run, total: Total) -> list[str]:
    us = total["latency_us"]
    if us is None:
        mean = mean_us(run.intervals, total)
        return ["" if mean is None else latency(mean), "", "", "", "", ""]
    figures = (us["mean"], us["p50"], us["p95"], us["p99"], us["p99_9"], us["max"])
    return [latency(figure) for figure in figures]


def _seeds(run: Run) -> Iterator[Table]:
    """Ranges over the seeds."""
    by_seed = run.result.get("by_seed")
    if by_seed is None:
        return
    first = run.result["seed"]
    rows = []
    for one in by_seed["totals"]:
        us = one["latency_us"]
        if us is None or us["mean"]["max"] > 0:
            ranges = [between(us[figure], latency) for figure in ("mean", "p99")] if us else []
            rows.append([*_of(one), between(one["iops"], rate), *(ranges or ["", ""])])
    if rows:
        caption = f"Min and max of seeds {first} to {first + by_seed['seeds'] - 1}"
        columns = [*_SERIES, "IOPS", "mean", "p99"]
        yield Table(caption, columns, rows, words=3).without_empty()


def between(figure: Range, written: Callable[[float], str]) -> str:
    """`1.10 to 1.41 ms`, `0.90 ms to 1.10 s`; of what is written alike, once."""
    return joined([written(figure["min"]), written(figure["max"])])


def _steps(run: Run, totals: Sequence[Total]) -> Iterator[Table]:
    """A row for each load step of a job, device and operation that has several."""
    rows = []
    for total in totals:
        steps = [step for step in run.result["steps"] if _of(step) == _of(total)]
        if len(steps) > 1:
            rows += [_step(run, step) for step in steps if loaded(step)]
    if rows:
        columns = [*_SERIES, "load", *_RATES, "mean", "p99", "throttled by"]
        yield Table("Load steps", columns, rows, words=4).without_empty()


def _step(run: Run, step: Step) -> list[str]:
    us: LatencyUs | None = step["latency_us"]
    figures = [latency(us["mean"]), latency(us["p99"])] if us else ["", ""]
    return [*_of(step), load_of(step), *_rates(step), *figures, _held(run, step)]


def _held(run: Run, step: Step) -> str:
    """The limits whose waits were felt in a step; empty where that is not known."""
    modelled = run.facts and run.facts["modelled"]
    felt = [
        (in_words(waits["limit"]), waits["felt_in"])
        for waits in (modelled["waits"] if modelled else [])
        if waits["felt_in"] is not None
    ]
    if not felt:
        return ""
    return ", ".join(name for name, steps in felt if step["step"] in steps) or "nothing"
