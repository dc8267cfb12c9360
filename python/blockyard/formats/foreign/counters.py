"""Counters of block devices, as the kernel keeps them, turned into rates over equal intervals."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from operator import sub
from statistics import median_low

import pyarrow as pa

from blockyard.formats.foreign.disks import Disks
from blockyard.formats.foreign.error import ForeignError
from blockyard.formats.foreign.observations import Source
from blockyard.formats.foreign.reading import Reading
from blockyard.formats.foreign.timeline import Timeline
from blockyard.runs.run import Run

# What is counted, in the order in which `Counts` has it, and the column of its rate. Times are in
# milliseconds, sizes in KiB.
FIGURES = ("reads", "read_kib", "read_ms", "writes", "written_kib", "write_ms")
_COLUMNS = ("r/s", "rkB/s", "r_await", "w/s", "wkB/s", "w_await")
COLUMNS = [*_COLUMNS, "aqu-sz"]

Counts = tuple[float, ...]

# The kernel's milliseconds have 32 bits.
_WRAP = 2.0**32
# A difference over more intervals than this says little of each.
_LONGEST = 5


@dataclass(frozen=True)
class Rates:
    """Samples of all devices."""

    started_s: float
    length_s: float
    duration_s: float
    # As `Disks` wants them.
    samples: pa.Table
    notes: list[str]


def disks() -> Disks:
    """The columns of samples."""
    return Disks(COLUMNS, "counters")


def rates_of(
    place: object, counted: Mapping[str, Sequence[tuple[float, Counts]]], length_s: float | None
) -> Rates:
    """Turn counts at times, in any order, into rates.

    Times that stand twice count once. A counter that fell began anew, so its interval is left out.
    A longer time between two samples has the same rates throughout, up to a bound.
    Raises ForeignError if no device was sampled twice.
    """
    ordered = {device: sorted(dict(rows).items()) for device, rows in counted.items()}
    steps = [
        after - before
        for rows in ordered.values()
        for (before, _), (after, _) in pairwise(rows)
        if after > before
    ]
    if not steps:
        raise ForeignError(
            place, "counters at one time only; rates need two samples, better an hour of them"
        )
    length = length_s or max(median_low(steps), 1e-3)
    begin = min(rows[0][0] for rows in ordered.values() if len(rows) > 1)
    made = _Made(begin, length)
    for device, rows in ordered.items():
        for (before, old), (after, new) in pairwise(rows):
            made.add(device, before, after, _differences(old, new))
    return made.rates(twice=sum(map(len, counted.values())) - sum(map(len, ordered.values())))


def run_of(source: Source, made: Rates, reading: Reading, *, stamped: bool) -> Run:
    """Make a run of rates; `stamped` are times in seconds since 1970."""
    begin = reading.start or datetime(2000, 1, 1)
    if stamped:
        begin = datetime.fromtimestamp(made.started_s, UTC).replace(tzinfo=None)
    starts = [0.0, made.duration_s - made.length_s]
    timeline = Timeline(begin, made.length_s, starts)
    if stamped or reading.start:
        source = replace(source, started=begin.isoformat() + "Z" * stamped)
    return Disks(COLUMNS, "counters").run(source, timeline, made.samples, reading, notes=made.notes)


def _differences(old: Counts, new: Counts) -> Counts | None:
    """What was counted between two samples; None where a counter began anew."""
    made = tuple(map(sub, new, old))
    if min(made) >= 0:
        return made
    found = []
    for name, before, after in zip(FIGURES, old, new, strict=True):
        wraps = name.endswith("_ms") and before > _WRAP / 2 and after < before < _WRAP
        found.append(after - before + (_WRAP if wraps else 0.0))
    return None if min(found) < 0 else tuple(found)


class _Made:
    """Rows so far."""

    def __init__(self, begin: float, length: float) -> None:
        self._begin, self._length = begin, length
        self._rows: dict[tuple[int, str], Counts] = {}
        self._anew = self._missing = 0

    def add(self, device: str, before: float, after: float, counts: Counts | None) -> None:
        """Add what a device did between two times."""
        first = round((before - self._begin) / self._length)
        slots = max(1, round((after - self._begin) / self._length) - first)
        if counts is None:
            self._anew += 1
        elif slots > _LONGEST:
            self._missing += slots
        else:
            for slot in range(first, first + slots):
                share = tuple(count / slots for count in counts)
                old = self._rows.get((slot, device))
                both = zip(old, share, strict=True) if old else None
                self._rows[slot, device] = tuple(map(sum, both)) if both else share

    def rates(self, twice: int) -> Rates:
        """Give the samples, in order of time."""
        keys = sorted(self._rows)
        rows = [self._row(slot, device) for slot, device in keys]
        table = pa.Table.from_pylist(rows, schema=_SCHEMA)
        last = max((slot for slot, _ in keys), default=0)
        duration = (last + 1) * self._length
        notes = [*self._notes(), *([f"{twice} samples stand twice, and count once"] * (twice > 0))]
        return Rates(self._begin, self._length, duration, table, notes)

    def _row(self, slot: int, device: str) -> dict[str, object]:
        row: dict[str, object] = {"t_s": slot * self._length, "device": device}
        in_flight = 0.0
        counts = self._rows[slot, device]
        for at, op in ((0, "r"), (3, "w")):
            ios, kib, ms = counts[at : at + 3]
            row[f"{op}/s"], row[f"{op}kB/s"] = ios / self._length, kib / self._length
            row[f"{op}_await"] = ms / ios if ios else 0.0
            in_flight += ms / 1000 / self._length
        return row | {"aqu-sz": in_flight}

    def _notes(self) -> Iterator[str]:
        if self._anew:
            yield f"counters began anew {self._anew} times; what was counted then is left out"
        if self._missing:
            yield f"{self._missing} intervals are missing: without samples for too long"


_SCHEMA = pa.schema(
    [("t_s", pa.float64()), ("device", pa.string()), *((name, pa.float64()) for name in COLUMNS)]
)
