"""Write-daemon cycles: their phases, and whether they end before the next is due."""

from collections.abc import Iterable, Sequence

from blockyard.pages.charts.axes import TIME, name_of
from blockyard.pages.figure import Axis, Figure, Lane, Lanes, Level, Lines, Series
from blockyard.runs.cycles import PHASES, duration_s, phases_of, times_s
from blockyard.runs.run import Run
from blockyard.text.formatting import clock, duration
from blockyard.types.result import Cycle

_SINCE = Axis("since the cycle began", "s")
# With more cycles than this, a line of their durations is easier to read than lanes.
_MOST_LANES = 40


def needs(run: Run) -> bool:
    """A write-daemon cycle that came to its end."""
    return bool(run.result["cycles"])


def figures(runs: Sequence[Run], bin_s: float) -> Iterable[Figure]:  # noqa: ARG001 as all charts
    """The lanes of each job; a line of durations for many cycles and for several runs."""
    if len(runs) > 1:
        yield _overlay(runs)
        return
    [run] = runs
    times = times_s(run)
    for job in dict.fromkeys(cycle["job"] for cycle in run.result["cycles"]):
        cycles = [cycle for cycle in run.result["cycles"] if cycle["job"] == job]
        levels = _levels({times[job]} if job in times else set())
        longest = max(map(duration_s, cycles))
        if len(cycles) <= _MOST_LANES:
            plot: Lanes | Lines = Lanes(_SINCE, PHASES, [_lane(cycle) for cycle in cycles], levels)
        else:
            plot = _durations([cycle["start_s"] for cycle in cycles], [(job, cycles)], TIME, levels)
        yield Figure(
            name=name_of("cycles", job),
            title=f"Write-daemon cycles of {job}",
            caption=f"How long the phases of each of {len(cycles)} cycles took; the longest "
            f"cycle took {duration(longest)}.",
            plot=plot,
        )


def _lane(cycle: Cycle) -> Lane:
    start = cycle["start_s"]
    pieces = [
        (begin - start, end - start, kind) for kind, (_, begin, end) in enumerate(phases_of(cycle))
    ]
    return Lane(clock(round(start)), pieces)


def _overlay(runs: Sequence[Run]) -> Figure:
    every = [(run.name, run.result["cycles"]) for run in runs]
    numbers = list(range(1, max(len(cycles) for _, cycles in every) + 1))
    times = {time for run in runs for time in times_s(run).values()}
    return Figure(
        name="cycles",
        title="Duration of write-daemon cycles",
        caption="From the taking of the dirty blocks to the clearing of the WIJ, cycle by cycle.",
        plot=_durations(numbers, every, Axis("cycle"), _levels(times)),
    )


def _durations(
    at: Sequence[float],
    every: Sequence[tuple[str, Sequence[Cycle]]],
    x: Axis,
    levels: Sequence[Level],
) -> Lines:
    series = []
    for number, (label, cycles) in enumerate(every):
        durations = [*map(duration_s, cycles), *[None] * (len(at) - len(cycles))]
        series.append(Series(label, durations, number))
    return Lines(x, Axis("duration", "s"), at, series, levels)


def _levels(times: set[tuple[float, float]]) -> list[Level]:
    """The time a cycle has, where all jobs have the same, and when it is alarming."""
    if len(times) != 1:
        return []
    [(due_s, alert_s)] = times
    return [
        Level(f"next cycle due, {duration(due_s)}", due_s),
        Level(f"alert, {duration(alert_s)}", alert_s),
    ]
