"""What the charts of a report have in common: axes, spans, names."""

import json
import re
from collections.abc import Sequence

from blockyard.report.figure import Axis, Span
from blockyard.result import Step
from blockyard.run import Run

TIME = Axis("time", "s")
LATENCY = Axis("latency", "ms", "log")


def name_of(*parts: str) -> str:
    """A name for a figure of parts such as jobs and devices."""
    return "-".join(re.sub(r"[^a-z0-9]+", "-", part.lower()).strip("-") for part in parts)


def load_of(step: Step) -> str:
    """What a step offered: processes in a closed loop, IOs a second in an open one."""
    if step["rate"] is not None:
        return f"{step['rate']:,}/s"
    return f"{step['processes']} process" + ("" if step["processes"] == 1 else "es")


def loaded(step: Step) -> bool:
    """Whether a step asked for IO; one that did not may still end what began before."""
    return 0 not in (step["processes"], step["rate"])


def cycle_times_s(run: Run) -> dict[str, float]:
    """Of each job with write-daemon cycles, the time from one to the next, in seconds."""
    jobs = json.loads(run.asked().jobs()) if run.scenario else []
    return {job["name"]: job["cycle"] / 1e9 for job in jobs if "cycle" in job}


def steps_of(run: Run) -> dict[str, list[Step]]:
    """The load steps of each job that has several, each step once."""
    found: dict[str, dict[int, Step]] = {}
    for step in run.result["steps"]:
        found.setdefault(step["job"], {}).setdefault(step["step"], step)
    return {job: list(steps.values()) for job, steps in found.items() if len(steps) > 1}


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
        *(
            Span(event["what"], event["t_s"], event["t_s"])
            for event in run.result.get("events", [])
        ),
    ]
