"""What a run delivered."""

from collections.abc import Callable, Iterator

import pyarrow.compute as pc

from blockyard import grounds
from blockyard.formatting import duration, latency, number
from blockyard.report.cycles import duration_s, times_s
from blockyard.report.steps import load_of, loaded
from blockyard.report.words.phrases import counted
from blockyard.report.words.stalls import stalls
from blockyard.result import Range, Step, Total, TotalRange
from blockyard.run import Run

# A job whose best interval had this many times the mean works in bursts.
_BURST = 2.0


def delivered(run: Run) -> list[str]:
    """A sentence for each job, device and operation, one for its load steps, and for stalls."""
    moved = [total for total in run.result["totals"] if total["ios"] and total["bytes"]]
    sentences = []
    for total in moved:
        sentences.append(_whole(run, total))
        steps = [step for step in run.result["steps"] if _same(step, total)]
        if len(steps) > 1:
            sentences.append(f"By load: {'; '.join(map(_step, filter(loaded, steps)))}.")
    stood = [f"{line[:1].upper()}{line[1:]}." for line in grounds.known(run.result)]
    hidden = [f"{stall}." for stall in stalls(run.result)]
    return [*sentences, *hidden, *stood, *_open_loops(run), *_cycles(run)]


def _whole(run: Run, total: Total) -> str:
    done = (
        f"{total['job']}: {number(total['iops'])} {total['op']}s a second "
        f"({number(total['mib_per_s'])} MiB/s) on {total['device']}"
    )
    if total["peak_iops"] > _BURST * total["iops"]:
        done += f", in bursts of up to {number(total['peak_iops'])} a second"
    measured = f"{_latency(total) or _mean_latency(run, total)}{_over_seeds(run, total)}"
    return f"{done}{measured}{grounds.beside(run.result, total)}."


def _over_seeds(run: Run, total: Total) -> str:
    """Between what IOs a second and p99 lie with other seeds."""
    by_seed = run.result.get("by_seed")
    for one in by_seed["totals"] if by_seed else []:
        if by_seed and _same(one, total):
            iops, us = one["iops"], one["latency_us"]
            tail = f", p99 {_between(us['p99'], latency)}" if us else ""
            return f"; over {by_seed['seeds']} seeds {_between(iops, number)} a second{tail}"
    return ""


def _between(figure: Range, written: Callable[[float], str]) -> str:
    """`1.10 ms to 1.41 ms`; of what is written alike, once."""
    return " to ".join(dict.fromkeys([written(figure["least"]), written(figure["most"])]))


def _step(step: Step) -> str:
    return f"{load_of(step)}, {number(step['iops'])} a second{_latency(step)}"


def _latency(total: Total) -> str:
    us = total["latency_us"]
    if us is None:
        return ""
    return f", p50 {latency(us['p50'])}, p99 {latency(us['p99'])}"


def _mean_latency(run: Run, total: Total) -> str:
    """What is known where only the means of intervals are, as of iostat's output."""
    rows = run.intervals.filter(
        (pc.field("job") == total["job"])
        & (pc.field("device") == total["device"])
        & (pc.field("op") == total["op"])
        & pc.field("latency_mean_us").is_valid()
    )
    ios = pc.sum(rows["ios"]).as_py()
    if not ios:
        return ""
    mean_us = pc.sum(pc.multiply(rows["ios"], rows["latency_mean_us"])).as_py() / ios
    return f", {latency(mean_us)} each in the mean"


def _same(step: Step | TotalRange, total: Total) -> bool:
    return all(step[key] == total[key] for key in ("job", "device", "op"))


def _open_loops(run: Run) -> Iterator[str]:
    for loop in run.result["open_loop"]:
        lag = loop["lag_us"]
        late = ""
        if lag and lag["p99"]:
            late = f"; 1% were issued more than {latency(lag['p99'])} after they were due"
        yield (
            f"{loop['job']}: {loop['served']:,} of {loop['offered']:,} IOs that were due are "
            f"done{late}."
        )


def _cycles(run: Run) -> Iterator[str]:
    times = times_s(run)
    for job in dict.fromkeys(cycle["job"] for cycle in run.result["cycles"]):
        durations = [duration_s(cycle) for cycle in run.result["cycles"] if cycle["job"] == job]
        due = f", with {duration(times[job][0])} from one to the next" if job in times else ""
        yield (
            f"{job}: {counted(len(durations), 'write-daemon cycle')}; the longest took "
            f"{duration(max(durations))}{due}."
        )
