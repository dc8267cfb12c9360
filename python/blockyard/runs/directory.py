"""Run directories: the files that they have, and what stands in them."""

import json
from collections.abc import Sized
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, cast

from blockyard._core import FileError, Latencies, check_result
from blockyard.runs import findings
from blockyard.runs.run import Run
from blockyard.text import files
from blockyard.types.result import Result

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

RESULT = "result.json"

SCENARIO = "scenario.yaml"

# Of an observation, the storage that the devices are said to be, as a scenario.
STORAGE = "storage.yaml"

# The file that gets the latencies of every interval.
LATENCY_LOG = "latency.hlog"

# The file that gets a line for every IO, on request.
IO_LOG = "ios.csv"

# The table that gets a row for each call of observed processes, on request.
CALLS = "calls.parquet"

# In a column of a table: 100 hours at 100 ms have 3.6 million intervals, and a row in each
# for every job, device and operation. So many take some 2 GB of memory.
MOST_VALUES = 20_000_000

# No interval of a scenario is shorter than 1 ms.
_INTERVALS_A_SECOND = 1000


def read(path: Path) -> Run:
    """The run of a run directory.

    Raises OSError if something cannot be read, and FileError, in one line that names the file,
    if it is missing or torn.
    """
    text = files.text(path / RESULT, files.MADE)
    check_result(text, str(path / RESULT))
    with ThreadPoolExecutor(1) as beside:
        # The log takes as long as all else together, and Arrow's libraries.
        latencies = beside.submit(Latencies.read, str(path / LATENCY_LOG))
        return _read(path, text, latencies)


def _read(path: Path, text: str, latencies: Future[Latencies]) -> Run:
    from blockyard.runs.tables import INTERVALS, TRANSACTIONS

    result = cast(Result, json.loads(text))

    def table(name: str, schema: "pa.Schema", in_each: Sized) -> "pa.Table":
        return _table(path / f"{name}.parquet", schema, _intervals(result) * len(in_each))

    transactions = result.get("transactions") or []
    observed = result.get("observed")
    # A real database has none.
    scenario = None if observed else files.text(path / SCENARIO, files.MADE)
    known = observed is not None and (path / STORAGE).exists()
    return Run(
        name=path.resolve().name,
        path=path,
        result=result,
        scenario=scenario,
        storage=files.text(path / STORAGE, files.MADE) if known else None,
        intervals=table("intervals", INTERVALS, result["totals"]),
        volumes=volumes(path, result),
        # There only where a job does any.
        transactions=table("transactions", TRANSACTIONS, transactions)
        if transactions
        else TRANSACTIONS.empty_table(),
        latencies=latencies.result(),
        sampled_s=observed["interval_s"] if observed else None,
        stored=findings.read(path, (scenario, text)) if scenario is not None else None,
    )


def volumes(path: Path, result: Result) -> "pa.Table":
    """The table of volumes of a run directory. Raises what `read` does."""
    from blockyard.runs.tables import VOLUMES

    observed = result.get("observed")
    whose = observed["devices"] if observed else result["volumes"]
    rows = _intervals(result) * len(whose)
    return _table(path / "volumes.parquet", VOLUMES, rows)


def _intervals(result: Result) -> int:
    """The most intervals that a run as long as this has."""
    return int(result["duration_s"] * _INTERVALS_A_SECOND) + 2


def _table(path: Path, schema: "pa.Schema", most_rows: int) -> "pa.Table":
    import pyarrow as pa
    import pyarrow.parquet as pq

    # Why a file cannot be opened, Arrow's own errors do not say. It reads the file by its
    # path: threads of its that still hold a file of Python's when that ends abort.
    path.open("rb").close()
    try:
        # `read_table` would load Arrow's library for datasets, which takes a while.
        with pq.ParquetFile(path) as file:
            _check_amount(path, file.metadata, most_rows)
            table = file.read()
    except pa.ArrowInvalid as error:
        raise FileError(f"{path}: no whole Parquet file: {_first_line(error)}") from error
    if table.schema.names != schema.names:
        raise FileError(
            f"{path}: its columns are {', '.join(table.schema.names) or 'none'}; expected "
            f"{', '.join(schema.names)}"
        )
    return table


def _check_amount(path: Path, metadata: "pq.FileMetaData", most_rows: int) -> None:
    """Few bytes can stand for any number of equal rows, or of entries of one row."""
    if metadata.num_rows > most_rows:
        raise FileError(
            f"{path}: {metadata.num_rows:,} rows; expected at most {most_rows:,} of a run as long "
            f"as {RESULT} says"
        )
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    for place in range(metadata.num_columns):
        values = sum(group.column(place).num_values for group in groups)
        if values > MOST_VALUES:
            raise FileError(
                f"{path}: {values:,} values in column {metadata.schema.column(place).path}; "
                f"expected at most {MOST_VALUES:,}"
            )


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
