"""A run in four figures: what it delivered, its p99, its bottleneck, its price."""

from collections.abc import Iterator
from dataclasses import dataclass

from blockyard._core import ScenarioError
from blockyard.runs.run import Run
from blockyard.text.formatting import duration, latency, number, rate
from blockyard.text.limit_names import in_words, possessive
from blockyard.types.facts import Facts
from blockyard.types.result import Event, Result
from blockyard.words.balances import running_out
from blockyard.words.job_bottleneck import limited_by, throttled_by
from blockyard.words.outcome import Outcome
from blockyard.words.phrases import counted, listed, share
from blockyard.words.transaction_bottleneck import in_short
from blockyard.words.transactions import stops


@dataclass(frozen=True)
class Tile:
    """A figure, what it is, and a few words on it."""

    label: str
    value: str
    note: str


def tiles(run: Run) -> list[Tile]:
    """The figures that are known, of four: real storage shows no limits, and has no bill."""
    return [*_delivered(run.result), *_p99(run.result), *_bottleneck(run), *_price(run)]


def _delivered(result: Result) -> Iterator[Tile]:
    engines = result.get("transactions", [])
    failed = sum(total["errors"] for total in result["totals"])
    after = f"; {counted(failed, 'IO')} failed" if failed else ""
    if engines:
        tps = sum(total["tps"] for total in engines)
        jobs = listed([total["job"] for total in engines])
        yield Tile("Delivered", f"{rate(tps)} TPS", jobs + after)
        return
    moved = Outcome.of(result["totals"])
    if moved.totals or failed:
        bytes_too = f"{number(moved.mib_per_s)} MiB/s"
        yield Tile("Delivered", f"{rate(moved.iops)} IOPS", bytes_too + after)


def _p99(result: Result) -> Iterator[Tile]:
    """The largest p99; of an engine that of its transactions, which wait for its IO."""
    engines = result.get("transactions", [])
    names = [total["job"] for total in engines]
    found = [
        (us["p99"], f"{total['job']}, transactions")
        for total in engines
        if (us := total.get("latency_us"))
    ]
    found += [
        (us["p99"], f"{total['job']}, {total['op']}")
        for total in Outcome.of(result["totals"]).totals
        if total["job"] not in names and (us := total["latency_us"])
    ]
    if found:
        worst, whose = max(found)
        yield Tile("p99" if len(found) == 1 else "Largest p99", latency(worst), whose)


def _bottleneck(run: Run) -> Iterator[Tile]:
    """That of the job that waits most for its own."""
    facts = run.facts
    if facts is None or facts["modelled"] is None or not Outcome.of(run.result["totals"]).totals:
        return
    if failed := _mostly_failed(run.result):
        yield failed
        return
    found = list(_bottlenecks(run.result, facts))
    if found:
        waited, what, job = max(found)
        yield Tile("Bottleneck", what, f"{share(waited)} of {possessive(job)} latency")
    else:
        yield Tile("Bottleneck", "none", _without(run.result, facts))


def _mostly_failed(result: Result) -> Tile | None:
    """Where more IOs failed than completed, no limit is the bottleneck."""
    failed, done = (sum(total[key] for total in result["totals"]) for key in ("errors", "ios"))
    if failed <= done:
        return None
    events = [event for event in result.get("events", []) if event.get("effect")]
    most = max(events, key=_failed_in, default=None)
    what = most["what"] if most and _failed_in(most) else "failed IO"
    return Tile("Bottleneck", what, f"{share(failed / (failed + done))} of IOs failed")


def _failed_in(event: Event) -> int:
    effect = event.get("effect")
    return effect["failed_ios"] if effect else 0


def _without(result: Result, facts: Facts) -> str:
    """Why a run has no bottleneck: it may not last, or nothing was left to be throttled."""
    for stop in stops(result):
        return stop
    balances = running_out(facts)
    if balances and (last_s := balances[0]["last_s"]):
        return f"for {duration(last_s)} more, on burst credits"
    return "no limit reached"


def _bottlenecks(result: Result, facts: Facts) -> Iterator[tuple[float, str, str]]:
    """The share of each job's time that its bottleneck takes, the bottleneck, and the job."""
    for load in facts["loads"]:
        job = load["job"]
        if load["load"]["kind"] == "transactions":
            if bound := in_short(result, facts, job):
                yield *bound, job
        elif held := throttled_by(facts, job):
            yield held["waited"], in_words(held["limits"][0]["limit"]), job
        elif other := limited_by(result, facts, job):
            yield other[2], other[0], job


def _price(run: Run) -> Iterator[Tile]:
    """A month of it; the page says elsewhere why there is no bill."""
    try:
        bill = run.bill
    except ScenarioError:
        return
    if bill and bill["lines"]:
        region = bill["region"] + (" (assumed)" if bill["region_from"] == "assumed" else "")
        yield Tile("Price", f"${bill['per_month']:,.2f}", f"a month in {region}")
