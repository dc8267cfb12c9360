"""The tables of a sweep, put together of its pieces: the same bytes however these were made."""

import contextlib
from collections.abc import Callable, Container, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from blockyard._core import SweepPlan
from blockyard.sweeps import merging
from blockyard.sweeps.directory import LATENCIES, RUNS
from blockyard.sweeps.pieces import Pieces
from blockyard.sweeps.store import Part, Store, encoding

# Rows of a row group, which also bounds what is in memory.
BLOCK = 1024
_NAMES = (RUNS, LATENCIES)


@dataclass(frozen=True)
class Axes:
    """The values of each axis by combination, with the type that they have."""

    columns: Mapping[str, pa.Array]
    seeds: Sequence[int]

    @classmethod
    def of(cls, plan: SweepPlan) -> "Axes":
        """Those of a plan."""
        columns = {path: typed(plan.values(axis)) for axis, path in enumerate(plan.axes)}
        return cls(columns, plan.seeds)

    def rows(self, runs: Sequence[int]) -> dict[str, pa.Array]:
        """The columns of a sweep for these runs."""
        combinations = pa.array([run // len(self.seeds) for run in runs], pa.int64())
        seeds = pa.array([self.seeds[run % len(self.seeds)] for run in runs], pa.uint64())
        own = {"run": pa.array(runs, pa.int64()), "combination": combinations, "seed": seeds}
        return own | {path: values.take(combinations) for path, values in self.columns.items()}


def typed(values: Sequence[str]) -> pa.Array:
    """Values as integers, numbers or truths if all are, else as text."""
    if all(value in ("true", "false") for value in values):
        return pa.array([value == "true" for value in values])
    for kind in (int, float):
        try:
            return pa.array([kind(value) for value in values])
        except (ValueError, OverflowError, pa.ArrowInvalid):
            continue
    unquoted = [value[1:-1] if value[:1] == value[-1:] == '"' else value for value in values]
    return pa.array(unquoted)


class Tables:
    """Both tables of a sweep, made while its runs are carried out.

    A thread of its own writes rows in the order of the runs, a block as soon as all of it is done:
    so little is left at the end. As a context it leaves no table where something fails.
    """

    def __init__(self, store: Store, plan: SweepPlan, *, merge_seeds: bool) -> None:
        """Over what the store has. Raises OSError, and FileError if that is torn."""
        self._directory = store.directory
        self._merge_seeds = merge_seeds
        self._axes = Axes.of(plan)
        self._pieces = Pieces(store, of_runs(plan))
        self._runs = plan.runs()
        # How many of them, from the first one, are done, and how many are handed to the thread.
        self._known = self._handed = 0
        # With merged seeds a block must have whole combinations.
        self._block = BLOCK - BLOCK % len(self._axes.seeds) or len(self._axes.seeds)
        self._files = {name: Writer(self._directory / f".{name}.partial") for name in _NAMES}
        self._done = self._failed = 0
        self._beside = ThreadPoolExecutor(1)
        self._last: Future[None] = self._beside.submit(lambda: None)

    def __enter__(self) -> "Tables":
        """Give the tables to be made."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """End both files."""
        self._beside.shutdown(cancel_futures=True)
        for file in self._files.values():
            file.close(kept=kind is None)

    def add(self, part: Part, met: Container[str]) -> None:
        """Take a piece in; `met` has the keys of all runs that are done.

        Raises OSError if what was handed to the thread before cannot be written.
        """
        if self._last.done():
            self._last.result()
        self._hand(self._pieces.add, part)
        while self._known < len(self._runs) and self._runs[self._known][1] in met:
            self._known += 1
        while self._known - self._handed >= self._block:
            self._hand(self._write, self._runs[self._handed : self._handed + self._block])
            self._handed += self._block

    def complete(self) -> tuple[int, int]:
        """Write what is left of the runs that are done; how many these are, and how many fail.

        Raises OSError.
        """
        self._last.result()
        left = [one for one in self._runs[self._handed :] if one[1] in self._pieces.places]
        for at in range(0, len(left), self._block):
            self._hand(self._write, left[at : at + self._block])
        self._last.result()
        for name, file in self._files.items():
            file.close()
            file.path.rename(self._directory / name)
        return self._done, self._failed

    def _hand(self, act: Callable[..., None], what: object) -> None:
        """Have the thread do something, unless what came before failed."""

        def after(before: Future[None]) -> None:
            before.result()
            act(what)

        self._last = self._beside.submit(after, self._last)

    def _write(self, runs: Sequence[tuple[int, str]]) -> None:
        table = self._pieces.runs([key for _, key in runs])
        self._done += len(runs)
        self._failed += pc.sum(table["error"].is_valid()).as_py() or 0
        self._files[RUNS].write(_with_axes(table, self._axes, [run for run, _ in runs]))
        found = _latencies(self._pieces, runs, self._axes, merged=self._merge_seeds)
        self._files[LATENCIES].write(found)


def of_runs(plan: SweepPlan) -> list[str]:
    """The columns of a run, besides those that are the sweep's."""
    after = ["goals_met", "usd_per_month", "throttled_by", "throttled_share"]
    return ["key", "error", "ios", "io_errors", *plan.figures, *plan.goals, *after]


class Writer:
    """A Parquet file with a row group for each table."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._writer: pq.ParquetWriter | None = None

    def write(self, table: pa.Table) -> None:
        """Append a row group."""
        if self._writer is None:
            self._writer = pq.ParquetWriter(self.path, table.schema, **encoding(table.schema))
        self._writer.write_table(table, row_group_size=max(1, table.num_rows))

    def close(self, *, kept: bool = True) -> None:
        """End the file, or remove it."""
        # What cannot be ended, as the disk is full, is removed all the same.
        with contextlib.nullcontext() if kept else contextlib.suppress(OSError):
            if self._writer is not None:
                self._writer.close()
        if not kept:
            self.path.unlink(missing_ok=True)


def _with_axes(table: pa.Table, axes: Axes, runs: Sequence[int]) -> pa.Table:
    own = {name: table[name].combine_chunks() for name in table.column_names}
    return pa.table(axes.rows(runs) | own)


def _latencies(
    pieces: Pieces, runs: Sequence[tuple[int, str]], axes: Axes, *, merged: bool
) -> pa.Table:
    """The latencies of runs, or merged over the seeds of each combination."""
    table = pieces.latencies([key for _, key in runs])
    numbers = {key: run for run, key in runs}
    own = [numbers[key] for key in table["key"].to_pylist()]
    if not merged:
        return table.add_column(0, "run", pa.array(own, pa.int64())).combine_chunks()
    return merging.merged(table, [run // len(axes.seeds) for run in own])
