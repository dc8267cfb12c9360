"""What a reader must know before the figures: what went wrong, or cannot be trusted."""

from collections.abc import Iterator

from blockyard.runs.run import Run
from blockyard.text import provenance
from blockyard.text.formatting import duration, latency, sentence
from blockyard.words.phrases import counted, named, share
from blockyard.words.shortfall import behind
from blockyard.words.thresholds import TRUSTED_MS
from blockyard.words.transaction_bottleneck import unsettled
from blockyard.words.transactions import stops


def caveats(run: Run) -> list[str]:
    """Sentences of warning; none for a run that ended well and met its goals."""
    return [
        *_ending(run),
        *_notices(run),
        *_assumed(run),
        *_lateness(run),
        *_goals(run),
        *_open_loops(run),
        *_cycles(run),
    ]


def _ending(run: Run) -> Iterator[str]:
    result = run.result
    after = duration(result["duration_s"])
    if result["status"] == "failed":
        yield f"The run failed after {after}: {result['reason'] or 'unknown'}."
    # A service is ended by interrupting it.
    elif result["status"] == "interrupted" and result["mode"] != "emulate":
        yield f"The run was interrupted after {after}."
    yield from (sentence(stop) for stop in stops(result))
    for total in result["totals"]:
        if total["errors"]:
            failed = counted(total["errors"], total["op"])
            yield f"{failed} of {total['job']} on {total['device']} failed."
    verified = result["machine"] and result["machine"]["verified"]
    if verified and verified["bad"]:
        yield f"{counted(verified['bad'], 'block')} did not hold what had been written."
    # Other programs' transactions come without their IO.
    if not (any(total["ios"] for total in result["totals"]) or result.get("transactions")):
        yield "No IO completed."


def _notices(run: Run) -> Iterator[str]:
    for notice in run.result.get("notices", []):
        yield sentence(notice, named(run.result))


def _assumed(run: Run) -> Iterator[str]:
    yield from map(sentence, provenance.assumed(run.result, why=True))


def _lateness(run: Run) -> Iterator[str]:
    late = run.result.get("lateness_us")
    if late and late["p99"] > 1000 * TRUSTED_MS:
        yield (
            f"This machine was too slow for the emulation: 1% of the answers went out more "
            f"than {latency(late['p99'])} after the model's time. Its latencies are too long."
        )


def _goals(run: Run) -> Iterator[str]:
    """Goals that were missed, that some seeds miss, or that depend on assumptions."""
    for place, goal in enumerate(run.result["goals"]):
        met, of = _met(run, place)
        said = _goal(run, place)
        if not goal["met"]:
            yield f"Goal missed: {said}"
        elif met < of:
            yield f"Goal not always met: {said}"
        elif provenance.behind(goal):
            yield f"Goal met, as far as assumptions hold: {said}"


def goals_met(run: Run) -> list[str]:
    """The goals that were met with all seeds and depend on no assumption."""
    found = []
    for place, goal in enumerate(run.result["goals"]):
        met, of = _met(run, place)
        if goal["met"] and met == of and not provenance.behind(goal):
            found.append(f"Goal met: {_goal(run, place)}")
    return found


def _met(run: Run, place: int) -> tuple[int, int]:
    """With how many seeds a goal was met, and of how many."""
    by_seed = run.result.get("by_seed")
    if by_seed:
        return by_seed["goals_met"][place], by_seed["seeds"]
    return int(run.result["goals"][place]["met"]), 1


def _goal(run: Run, place: int) -> str:
    goal, (met, of) = run.result["goals"][place], _met(run, place)
    chance = f"; met in {met} of {of} seeds" if of > 1 else ""
    return f"{goal['goal']}; {goal['measured']}{provenance.behind(goal)}{chance}."


def _open_loops(run: Run) -> Iterator[str]:
    if run.facts:
        yield from behind(run.result, run.facts)
        for line in unsettled(run.facts):
            yield sentence(line, named(run.result))
    for loop in run.result["open_loop"]:
        for count, what in ((loop["late"], "late"), (loop["skipped"], "skipped")):
            if count:
                part = share(count / loop["offered"])
                yield f"{loop['job']}: {counted(count, 'IO')} {what}, {part} of those due."


def _cycles(run: Run) -> Iterator[str]:
    for daemons in run.facts["write_daemons"] if run.facts else []:
        if daemons["over"]:
            alarming = ", which calls for an alert"
            calm = daemons["longest_s"] < daemons["alert_s"]
            yield (
                f"{daemons['over']} of {counted(daemons['cycles'], 'write-daemon cycle')} of "
                f"{daemons['job']} took longer than the {duration(daemons['every_s'])} from one "
                f"to the next; the longest took {duration(daemons['longest_s'])}"
                f"{'' if calm else alarming}."
            )
