"""The steps of a change of volumes, and how long each takes."""

from dataclasses import dataclass

from blockyard.text import formatting


@dataclass(frozen=True)
class Step:
    """What is done at once, before the next step begins."""

    # In words, for people.
    what: str
    # Functions of the script, with their arguments.
    calls: tuple[str, ...]
    # How long it takes at least; None where that is no matter of volumes.
    seconds: float | None = None
    # Whether what uses the file system must be stopped for it.
    stops: bool = False


def table(steps: list[Step]) -> list[str]:
    """Give a line for each step, and the sum of their durations."""
    lines = []
    for number, step in enumerate(steps, start=1):
        took = "" if step.seconds is None else f", {_about(step.seconds)}"
        when = " with the database stopped" if step.stops else ""
        lines.append(f"{number}. {step.what}{took}{when}")
    total = sum(step.seconds or 0 for step in steps)
    stopped = sum(step.seconds or 0 for step in steps if step.stops)
    end = f"; stopped for {_about(stopped)}" if stopped else "; nothing needs to be stopped"
    return [*lines, f"In all {_about(total)}{end}."]


def _about(seconds: float) -> str:
    return f"about {formatting.duration(max(60.0, 60.0 * round(seconds / 60)))}"
