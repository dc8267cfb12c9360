"""What would make a run faster, and what would not."""

from collections.abc import Iterator

from blockyard.facts import Another, ClosedLoop, Facts, LimitWaits, Modelled, Raising
from blockyard.formatting import latency
from blockyard.limit_names import in_words
from blockyard.report.words.behind import needed
from blockyard.report.words.phrases import amount, counted, listed, share
from blockyard.run import Run


def advice(run: Run) -> list[str]:
    """Sentences on the limits of modelled storage; none where limits are not known."""
    modelled = run.facts and run.facts["modelled"]
    if run.facts is None or not modelled:
        return []
    return [
        *needed(run.facts),
        *_raising(modelled),
        *(said for loop in modelled["closed_loops"] for said in _loop(loop)),
        *_idle(run.facts, modelled),
    ]


def _raising(modelled: Modelled) -> Iterator[str]:
    """What raising the limits with most of the waiting would bring."""
    for waits in modelled["waits"]:
        if waits["raising"]:
            yield _raised(waits, waits["raising"])
            yield from _takers(waits, waits["raising"])


def _raised(waits: LimitWaits, raising: Raising) -> str:
    limit, helped = in_words(waits["limit"]), listed(raising["helps"])
    beyond = raising["next"]
    match beyond["kind"]:
        case "other_host":
            value = amount(beyond["value"])
            return f"Raising {limit} ({value}), by another instance, would help {helped}."
        case "nothing":
            return f"Raising {limit} would help {helped}."
        case "up_to":
            return f"Raising {limit} would help {helped}, up to the next limit: {_reached(beyond)}."
        case "credits":
            return (
                f"Raising {limit} would only use up the burst balance sooner: what lasts is "
                f"{_reached(beyond)}."
            )
        case "at_once":
            return (
                f"Raising {limit} alone would bring little: {_reached(beyond)} is reached as soon."
            )


def _reached(beyond: Another) -> str:
    """A limit with its value; of a device's throughput, also in IOs of their mean size."""
    value = amount(beyond["value"])
    if beyond["ios"] is not None:
        per_s, size = beyond["ios"]
        # Three digits, as of the size: the mean of 8 KiB blocks may be a byte more.
        ios = float(f"{per_s:.3g}")
        value += f" or {ios:,.0f} IOs of {size / 1024:.3g} KiB a second"
    return f"{in_words(beyond['limit'])} ({value})"


def _takers(waits: LimitWaits, raising: Raising) -> Iterator[str]:
    """Jobs that make others wait by taking much of what there is."""
    for taker in raising["takers"]:
        yield (
            f"Less IO of {taker['job']} would help {listed(taker['others'])}: it took "
            f"{share(taker['took'])} of the tokens of {in_words(waits['limit'])} that IOs waited "
            "for."
        )


def _loop(loop: ClosedLoop) -> Iterator[str]:
    """On processes that hardly waited: an IO takes its time, whatever is bought."""
    saved = f"save at most {share(loop['waited'])} of that" if loop["waited"] else "not"
    yield (
        f"{loop['job']}: an IO takes {latency(1e6 * loop['mean_s'])}, nearly all of it the "
        "storage's own latency. More processes at a time, or fewer IOs one after another, "
        f"would get more done; higher limits would {saved}."
    )
    reach = loop["reach"]
    if reach:
        yield (
            f"At that latency {counted(reach['processes'], 'process', 'processes')} would reach "
            f"{in_words(reach['limit'])} ({amount(reach['value'])})."
        )


def _idle(facts: Facts, modelled: Modelled) -> Iterator[str]:
    """The limits that nothing waited for."""
    found = [facts["limits"][place] for place in modelled["idle"]]
    idle = [
        f"{in_words(limit['limit'])} ({amount((limit['value'], limit['unit']))})" for limit in found
    ]
    if idle:
        raising = "raising it" if len(idle) == 1 else "raising these"
        yield f"No IO waited for {listed(idle)}: {raising} alone would change nothing."
