"""Runs read from run directories, and from files of other tools.

run = load("runs/b083")
run.result["totals"], run.intervals, run.latencies.tags
"""

import errno
import json
import os
from collections.abc import Sized
from pathlib import Path
from typing import TYPE_CHECKING, cast

from blockyard._core import FileError, Latencies, check_result
from blockyard.pages.view import RunView
from blockyard.runs.execution import LATENCY_LOG
from blockyard.text import files
from blockyard.types.result import Result

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

RESULT = "result.json"

# In a column of a table: 100 hours at 100 ms have 3.6 million intervals, and a row in each
# for every job, device and operation. So many take some 2 GB of memory.
MOST_VALUES = 20_000_000

# No interval of a scenario is shorter than 1 ms.
_INTERVALS_A_SECOND = 1000


def load(path: str | Path) -> RunView:
    """The run of a run directory, or what a file of fio, iostat or yaspe says.

    Raises OSError if something cannot be read, and FileError, in one line that names the
    file, if it is not what it should be.
    """
    runs = load_all(path)
    if len(runs) > 1:
        names = ", ".join(run.name for run in runs[:3])
        raise FileError(f"{path}: a folder of {len(runs)} runs ({names}, …); expected one")
    return runs[0]


def load_all(path: str | Path) -> list[RunView]:
    """As `load`, and of a folder of run directories all runs.

    They come in the order of the numbers that their names end with: a, a-2, a-10.
    """
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    if (path / RESULT).exists():
        return [_directory(path)]
    if path.is_dir():
        folders = sorted((result.parent for result in path.glob(f"*/{RESULT}")), key=_numbered)
        if folders:
            return [_directory(folder) for folder in folders]
    from blockyard.formats import foreign

    run = foreign.read(path)
    if run is None:
        raise FileError(f"{path}: {_unknown(path)}")
    return [RunView.of(run)]


def _directory(path: Path) -> RunView:
    """A run directory; what is missing or torn is an error that names the file."""
    text = files.text(path / RESULT, files.MADE)
    check_result(text, str(path / RESULT))
    result = cast(Result, json.loads(text))
    from blockyard.runs.tables import INTERVALS, TRANSACTIONS

    def table(name: str, schema: "pa.Schema", in_each: Sized) -> "pa.Table":
        return _table(path / f"{name}.parquet", schema, _intervals(result) * len(in_each))

    transactions = result.get("transactions") or []
    return RunView(
        name=path.resolve().name,
        path=path,
        result=result,
        scenario=files.text(path / "scenario.yaml", files.MADE),
        intervals=table("intervals", INTERVALS, result["totals"]),
        volumes=volumes(path, result),
        # There only where a job does any.
        transactions=table("transactions", TRANSACTIONS, transactions)
        if transactions
        else TRANSACTIONS.empty_table(),
        latencies=Latencies.read(str(path / LATENCY_LOG)),
    )


def volumes(path: Path, result: Result) -> "pa.Table":
    """The table of volumes of a run directory. Raises what `load` does."""
    from blockyard.runs.tables import VOLUMES

    rows = _intervals(result) * len(result["volumes"])
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
        _check_amount(path, pq.read_metadata(path), most_rows)
        table = pq.read_table(path)
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


def _numbered(path: Path) -> tuple[str, int, str]:
    name, _, number = path.name.rpartition("-")
    return (name, int(number), "") if number.isdecimal() and name else (path.name, 0, path.name)


def _unknown(path: Path) -> str:
    if path.is_dir() and ".partial-" in path.name:
        return "a run that is still going on or was killed; it has no result"
    from blockyard.formats.foreign import unread

    what = "folder" if path.is_dir() else "file"
    if path.is_file() and (known := unread.known_as(path)):
        return f"{known}; read are run directories and output of fio, iostat or yaspe"
    return (
        f"a {what} that is neither a run directory (with {RESULT}), a folder of them, nor "
        "output of fio, iostat or yaspe"
    )
