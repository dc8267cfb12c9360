"""The tables of a run, written while it goes on."""

import contextlib
from pathlib import Path
from types import TracebackType
from typing import Self

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from blockyard._core import RecordBatch, empty_table

# What a row of each table is: see `blockyard._core.table_columns`.
INTERVALS: pa.Schema = pa.schema(empty_table("intervals"))
VOLUMES: pa.Schema = pa.schema(empty_table("volumes"))
TRANSACTIONS: pa.Schema = pa.schema(empty_table("transactions"))

# A call of an observed process: of no file its `fd` is -1.
CALLS: pa.Schema = pa.schema(
    {
        **dict.fromkeys(("start_ns", "end_ns", "pid", "thread"), pa.int64()),
        **dict.fromkeys(("name", "call"), pa.string()),
        **dict.fromkeys(("fd", "result", "ios", "waited", "io_ns"), pa.int64()),
    }
)

SCHEMAS = {"intervals": INTERVALS, "volumes": VOLUMES, "transactions": TRANSACTIONS}


class Table:
    """A Parquet file that rows are appended to."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._writer = pq.ParquetWriter(path, schema)

    def append(self, rows: RecordBatch) -> None:
        """Write rows of the schema. Raises OSError if they cannot be written."""
        self._writer.write_batch(pa.record_batch(rows))

    def __enter__(self) -> Self:
        """Give the open table."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Write what ends the file."""
        if error is None:
            self._writer.close()
        else:
            # The first error is the one to tell.
            with contextlib.suppress(OSError):
                self._writer.close()


def from_csv(lines: Path, to: Path, schema: pa.Schema | None = None) -> None:
    """Turn a CSV file with a heading into a table, a piece at a time.

    Without a schema the first piece tells the types. Raises OSError if it cannot be read or
    written.
    """
    options = pyarrow.csv.ConvertOptions(column_types=schema)
    with (
        pyarrow.csv.open_csv(lines, convert_options=options) as pieces,
        pq.ParquetWriter(to, pieces.schema, compression="zstd") as table,
    ):
        for piece in pieces:
            table.write_batch(piece)
