"""What a run delivered."""

from collections.abc import Iterator

from blockyard.runs.cycles import duration_s, times_s
from blockyard.runs.run import Run
from blockyard.runs.steps import steps_of
from blockyard.text import provenance
from blockyard.text.formatting import duration, latency, number, sentence
from blockyard.text.table import Table
from blockyard.words.amounts import done
from blockyard.words.phrases import counted
from blockyard.words.stalls import stalls
from blockyard.words.tables import tables

# A job whose best interval had this many times the mean works in bursts.
_BURST = 2.0


def delivered(run: Run) -> list[str | Table]:
    """Tables of figures, and sentences on amounts, bursts, open loops and cycles."""
    rests_on = list(map(sentence, provenance.legend(run.result)))
    hidden = [f"{stall}." for stall in stalls(run.result)]
    ended = [f"{one}." for one in done(run.result)]
    said = [*ended, *hidden, *_bursts(run), *_open_loops(run), *_cycles(run)]
    return [*tables(run), *rests_on, *said]


def _bursts(run: Run) -> Iterator[str]:
    stepped = steps_of(run)
    for total in run.result["totals"]:
        # What rests in between is told by its load steps.
        if total["job"] in stepped:
            continue
        if total["bytes"] and total["peak_iops"] > _BURST * total["iops"]:
            yield (
                f"{total['job']}: {total['op']}s on {total['device']} came in bursts of up to "
                f"{number(total['peak_iops'])} a second."
            )


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
