"""Traces of IO: read as runs, written for fio and as Parquet."""

import threading
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from blockyard._core import FileError, export_iolog
from blockyard.formats.foreign import packed
from blockyard.runs.directory import IO_LOG
from blockyard.runs.execution import observe
from blockyard.runs.new_folder import NewFolder, new_file
from blockyard.runs.observer import Observer

_HEAD = 16

# The columns of `ios.csv`.
_NUMBERS = ["issued_ns", "due_ns", "slot", "offset", "bytes", "completed_ns"]
_WORDS = ["job", "device", "op"]


def name_of(path: Path) -> str:
    """What a run of a trace is called."""
    return path.name.split(".")[0] or path.name


def imported(
    source: Path,
    name: str,
    directory: NewFolder,
    options: Mapping[str, object],
    *,
    stop: threading.Event,
    view: Observer,
) -> str | None:
    """Import a trace, packed or not, into `directory`; give the text of `result.json`.

    Raises what `execution.observe.imported` does, ForeignError if it cannot be unpacked, and
    OSError.
    """
    with ExitStack() as stack:
        place = _unpacked(source, stack)
        arguments = {**options, "trace": str(place), "called": str(source)}
        return observe.imported(name, directory, arguments, stop=stop, view=view)


def to_iolog(source: Path, out: Path, paths: Mapping[str, str]) -> int:
    """Write a trace, or the IOs of a run, for fio to replay; give how many IOs it has.

    `paths` has the path of each device that is not to be called by its own name. Raises FileError,
    FileExistsError and OSError.
    """
    with ExitStack() as stack:
        place = _unpacked(recorded(source), stack)
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


def _unpacked(source: Path, stack: ExitStack) -> Path:
    with source.open("rb") as file:
        head = file.read(_HEAD)
    return stack.enter_context(packed.unpacked(source)) if packed.program(head) else source
