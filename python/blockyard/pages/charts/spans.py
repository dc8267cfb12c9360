"""Parts of the time of runs that charts name: warm-up, load steps, events."""

from collections.abc import Iterator, Sequence

from blockyard.pages.figure import Span
from blockyard.runs.run import Run
from blockyard.runs.steps import load_of, steps_of

# What happens when an event of a kind is over.
_OVER = {
    "fail": "{} returns",
    "cut": "{} is restored",
    "pause": "{} resumes",
    "degrade": "{} is whole again",
    "modify": "{} is optimised",
    "failover": "{} works again",
    "switch": "{} works again",
    "trouble": "{} commits again",
    "catch_up": "the backup of {} is active",
    "takeover": "the new primary of {} is ready",
}


def spans(runs: Sequence[Run]) -> tuple[Span, ...]:
    """Warm-up, load steps and events, as far as all runs have them."""
    first, *others = [_spans(run) for run in runs]
    return tuple(span for span in first if all(span in other for other in others))


def _spans(run: Run) -> list[Span]:
    warmup = run.warmup_s
    stepped = steps_of(run)
    return [
        *([Span("warm-up", 0.0, warmup)] if warmup else []),
        *(
            Span(
                load_of(step) if len(stepped) == 1 else f"{job}: {load_of(step)}",
                step["from_s"],
                step["to_s"],
            )
            for job, steps in stepped.items()
            for step in steps
        ),
        *_events(run),
    ]


def _events(run: Run) -> Iterator[Span]:
    """The times at which events began or were over, in order, each once with all that it saw."""
    found: dict[float, list[str]] = {}
    for event in run.result.get("events", []):
        found.setdefault(event["t_s"], []).append(event["what"])
        until, over = event.get("until_s"), _OVER.get(event.get("kind", "note"))
        # Of what the run saw the end of.
        if over and until is not None and event["t_s"] < until < run.result["duration_s"]:
            found.setdefault(until, []).append(over.format(event.get("on")))
    for t_s in sorted(found):
        yield Span(", ".join(dict.fromkeys(found[t_s])), t_s, t_s)
