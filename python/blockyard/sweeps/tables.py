"""The tables of a sweep, put together of its pieces: the same bytes however these were made."""

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from blockyard._core import SweepPlan
from blockyard.sweeps import merging
from blockyard.sweeps.directory import LATENCIES, RUNS
from blockyard.sweeps.store import Part, Store, row_group, row_groups

# Rows of a row group, which also bounds what is in memory.
BLOCK = 1024
# Row groups of pieces that stay in memory.
_AT_HAND = 16


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


def write(store: Store, plan: SweepPlan, *, merge_seeds: bool) -> tuple[int, int]:
    """Write both tables of all runs of `plan` that are done; how many these are, and how many fail.

    Rows come in the order of the runs. Raises OSError; then no table is there.
    """
    axes = Axes.of(plan)
    pieces = Pieces(store, of_runs(plan))
    runs = [(run, key) for run, key in plan.runs() if key in pieces.places]
    # With merged seeds a block must have whole combinations.
    block = BLOCK - BLOCK % len(axes.seeds) or len(axes.seeds)
    paths = [store.directory / f".{name}.partial" for name in (RUNS, LATENCIES)]
    failed = 0
    with Writer(paths[0]) as rows, Writer(paths[1]) as latencies:
        for at in range(0, len(runs), block):
            some = runs[at : at + block]
            table = pieces.runs([key for _, key in some])
            failed += pc.sum(table["error"].is_valid()).as_py() or 0
            rows.write(_with_axes(table, axes, [run for run, _ in some]))
            latencies.write(_latencies(pieces, some, axes, merged=merge_seeds))
    for path, name in zip(paths, (RUNS, LATENCIES), strict=True):
        path.rename(store.directory / name)
    return len(runs), failed


def of_runs(plan: SweepPlan) -> list[str]:
    """The columns of a run, besides those that are the sweep's."""
    after = ["goals_met", "usd_per_month", "throttled_by", "throttled_share"]
    return ["key", "error", "ios", "io_errors", *plan.figures, *plan.goals, *after]


class Writer:
    """A Parquet file with a row group for each table; removed again if that fails."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writer: pq.ParquetWriter | None = None

    def write(self, table: pa.Table) -> None:
        """Append a row group."""
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._path, table.schema, compression="zstd")
        self._writer.write_table(table, row_group_size=max(1, table.num_rows))

    def __enter__(self) -> "Writer":
        """Give the file to write."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """End the file."""
        if self._writer is not None:
            self._writer.close()
        if kind is not None:
            self._path.unlink(missing_ok=True)


# The columns of latencies of a run.
_OF_LATENCIES = ("key", "job", "op", "ios", "mean_us", "max_us", "ns", "count")


class Pieces:
    """The rows of all pieces of a store, by the keys of their runs."""

    def __init__(self, store: Store, own: Sequence[str]) -> None:
        self._columns = {"runs": list(own), "latencies": list(_OF_LATENCIES)}
        # Row groups, which both files of a piece have alike: no more is in memory at once.
        self._groups: list[tuple[Part, int]] = []
        self.places: dict[str, tuple[int, int]] = {}
        for part in store.parts():
            for group, keys in enumerate(row_groups(part.runs, ["key", "error"])):
                self._note(len(self._groups), keys)
                self._groups.append((part, group))
        self._at_hand: OrderedDict[tuple[int, str], pa.Table] = OrderedDict()

    def _note(self, group: int, table: pa.Table) -> None:
        errors = table["error"].is_valid().to_pylist()
        for row, (key, failed) in enumerate(zip(table["key"].to_pylist(), errors, strict=True)):
            # Where a run failed and did not fail another time, that counts.
            if not failed or key not in self.places:
                self.places[key] = (group, row)

    def runs(self, keys: Sequence[str]) -> pa.Table:
        """The rows of these runs, in this order, without what is the sweep's."""
        places = _grouped(self.places[key] for key in keys)
        return pa.concat_tables(self._table(part, "runs").take(rows) for part, rows in places)

    def latencies(self, keys: Sequence[str]) -> pa.Table:
        """The latencies of these runs, in this order."""
        found = []
        for part, rows in _grouped(self.places[key] for key in keys):
            own = self._table(part, "runs")["key"].take(rows)
            table = self._table(part, "latencies")
            places = pc.index_in(table["key"], value_set=own.combine_chunks())
            kept = table.filter(places.is_valid())
            found.append(kept.take(pc.sort_indices(places.drop_null())))
        return pa.concat_tables(found)

    def _table(self, number: int, kind: str) -> pa.Table:
        known = self._at_hand.pop((number, kind), None)
        if known is None:
            part, group = self._groups[number]
            path = part.runs if kind == "runs" else part.latencies
            known = row_group(path, group, self._columns[kind])
        self._at_hand[number, kind] = known
        if len(self._at_hand) > _AT_HAND:
            self._at_hand.popitem(last=False)
        return known


def _grouped(places: Iterator[tuple[int, int]]) -> Iterator[tuple[int, list[int]]]:
    """Rows that follow each other in one piece, together."""
    last: int | None = None
    rows: list[int] = []
    for part, row in places:
        if part != last and last is not None:
            yield last, rows
            rows = []
        last = part
        rows.append(row)
    if last is not None:
        yield last, rows


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
