"""The tables of a run, written while it goes on."""

import contextlib
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq


def _required(name: str, kind: pa.DataType) -> pa.Field:
    return pa.field(name, kind, nullable=False)


LATENCIES = ["mean", "p50", "p95", "p99", "p99_9", "max"]

# A row for each interval, job, device and operation; latencies are null where
# nothing completed.
INTERVALS = pa.schema(
    [
        _required("t_s", pa.float64()),
        _required("job", pa.string()),
        _required("device", pa.string()),
        _required("op", pa.string()),
        _required("ios", pa.int64()),
        _required("bytes", pa.int64()),
        *(pa.field(f"latency_{figure}_us", pa.float64()) for figure in LATENCIES),
        _required("queue_depth", pa.float64()),
    ]
)

# A row for each interval and volume. `held_us` says how long each limit held
# IOs, the host's included; `limits` gives the rates in force, in IOs or bytes a
# second.
VOLUMES = pa.schema(
    [
        _required("t_s", pa.float64()),
        _required("volume", pa.string()),
        _required("ios", pa.int64()),
        _required("bytes", pa.int64()),
        _required("held_us", pa.map_(pa.string(), pa.float64())),
        pa.field("balance_pct", pa.float64()),
        _required("limits", pa.map_(pa.string(), pa.int64())),
    ]
)

# Rows gathered before they are written, so that memory stays flat.
_GROUP_ROWS = 2_048


class Table:
    """A Parquet file that rows are appended to, as tuples in the schema's order."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._writer = pq.ParquetWriter(path, schema)
        self._schema = schema
        self._rows: list[tuple[object, ...]] = []

    def append(self, rows: Iterable[tuple[object, ...]]) -> None:
        """Add rows. Raises OSError if the file cannot be written."""
        self._rows.extend(rows)
        if len(self._rows) >= _GROUP_ROWS:
            self._flush()

    def _flush(self) -> None:
        columns = list(zip(*self._rows, strict=True)) or [()] * len(self._schema)
        arrays = [
            pa.array(column, field.type)
            for column, field in zip(columns, self._schema, strict=True)
        ]
        self._writer.write_table(pa.table(arrays, schema=self._schema))
        self._rows.clear()

    def __enter__(self) -> Self:
        """Give the open table."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Write the rest and close; after an error, only close."""
        if error is None:
            self._flush()
            self._writer.close()
        else:
            # The first error is the one to tell.
            with contextlib.suppress(OSError):
                self._writer.close()


def from_csv(lines: Path, to: Path) -> None:
    """Turn a CSV file with a heading into a table, a piece at a time.

    Raises OSError if it cannot be read or written.
    """
    with (
        pyarrow.csv.open_csv(lines) as pieces,
        pq.ParquetWriter(to, pieces.schema, compression="zstd") as table,
    ):
        for piece in pieces:
            table.write_batch(piece)
