"""Which limit a job felt most, and in which of its load steps."""

from blockyard.runs.steps import load_of, loaded
from blockyard.text.limit_names import in_words
from blockyard.types.facts import Facts, Held, LimitId, LimitWaits
from blockyard.types.result import Result, Step
from blockyard.words.clause import LIMITED
from blockyard.words.network import event_named, link_effect, link_named
from blockyard.words.phrases import loads
from blockyard.words.run_bottleneck import value_of

# More load steps are told by their end.
_FEW_STEPS = 3


def throttled_by(facts: Facts, job: str) -> Held | None:
    """The limits that throttle a job, if that is felt and limits are its bottleneck."""
    held = _held(facts, job)
    return held if held and held["by"] and held["by"]["kind"] == "limit" else None


def limited_by(result: Result, facts: Facts, job: str) -> tuple[str, str, float] | None:
    """The link or event that is a job's bottleneck, how it acts, and its share of the latency.

    None if there is none, or if limits of volumes and hosts are the bottleneck.
    """
    held = _held(facts, job)
    by, modelled = held and held["by"], facts["modelled"]
    if not held or not by or not modelled:
        return None
    if by["kind"] == "link":
        hold = modelled["links"][by["place"]]
        return link_named(hold), link_effect(hold), held["by_waited"]
    if by["kind"] == "event":
        return event_named(result, by["event"]), LIMITED, held["by_waited"]
    return None


def _held(facts: Facts, job: str) -> Held | None:
    held = facts["modelled"]["held"] if facts["modelled"] else []
    return next((one for one in held if one["job"] == job), None)


def named(facts: Facts, limit: LimitId) -> str:
    """A limit with its value: `data IOPS (3,000 IOPS)`."""
    waits = _waits(facts, limit)
    value = value_of(facts, waits) if waits else ""
    return f"{in_words(limit)} ({value})" if value else in_words(limit)


def felt_in(result: Result, facts: Facts, limit: LimitId) -> str:
    """With which loads a limit is felt, if not with all: ` from 32 processes on`."""
    waits = _waits(facts, limit)
    felt = waits["felt_in"] if waits else None
    first: dict[int, Step] = {}
    for step in result["steps"]:
        first.setdefault(step["step"], step)
    steps = sorted(filter(loaded, first.values()), key=_load)
    if not felt or len(steps) < 2:
        return ""
    within = [step for step in steps if step["step"] in felt]
    if within == steps:
        return ""
    if len(within) > 1 and within == steps[-len(within) :]:
        return f" from {load_of(within[0])} on"
    return f" at {loads(within)}" if len(within) <= _FEW_STEPS else ""


def _waits(facts: Facts, limit: LimitId) -> LimitWaits | None:
    waits = facts["modelled"]["waits"] if facts["modelled"] else []
    return next((one for one in waits if one["limit"] == limit), None)


def _load(step: Step) -> int:
    return step["rate"] or step["processes"] or 0
