"""Recorded IO written for fio and as Parquet."""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from blockyard._core import FileError, export_iolog
from blockyard.formats.trace_import import unpacked_trace
from blockyard.runs.directory import IO_LOG
from blockyard.runs.new_folder import new_file

# The columns of `ios.csv`.
_NUMBERS = ["issued_ns", "due_ns", "slot", "offset", "bytes", "completed_ns"]
_WORDS = ["job", "device", "op"]


def to_iolog(source: Path, out: Path, paths: Mapping[str, str]) -> int:
    """Write a trace, or the IOs of a run, for fio to replay; give how many IOs it has.

    `paths` has the path of each device that is not to be called by its own name. Raises FileError,
    FileExistsError and OSError.
    """
    with ExitStack() as stack:
        place = unpacked_trace(recorded(source), stack)
        stack.enter_context(new_file(out))
        return export_iolog(str(place), str(out), dict(paths))


def to_parquet(source: Path, out: Path) -> int:
    """Write the IOs of a run as a Parquet table; give how many there are.

    Raises FileError if it has none, FileExistsError and OSError.
    """
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet as pq

    log = recorded(source)
    types = dict.fromkeys(_NUMBERS, pa.int64()) | dict.fromkeys(_WORDS, pa.string())
    options = pyarrow.csv.ConvertOptions(
        column_types=types, include_columns=[*types], strings_can_be_null=False
    )
    log.open("rb").close()
    try:
        with (
            new_file(out) as file,
            pyarrow.csv.open_csv(log, convert_options=options) as pieces,
            pq.ParquetWriter(file, pieces.schema, compression="zstd") as table,
        ):
            count = 0
            for piece in pieces:
                table.write_batch(piece)
                count += piece.num_rows
    except (pa.ArrowInvalid, pa.ArrowKeyError) as error:
        said = " ".join(str(error).split())
        raise FileError(f"{log}: {said}; expected an ios.csv") from error
    return count


def recorded(source: Path) -> Path:
    """The file with each IO, of a run directory that has one."""
    if not source.is_dir():
        return source
    if not (source / IO_LOG).exists():
        raise FileError(f"{source}: no {IO_LOG}; expected a run with --io-log")
    return source / IO_LOG
