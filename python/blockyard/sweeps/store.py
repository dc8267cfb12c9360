"""What a sweep has done so far, on disk: whole pieces, each there or not, whatever happens.

DIR/sweep.yaml          the sweep file
DIR/scenario.yaml       the scenario that it varies, complete
DIR/sweep.json          what was asked, what is refused, how far it is
DIR/runs.parquet        a row for each run
DIR/latencies.parquet   their latencies
DIR/parts/              pieces of both, until the sweep is complete; they stay where
                        latencies are merged over seeds, which others may be added to
"""

import contextlib
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from blockyard._core import FileError
from blockyard.sweeps.directory import LATENCIES, PARTS, RUNS
from blockyard.sweeps.engines import Rows


@dataclass(frozen=True)
class Part:
    """Rows of some runs, as a pair of files."""

    runs: Path
    latencies: Path

    @property
    def bytes(self) -> int:
        """What they take on disk."""
        return self.runs.stat().st_size + self.latencies.stat().st_size


class Store:
    """The pieces of a sweep in a directory."""

    def __init__(self, directory: Path, *, merged: bool) -> None:
        self.directory = directory
        # Whether the table of latencies has them merged over seeds.
        self._merged = merged
        self._parts = directory / PARTS
        self._parts.mkdir(exist_ok=True)
        for torn in self._parts.glob(".*"):
            torn.unlink()

    def add(self, rows: Rows) -> Part | None:
        """Keep rows. Raises OSError if they cannot be written; then nothing of them is there."""
        if rows.runs.num_rows == 0:
            return None
        name = f"{rows.runs['run'][0].as_py():012d}-{os.urandom(4).hex()}.parquet"
        part = self._named(name)
        # Runs count as done once their file is there, so it comes last.
        self._write(rows.latencies, part.latencies)
        self._write(rows.runs, part.runs)
        return part

    def parts(self) -> list[Part]:
        """All pieces, in an order that depends on nothing but their names.

        The tables of what was complete before are one, where they have the latencies of each run.
        """
        found = sorted(self._parts.glob("runs-*.parquet"))
        parts = [self._named(path.name.removeprefix("runs-")) for path in found]
        tables = Part(self.directory / RUNS, self.directory / LATENCIES)
        whole = not self._merged and tables.runs.exists() and tables.latencies.exists()
        return [tables, *parts] if whole else parts

    def done(self) -> dict[str, bool]:
        """The keys of the runs that are done, and whether each met its goals.

        A run that failed is not done. Raises FileError for a file that is torn.
        """
        found = {}
        for part in self.parts():
            for table in row_groups(part.runs, ["key", "error", "goals_met"]):
                for row in table.filter(table["error"].is_null()).to_pylist():
                    found[row["key"]] = row["goals_met"] is not False
        return found

    def clear(self) -> None:
        """Remove the pieces, if the tables have all that they have."""
        if not self._merged:
            shutil.rmtree(self._parts)

    def _named(self, name: str) -> Part:
        return Part(self._parts / f"runs-{name}", self._parts / f"latencies-{name}")

    def _write(self, rows: pa.RecordBatch, path: Path) -> None:
        partial = path.with_name(f".{path.name}")
        try:
            table = pa.Table.from_batches([rows])
            pq.write_table(table, partial, **encoding(table.schema))
            partial.rename(path)
        except BaseException:
            with contextlib.suppress(OSError):
                partial.unlink()
            raise


def encoding(schema: pa.Schema) -> dict[str, Any]:
    """How columns are written: bins of latencies by what they add to the bin before.

    That takes a third of the time that finding the same few values again does, and no more room.
    """
    bins = {name: f"{name}.list.element" for name in ("ns", "count") if name in schema.names}
    return {
        "compression": "zstd",
        "use_dictionary": [name for name in schema.names if name not in bins],
        "column_encoding": dict.fromkeys(bins.values(), "DELTA_BINARY_PACKED"),
    }


def read(path: Path) -> pa.Table:
    """A table of a sweep. Raises OSError, and FileError if it is torn."""
    with _opened(path) as file:
        return file.read()


def row_groups(path: Path, columns: list[str]) -> Iterator[pa.Table]:
    """The row groups of a table, one after another. Raises as `read`."""
    with _opened(path) as file:
        for number in range(file.num_row_groups):
            yield file.read_row_group(number, columns)


def row_group(path: Path, number: int, columns: list[str]) -> pa.Table:
    """A row group, with its columns in this order. Raises as `read`."""
    with _opened(path) as file:
        return file.read_row_group(number, columns).select(columns)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[pq.ParquetFile]:
    # Why a file cannot be opened, Arrow's own errors do not say.
    path.open("rb").close()
    try:
        with pq.ParquetFile(path) as file:
            yield file
    except pa.ArrowInvalid as error:
        line = (str(error).splitlines() or [""])[0]
        raise FileError(f"{path}: no whole Parquet file: {line}") from error
