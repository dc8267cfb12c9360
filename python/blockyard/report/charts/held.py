"""How long each limit held IOs, whose IOs waited, and whose took the tokens."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from blockyard.report.causes import Cause, causes
from blockyard.report.figure import Axis, Bar, Bars, Figure
from blockyard.run import Run

_HELD = Axis("time held, summed over IOs", "s")
_TOOK = Axis("share of the tokens", "%", most=100.0)


def needs(run: Run) -> bool:
    """A limit that held IOs."""
    return bool(causes(run))


def figures(runs: Sequence[Run], bin_s: float) -> Iterable[Figure]:  # noqa: ARG001 as all charts
    """Of one run by limit and job; of several by run and limit."""
    if len(runs) > 1:
        yield _overlay(runs)
        return
    found = causes(runs[0])
    jobs = list(dict.fromkeys(job for cause in found for job, took in cause.took.items() if took))
    yield Figure(
        name="held",
        title="Time held back by limits",
        caption="An IO that waits for tokens counts for the limit that let it go last. "
        f"The most waited for {found[0].name}: {100 * found[0].share:.0f}%.",
        plot=Bars(_HELD, jobs, [_bar(cause, cause.held_s, jobs, 1) for cause in found]),
        group="held",
    )
    if len(jobs) > 1:
        yield _took(found, jobs)


def _took(found: Sequence[Cause], jobs: Sequence[str]) -> Figure:
    return Figure(
        name="took",
        title="Whose IOs took the tokens",
        caption="Of the tokens that a limit gave to IOs it made wait. A job that takes many "
        "and waits little holds the others back.",
        plot=Bars(_TOOK, jobs, [_bar(cause, cause.took, jobs, 100) for cause in found]),
        group="held",
    )


def _bar(cause: Cause, parts: dict[str, float], jobs: Sequence[str], worth: float) -> Bar:
    return Bar(cause.name, [worth * parts.get(job, 0.0) for job in jobs])


def _overlay(runs: Sequence[Run]) -> Figure:
    held: dict[str, defaultdict[str, float]] = {}
    for run in runs:
        held[run.name] = defaultdict(float, {c.name: sum(c.held_s.values()) for c in causes(run)})
    names = list(dict.fromkeys(name for limits in held.values() for name in limits))
    return Figure(
        name="held",
        title="Time held back by limits",
        caption="An IO that waits for tokens counts for the limit that let it go last.",
        plot=Bars(
            _HELD,
            names,
            [Bar(run, [limits[name] for name in names]) for run, limits in held.items()],
        ),
    )
