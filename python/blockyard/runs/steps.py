"""Load steps: which a run has, and what each offered, in words."""

from blockyard.runs.run import Run
from blockyard.types.result import Step


def load_of(step: Step) -> str:
    """What a step offered: processes in a closed loop, IOs a second in an open one."""
    if step["rate"] is not None:
        return f"{step['rate']:,}/s"
    return f"{step['processes']} process" + ("" if step["processes"] == 1 else "es")


def loaded(step: Step) -> bool:
    """Whether a step asked for IO; one that did not may still end what began before."""
    return 0 not in (step["processes"], step["rate"])


def steps_of(run: Run) -> dict[str, list[Step]]:
    """The load steps of each job that has several, each step once."""
    found: dict[str, dict[int, Step]] = {}
    for step in run.result["steps"]:
        found.setdefault(step["job"], {}).setdefault(step["step"], step)
    return {job: list(steps.values()) for job, steps in found.items() if len(steps) > 1}
