"""Advice on what would make a run faster and what would not, as trials show."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

from blockyard.runs.run import Run
from blockyard.runs.trials import FACTOR, Trials
from blockyard.text.formatting import latency, number
from blockyard.text.limit_names import in_words, possessive
from blockyard.types.facts import (
    ClosedLoop,
    Facts,
    InIos,
    JobHeld,
    LimitWaits,
    Modelled,
    Next,
    Raising,
)
from blockyard.types.findings import Moved
from blockyard.words.network import of_link, own_latency
from blockyard.words.phrases import amount, counted, listed, share
from blockyard.words.shortfall import needed

# At most this many figures of a trial are told, those with most IOs first.
_MOST_TOLD = 4

_PLURALS = {"flush": "flushes"}


def advice(run: Run) -> list[str]:
    """Sentences on the limits of modelled storage; none where limits are not known."""
    modelled = run.facts and run.facts["modelled"]
    if run.facts is None or not modelled:
        return []
    trials = run.trials
    said = [
        *needed(run.facts),
        *_raising(run.facts, modelled, trials),
        *_network(modelled, trials),
        *_takers(modelled, trials),
        *(said for loop in modelled["closed_loops"] for said in _loop(run, loop)),
        *_idle(run, run.facts, modelled),
    ]
    return [*said, trials.note] if said and trials.note else said


def _raising(facts: Facts, modelled: Modelled, trials: Trials) -> Iterator[str]:
    """The effect of raising the limits with most of the waiting."""
    for waits in modelled["waits"]:
        if waits["raising"]:
            moved = trials.raising(waits["limit"])
            if moved is None:
                yield _raised(waits, waits["raising"])
            else:
                beyond = trials.next(facts, waits["limit"], waits["raising"])
                lasts = waits["raising"]["lasts"]
                yield f"{_raise_tried(waits, moved, beyond)}{_lasting(lasts)}."


def _network(modelled: Modelled, trials: Trials) -> Iterator[str]:
    """The effect of more of a link, or of a mirror that asks less of it."""
    for hold, moved in trials.links:
        yield _tried(f"Raising {of_link(hold)} by a half", moved)
    for other, moved in trials.mirrors:
        device = other["device"]
        done = f"Reading {device} from its local leg alone"
        if "acknowledge" in other:
            done = f"Protocol B (semi-synchronous) in place of C (synchronous) for {device}"
        yield _tried(done, moved)
    if not trials.links:
        for hold in modelled["links"]:
            if hold["cause"] not in ("down", "loss"):
                yield f"Raising {of_link(hold)} would help {listed([*map(_job, hold['jobs'])])}."


def _tried(done: str, moved: Sequence[Moved]) -> str:
    return f"{done} was tried: {_told(moved)}." if moved else f"{done} was tried: no effect."


def _job(held: JobHeld) -> str:
    return held["job"]


def _raise_tried(waits: LimitWaits, moved: Sequence[Moved], beyond: Next) -> str:
    """The effect of raising a limit, and the limit `beyond` it."""
    done = f"Raising {in_words(waits['limit'])}{_by_a_half(waits)}{_elsewhere(waits)} was tried"
    if not moved:
        why = f"; {_as_soon(beyond)}" if beyond["kind"] == "at_once" else ""
        return f"{done}: no effect{why}"
    found = f"{done}: {_told(moved)}"
    match beyond["kind"]:
        case "up_to":
            return f"{found}. The next limit is {_reached(beyond)}"
        case "at_once":
            return f"{found}; {_as_soon(beyond)}"
    return found


def _as_soon(beyond: InIos) -> str:
    """A limit that is reached already."""
    if beyond["limit"]["credits"]:
        return f"sustained: {_reached(beyond)}"
    return f"{_reached(beyond)} is reached at the same point"


def _lasting(lasts: InIos | None) -> str:
    """What is left once a burst balance has ended, if that is less than what comes next."""
    return f"; sustained, without a burst balance: {_reached(lasts)}" if lasts else ""


def _elsewhere(waits: LimitWaits) -> str:
    return "" if waits["limit"]["device"] else ", by another instance,"


def _by_a_half(waits: LimitWaits) -> str:
    """From which value to which: ` from 3,000 to 4,500`, ` from 125 to 188 MiB/s`."""
    if waits["value"] is None:
        return ""
    value, unit = waits["value"]
    said = "" if unit == "IOPS" else f" {unit}"
    return f" from {number(value)} to {number(FACTOR * value)}{said}"


def _told(moved: Sequence[Moved]) -> str:
    """What moved: `readers' p99 33.0 ms to 1.20 ms, 3,000 to 4,500 reads a second`."""
    names = Counter((one["before"]["job"], str(one["before"]["op"])) for one in moved)
    told = []
    for one in moved[:_MOST_TOLD]:
        job, op, device = (one["before"][key] for key in ("job", "op", "device"))
        where = f" on {device}" if names[job, op] > 1 else ""
        told.append(f"{possessive(job)} {', '.join(_figures(one))}{where}")
    return "; ".join(told)


def _figures(moved: Moved) -> Iterator[str]:
    """The tail of the latency if it moved, else its mean, and the rate."""
    before, after = moved["before"], moved["after"]
    ops = _PLURALS.get(before["op"], f"{before['op']}s")
    figure: Literal["p99", "mean"] = "p99" if moved["p99"] else "mean"
    if moved[figure] and before["latency_us"] and after["latency_us"]:
        of = "" if moved["rate"] else f" of {ops}"
        was, is_now = before["latency_us"][figure], after["latency_us"][figure]
        yield f"{figure}{of} {latency(was)} to {latency(is_now)}"
    if moved["rate"]:
        yield f"{number(before['iops'])} to {number(after['iops'])} {ops} a second"


def _raised(waits: LimitWaits, raising: Raising) -> str:
    """The effect that raising a limit would have, as the run shows it."""
    limit, helped = in_words(waits["limit"]), listed(raising["helps"])
    elsewhere = _elsewhere(waits)
    if elsewhere and waits["value"]:
        limit += f" ({amount(waits['value'])})"
    beyond, lasts = raising["next"], raising["lasts"]
    if beyond["kind"] == "at_once":
        return f"Raising {limit}{elsewhere} alone would have little effect: {_as_soon(beyond)}."
    found = f"Raising {limit}{elsewhere} would help {helped}"
    if beyond["kind"] == "up_to":
        found += f", up to the next limit: {_reached(beyond)}"
    if lasts:
        found += f"; the burst balance would end sooner, and what is sustained is {_reached(lasts)}"
    return f"{found}."


def _reached(beyond: InIos) -> str:
    """A limit with its value; of a device's throughput, also in IOs of their mean size."""
    value = amount(beyond["value"])
    if beyond["ios"] is not None:
        per_s, size = beyond["ios"]
        # Three digits, as of the size: the mean of 8 KiB blocks may be a byte more.
        ios = float(f"{per_s:.3g}")
        value += f" or {ios:,.0f} IOs of {size / 1024:.3g} KiB a second"
    return f"{in_words(beyond['limit'])} ({value})"


