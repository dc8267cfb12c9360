"""What `iostat -x` says about disks, as intervals; other programs' figures are put in its columns.

Versions of sysstat name the same things differently, and report separate latencies for reads and
writes only since version 10.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from blockyard.formats.foreign import counted
from blockyard.formats.foreign.error import ForeignError
from blockyard.formats.foreign.observations import JOB, Observed, Source, run_of, totals_of
from blockyard.formats.foreign.reading import Reading
from blockyard.formats.foreign.timeline import Timeline
from blockyard.formats.foreign.traffic import Traffic
from blockyard.runs import tables
from blockyard.runs.run import Run
from blockyard.types.result import Cycle

# iostat's letter for each operation.
_OPS = {"read": "r", "write": "w", "trim": "d", "flush": "f"}
# Bytes in the units in which it reports throughput: a kilobyte is 1,024 bytes.
_UNITS = {"kB/s": 1 << 10, "MB/s": 1 << 20, "sec/s": 512}
_QUEUES = ["aqu-sz", "avgqu-sz"]
_US_PER_MS = 1_000


@dataclass(frozen=True)
class _Columns:
    """The columns with the figures of one operation."""

    op: str
    rate: str
    # Its name, with the bytes in its unit; None for flushes, which have no throughput.
    throughput: tuple[str, int] | None
    latency: str


class Disks:
    """The columns of a report.

    Raises ForeignError at `place` if they are not the columns of `iostat -x`.
    """

    def __init__(self, columns: Sequence[str], place: object) -> None:
        self._ops = [found for op, letter in _OPS.items() if (found := _found(op, letter, columns))]
        queues = [name for name in _QUEUES if name in columns]
        if {"read", "write"} - {found.op for found in self._ops} or not queues:
            needed = "r/s, w/s, rkB/s, wkB/s, r_await, w_await and aqu-sz of iostat -x"
            names = ", ".join(" ".join(name.split()) for name in columns)
            raise ForeignError(place, f"columns {names[:80]}; expected {needed}")
        self._queue = queues[0]

    def needed(self) -> list[str]:
        """Return the columns that `run` needs."""
        names = [self._queue]
        for found in self._ops:
            names += [
                found.rate,
                found.latency,
                *([found.throughput[0]] if found.throughput else []),
            ]
        return list(dict.fromkeys(names))

    def run(
        self,
        source: Source,
        timeline: Timeline,
        samples: pa.Table,
        reading: Reading,
        cycles: Sequence[Cycle] = (),
        notes: Sequence[str] = (),
    ) -> Run:
        """Make a run from samples, one for each report and device.

        `samples` has `t_s`, `device` and the needed columns; times rise from batch to batch.
        No IO counts twice. Operations that a disk never did are left out.
        """
        chosen = counted.chosen(self._traffic(samples), reading, source.path)
        kept = pa.array(chosen.devices, samples["device"].type)
        samples = samples.filter(pc.is_in(samples["device"], kept))
        intervals = self._intervals(samples, timeline.length_s)
        totals = totals_of(intervals, timeline.length_s, timeline.duration_s)
        said = (*notes, *chosen.notes)
        observed = Observed(
            timeline.duration_s,
            totals,
            intervals,
            cycles=cycles,
            notes=said,
            sampled_s=timeline.length_s,
        )
        return run_of(source, observed)

    def _traffic(self, samples: pa.Table) -> Traffic:
        moved = {found.op: found.throughput for found in self._ops}
        read, written = moved["read"], moved["write"]
        if read is None or written is None:
            raise AssertionError("only flushes have no throughput")
        return Traffic(samples, read[0], written[0])

    def _intervals(self, samples: pa.Table, length_s: float) -> pa.Table:
        active = {found.op: _active(samples, found.rate) for found in self._ops}
        pieces = [
            pa.concat_tables(self._rows(batch, length_s, active)).sort_by("t_s")
            for batch in samples.to_batches()
        ]
        return pa.concat_tables(pieces) if pieces else tables.INTERVALS.empty_table()

    def _rows(
        self, batch: pa.RecordBatch, length_s: float, active: dict[str, pa.Array]
    ) -> Iterator[pa.Table]:
        # The outstanding IOs of an operation are its rate times its latency; that divides the queue
        # between operations.
        loads = [pc.multiply(batch[found.rate], batch[found.latency]) for found in self._ops]
        whole = loads[0]
        for load in loads[1:]:
            whole = pc.add(whole, load)
        unknown = pc.equal(whole, 0.0)
        for found, load in zip(self._ops, loads, strict=True):
            share = pc.if_else(unknown, 1 / len(loads), pc.divide(load, whole))
            rows = pa.table(
                {
                    "t_s": batch["t_s"],
                    "job": pa.repeat(JOB, len(batch)),
                    "device": batch["device"],
                    "op": pa.repeat(found.op, len(batch)),
                    "ios": _counted(batch[found.rate], length_s),
                    "bytes": _bytes(batch, found, length_s),
                    "latency_mean_us": _latency(batch, found),
                    **dict.fromkeys(_UNKNOWN, pa.nulls(len(batch), pa.float64())),
                    "queue_depth": pc.multiply(batch[self._queue], share),
                },
                schema=tables.INTERVALS,
            )
            yield rows.filter(pc.is_in(batch["device"], active[found.op]))


# iostat reports only means.
_UNKNOWN = [name for name in tables.INTERVALS.names if re.fullmatch("latency_(p.+|max)_us", name)]


def _found(op: str, letter: str, columns: Sequence[str]) -> _Columns | None:
    rate = f"{letter}/s"
    latency = f"{letter}_await" if f"{letter}_await" in columns else "await"
    if rate not in columns or latency not in columns:
        return None
    if op == "flush":
        return _Columns(op, rate, None, latency)
    for unit, size in _UNITS.items():
        if letter + unit in columns:
            return _Columns(op, rate, (letter + unit, size), latency)
    return None


def _active(samples: pa.Table, rate: str) -> pa.Array:
    """The devices whose `rate` was ever above 0."""
    totals = samples.group_by("device").aggregate([(rate, "sum")])
    return totals.filter(pc.greater(totals[f"{rate}_sum"], 0))["device"].combine_chunks()


def _counted(rate: pa.Array, length_s: float) -> pa.Array:
    return pc.cast(pc.round(pc.multiply(rate, length_s)), pa.int64())


def _bytes(batch: pa.RecordBatch, found: _Columns, length_s: float) -> pa.Array:
    if found.throughput is None:
        return pa.repeat(0, len(batch))
    column, unit = found.throughput
    return _counted(batch[column], unit * length_s)


def _latency(batch: pa.RecordBatch, found: _Columns) -> pa.Array:
    """Return the means in microseconds, null without IO."""
    known = pc.multiply(batch[found.latency], float(_US_PER_MS))
    return pc.if_else(pc.greater(batch[found.rate], 0.0), known, None)
