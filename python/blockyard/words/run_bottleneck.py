"""Which limits throttled a run."""

from collections.abc import Iterator

from blockyard._core import NOTEWORTHY
from blockyard.runs.run import Run
from blockyard.runs.steps import steps_of
from blockyard.text.formatting import duration, number, sentence
from blockyard.text.limit_names import host, in_words, owner, volumes_of
from blockyard.types.facts import Facts, LimitWaits, Modelled
from blockyard.words.balances import balances
from blockyard.words.network import others_held
from blockyard.words.phrases import amount, listed, loads, share

# From this share on, something is the rule.
_MOSTLY = 0.8


def throttling(run: Run) -> list[str]:
    """Which limits throttled IOs, when, and whose; of real storage, what it was meant to give."""
    facts = run.facts
    if facts is None:
        return ["The file does not record limits."]
    modelled = facts["modelled"]
    if modelled is None:
        return ["On real storage no limit is seen from outside.", *_meant(facts)]
    waits = modelled["waits"]
    others = list(map(sentence, others_held(run.result, facts)))
    if not waits:
        return [
            f"No IO waited for a limit{nearest(facts)}.",
            *others,
            *_used_up(facts, modelled),
            *balances(facts),
        ]
    return [
        f"{_made_up(share(modelled['waited']))} latency.",
        *(_limit(run, facts, one) for one in waits if one["share"] >= NOTEWORTHY),
        *_each(modelled),
        *others,
        *_database(waits[0]),
        *_used_up(facts, modelled),
        *balances(facts),
    ]


def _made_up(part: str) -> str:
    if part == "all":
        return "Waiting for limits made up nearly all"
    return f"Waiting for limits made up {part} of all"


def nearest(facts: Facts) -> str:
    """Of limits that nothing waited for the one of which most was used, after a sentence."""
    place = facts["modelled"]["nearest"] if facts["modelled"] else None
    if place is None:
        return ""
    limit = facts["limits"][place]
    used = limit["used"]["mean"] / limit["value"] if limit["used"] else 0.0
    value = amount((limit["value"], limit["unit"]))
    if used > 1:
        return (
            f"; on burst credits, at {number(used)} times the {in_words(limit['limit'])} of {value}"
        )
    return f"; the nearest is {in_words(limit['limit'])}, {100 * used:.3g}% of {value} used"


def _each(modelled: Modelled) -> Iterator[str]:
    """The share of each job's own latency, where there are several jobs."""
    if len(modelled["held"]) < 2:
        return
    for held in modelled["held"]:
        if not held["limits"]:
            yield f"{held['job']} waited for no limit."
            continue
        limits = listed(
            [in_words(one["limit"]) for one in held["limits"] if one["share"] >= NOTEWORTHY]
        )
        yield f"Of the latency of {held['job']}, {share(held['waited'])} was waiting for {limits}."


def _limit(run: Run, facts: Facts, waits: LimitWaits) -> str:
    value = value_of(facts, waits)
    sentence = (
        f"{in_words(waits['limit'])}{f' ({value})' if value else ''}: "
        f"{share(waits['share'])} of this waiting"
    )
    return sentence + _steps(run, waits) + _jobs(waits) + "."


def value_of(facts: Facts, waits: LimitWaits) -> str:
    """A limit's value over the volumes that it throttled IOs of: `3,000 IOPS`; empty if unknown."""
    if waits["value"] is None:
        return ""
    every = volumes_of(facts, waits["limit"])
    some = len(waits["volumes"])
    of = f" of {some} of {every} volumes" if some < every else ""
    return f"{amount(waits['value'])}{_of_leg(facts, waits) or of}"


def _of_leg(facts: Facts, waits: LimitWaits) -> str:
    """` of leg near` where a limit of a mirror throttled just what one of its legs did."""
    devices = [it for it in facts["devices"] if it["name"] == waits["limit"]["device"]]
    legs = [leg for device in devices for leg in device["legs"]]
    own = [leg["name"] for leg in legs if set(leg["volumes"]) == set(waits["volumes"])]
    return f" of leg {own[0]}" if len(legs) > 1 and own and not waits["limit"]["leg"] else ""


def _steps(run: Run, waits: LimitWaits) -> str:
    """In which load steps a limit was felt, where one job has the storage to itself."""
    if waits["felt_in"] is None:
        return ""
    [steps] = steps_of(run).values()
    felt = [step for step in steps if step["step"] in waits["felt_in"]]
    if len(felt) == len(steps):
        return ", in every load step"
    return f", with {loads(felt)}" if felt else ""


def _jobs(waits: LimitWaits) -> str:
    """Who waited and who took the tokens, where jobs share a limit."""
    jobs = waits["jobs"]
    took = [f"{job['job']} ({share(job['took'])})" for job in jobs if job["took"] >= NOTEWORTHY]
    if waits["resync_took"] >= NOTEWORTHY:
        took.append(f"a mirror's resync ({share(waits['resync_took'])})")
    if len(took) < 2:
        return ""
    whole = sum(job["waited_s"] for job in jobs)
    waited = [f"{job['job']} {share(job['waited_s'] / whole)}" for job in jobs if job["waited_s"]]
    return f" ({listed(waited)}); the tokens went to {listed(took)}"


def _database(waits: LimitWaits) -> Iterator[str]:
    """Whether others' waiting came with the write daemons' writing of the database."""
    during = waits["while_database_written"]
    if during is not None and during >= _MOSTLY:
        yield (
            f"Of the waiting for {in_words(waits['limit'])}, {share(during)} fell into intervals "
            "in which the write daemons wrote the database."
        )


def _used_up(facts: Facts, modelled: Modelled) -> Iterator[str]:
    """When the first volume of each device had used up its credits."""
    for used_up in modelled["used_up"]:
        if used_up["device"] is None:
            which = host(used_up["host"], "the ")
        else:
            alone = volumes_of(facts, used_up) == 1
            which = owner(used_up) if alone else f"a volume of {owner(used_up)}"
        yield f"The burst balance of {which} was used up within {duration(used_up['by_s'])}."


def _meant(facts: Facts) -> Iterator[str]:
    """The means of real storage beside what the scenario's volumes would give."""
    for limit in facts["limits"]:
        kind, used = limit["limit"], limit["used"]
        if used is None or kind["credits"] or kind["applies"] != "both":
            continue
        part = used["mean"] / limit["value"]
        if part:
            compared = f"{share(part)} of" if part < 1 else f"{number(part)} times"
            yield (
                f"{kind['device']} gave {number(used['mean'])} {limit['unit']} on average, "
                f"{compared} the {amount((limit['value'], limit['unit']))} of the scenario's "
                "volumes."
            )