def _takers(modelled: Modelled, trials: Trials) -> Iterator[str]:
    """Jobs that take much of what others wait for: the effect of their silence on these.

    Only of what was tried: others may take what one leaves.
    """
    said = set()
    for waits in modelled["waits"]:
        for taker in waits["raising"]["takers"] if waits["raising"] else []:
            job = taker["job"]
            moved = trials.without.get(job)
            if moved is None or job in said:
                continue
            said.add(job)
            took = f"{share(taker['took'])} of the tokens of {in_words(waits['limit'])}"
            done = f"Taking the IO of {job} away, which took {took} that IOs waited for, was tried"
            helped = listed(taker["others"])
            yield f"{done}: {_told(moved)}." if moved else f"{done}: no effect on {helped}."


def _loop(run: Run, loop: ClosedLoop) -> Iterator[str]:
    """On processes that hardly waited: an IO takes its time, whatever is bought."""
    saved = f"save at most {share(loop['waited'])} of that" if loop["waited"] else "not"
    yield (
        f"{loop['job']}: an IO takes {latency(1e6 * loop['mean_s'])}, nearly all of it "
        f"{own_latency(run.result, loop['job'])}. More processes at a time, or fewer IOs one "
        f"after another, would get more done; higher limits would {saved}."
    )
    reach = loop["reach"]
    if reach:
        yield (
            f"At that latency {counted(reach['processes'], 'process', 'processes')} would reach "
            f"{in_words(reach['limit'])} ({amount(reach['value'])})."
        )


def _idle(run: Run, facts: Facts, modelled: Modelled) -> Iterator[str]:
    """The limits that nothing waited for, and the effect of raising them."""
    found = [facts["limits"][place] for place in modelled["idle"]]
    idle = [
        f"{in_words(limit['limit'])} ({amount((limit['value'], limit['unit']))})" for limit in found
    ]
    if not idle:
        return
    raising = "raising it" if len(idle) == 1 else "raising these"
    said = f"No IO waited for {listed(idle)}"
    if run.trials.idle_matter is False:
        yield f"{said}: {raising} by a half was tried: no effect."
    elif run.trials.idle_matter is None and _all_is_counted(run, modelled):
        yield f"{said}: {raising} alone would have no effect."
    else:
        yield f"{said}."


def _all_is_counted(run: Run, modelled: Modelled) -> bool:
    """Whether what waits is all that a limit can do.

    It is not with a warm-up, whose waits are not counted, nor where IO waits for the host too,
    in an order that is that in which volumes let it through.
    """
    return not run.warmup_s and all(waits["limit"]["device"] for waits in modelled["waits"])
