"""mgstat, InterSystems IRIS's own counters: yaspe's table of that name, or its text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from blockyard.formats.foreign.database import Tables, numbers, timeline_of_table
from blockyard.formats.foreign.error import ForeignError
from blockyard.formats.foreign.observations import (
    JOB,
    Interval,
    Observed,
    Source,
    intervals_of,
    run_of,
    totals_of,
)
from blockyard.formats.foreign.timeline import Timeline
from blockyard.runs.run import Run
from blockyard.types.result import Cycle, Mode

_PHASE = "WDphase"
# The phases of the write daemon, of which mgstat mostly shows 0, 5, 7 and 8: until 5 the daemon
# forms the list, then it writes the WIJ, from 6 on it waits for the journal, and in 8 it writes the
# databases.
_LISTED, _WIJ_DONE, _JOURNAL_DONE, _DATABASE_DONE = 5, 6, 8, 9


@dataclass(frozen=True)
class _Counter:
    """A column of IOs a second, and what those IOs are."""

    column: str
    device: str
    op: str
    # Bytes of an IO: the usual block of a database, and the write of a WIJ.
    size: int


# Journal writes are left out, since their size is not known.
_COUNTERS = [
    _Counter("PhyRds", "database", "read", 8 << 10),
    _Counter("PhyWrs", "database", "write", 8 << 10),
    _Counter("WIJwri", "wij", "write", 256 << 10),
]


def run(database: Tables, columns: Sequence[str], mode: Mode, engine: str) -> Run:
    """Make a run from the database's own counters, which contain no latencies."""
    counters = [counter for counter in _COUNTERS if counter.column in columns]
    if not counters:
        raise ForeignError(f"{database.path}: mgstat", "no column PhyRds, PhyWrs or WIJwri")
    timeline, starts = timeline_of_table(database, "mgstat", columns, first=True)
    needed = [counter.column for counter in counters]
    found: list[Interval] = []
    for rows in database.rows("mgstat", ["datetime", *needed]):
        stamps, *figures = zip(*rows, strict=True)
        for counter, values in zip(counters, figures, strict=True):
            rates = numbers(f"{database.path}: mgstat: {counter.column}", values).to_pylist()
            for stamp, rate in zip(stamps, rates, strict=True):
                ios = round(rate * timeline.length_s)
                series = (JOB, counter.device, counter.op)
                size = ios * counter.size
                start = starts[str(stamp)]
                found.append(Interval(start, timeline.length_s, series, ios, size, None, None))
    intervals = intervals_of(sorted(found, key=lambda part: part.start_s))
    totals = totals_of(intervals, timeline.length_s, timeline.duration_s)
    source = Source(database.path, mode, engine, timeline.started.isoformat())
    write_daemon = cycles(database, columns, timeline)
    return run_of(
        source,
        Observed(
            timeline.duration_s,
            totals,
            intervals,
            cycles=write_daemon,
            sampled_s=timeline.length_s,
        ),
    )


def cycles(database: Tables, columns: Sequence[str], timeline: Timeline) -> list[Cycle]:
    """Return the write-daemon cycles that began and ended within `timeline`.

    Their times are as coarse as the samples of mgstat. There are none without the write daemon's
    phase.
    """
    if _PHASE not in columns:
        return []
    own, starts = timeline_of_table(database, "mgstat", columns, first=True)
    # A row's phase is the one at the end of its interval.
    later = (own.started - timeline.started).total_seconds() + own.length_s
    phases = [
        (starts[str(stamp)] + later, phase)
        for rows in database.rows("mgstat", ["datetime", _PHASE])
        for stamp, phase in rows
    ]
    whole = _cycles(
        sorted((time, phase) for time, phase in phases if isinstance(phase, int | float))
    )
    return [
        cycle for cycle in whole if cycle["start_s"] >= 0 and cycle["end_s"] <= timeline.duration_s
    ]


def _cycles(phases: Sequence[tuple[float, float]]) -> Iterator[Cycle]:
    """Yield the cycles between idle samples, except those cut off at the start and the end."""
    begun: list[tuple[float, float]] | None = None
    for time, phase in phases:
        if phase:
            if begun is not None:
                begun.append((time, phase))
            continue
        if begun:
            yield _cycle([*begun, (time, _DATABASE_DONE)])
        begun = []


def _cycle(phases: Sequence[tuple[float, float]]) -> Cycle:
    def reached(least: int) -> float:
        return next(time for time, phase in phases if phase >= least)

    return {
        "job": JOB,
        "start_s": phases[0][0],
        "listed_s": reached(_LISTED),
        "wij_done_s": reached(_WIJ_DONE),
        "journal_done_s": reached(_JOURNAL_DONE),
        "database_done_s": reached(_DATABASE_DONE),
        "end_s": phases[-1][0],
    }
