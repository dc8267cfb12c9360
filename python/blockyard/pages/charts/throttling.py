"""How long each limit throttled IOs, whose IOs waited, and whose took the tokens."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from blockyard.pages.figure import Axis, Bar, Bars, Figure
from blockyard.runs.run import Run
from blockyard.text.limit_names import in_words
from blockyard.types.facts import LimitWaits

_THROTTLED = Axis("time throttled, summed over IOs", "s")
_TOOK = Axis("share of the tokens", "%", most=100.0)

# Among those who took tokens.
_RESYNC = "a mirror's resync"


def needs(run: Run) -> bool:
    """A limit that throttled IOs."""
    return bool(_waits(run))


def figures(runs: Sequence[Run], bin_s: float) -> Iterable[Figure]:  # noqa: ARG001 as all charts
    """Of one run by limit and job; of several by run and limit."""
    if len(runs) > 1:
        yield _overlay(runs)
        return
    found = _waits(runs[0])
    jobs = list(dict.fromkeys(job["job"] for one in found for job in one["jobs"] if job["took"]))
    most = found[0]
    yield Figure(
        name="throttled",
        title="Time throttled by limits",
        caption="An IO that waits for tokens counts for the limit that it waited for longest. "
        f"The most waited for {in_words(most['limit'])}: {100 * most['share']:.0f}%.",
        plot=Bars(
            _THROTTLED,
            jobs,
            [
                _bar(one, {job["job"]: job["waited_s"] for job in one["jobs"]}, jobs)
                for one in found
            ],
        ),
        group="throttled",
    )
    resync = any(one["resync_took"] for one in found)
    if len(jobs) > 1 or resync:
        yield _took(found, [*jobs, _RESYNC] if resync else jobs)


def _waits(run: Run) -> list[LimitWaits]:
    modelled = run.facts and run.facts["modelled"]
    return modelled["waits"] if modelled else []


def _took(found: Sequence[LimitWaits], takers: Sequence[str]) -> Figure:
    return Figure(
        name="took",
        title="Whose IOs took the tokens",
        caption="Of the tokens that a limit gave to IOs it made wait. A job that takes many "
        "and waits little holds the others back.",
        plot=Bars(
            _TOOK,
            takers,
            [
                _bar(
                    one,
                    {job["job"]: 100 * job["took"] for job in one["jobs"]}
                    | {_RESYNC: 100 * one["resync_took"]},
                    takers,
                )
                for one in found
            ],
        ),
        group="throttled",
    )


def _bar(waits: LimitWaits, parts: dict[str, float], jobs: Sequence[str]) -> Bar:
    return Bar(in_words(waits["limit"]), [parts.get(job, 0.0) for job in jobs])


def _overlay(runs: Sequence[Run]) -> Figure:
    throttled: dict[str, defaultdict[str, float]] = {}
    for run in runs:
        throttled[run.name] = defaultdict(
            float,
            {
                in_words(one["limit"]): sum(job["waited_s"] for job in one["jobs"])
                for one in _waits(run)
            },
        )
    names = list(dict.fromkeys(name for limits in throttled.values() for name in limits))
    return Figure(
        name="throttled",
        title="Time throttled by limits",
        caption="An IO that waits for tokens counts for the limit that it waited for longest.",
        plot=Bars(
            _THROTTLED,
            names,
            [Bar(run, [limits[name] for name in names]) for run, limits in throttled.items()],
        ),
    )
