"""Whatever can be read as a run: run directories, and files of other tools."""

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING

from blockyard._core import FileError
from blockyard.runs import directory
from blockyard.runs.directory import RESULT
from blockyard.runs.run import Run

if TYPE_CHECKING:
    from blockyard.formats.foreign.reading import Reading


def load(path: str | Path, reading: "Reading | None" = None) -> Run:
    """The run of a run directory, or what another program's file says.

    `reading` has what such a file does not say, and which of its devices count. Raises OSError
    if something cannot be read, and FileError, in one line that names the file, if it is not what
    it should be.
    """
    runs = load_all(path, reading)
    if len(runs) > 1:
        names = ", ".join(run.name for run in runs[:3])
        raise FileError(f"{path}: a folder of {len(runs)} runs ({names}, …); expected one")
    return runs[0]


def load_all(path: str | Path, reading: "Reading | None" = None) -> list[Run]:
    """As `load`, and of a folder of run directories all runs.

    They come in the order of the numbers that their names end with: a, a-2, a-10.
    """
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    if (path / RESULT).exists():
        return [directory.read(path)]
    if path.is_dir():
        folders = sorted((result.parent for result in path.glob(f"*/{RESULT}")), key=_numbered)
        if folders:
            return [directory.read(folder) for folder in folders]
    from blockyard.formats import foreign

    run = foreign.read(path, reading or foreign.AS_IT_IS)
    if run is None:
        raise FileError(f"{path}: {_unknown(path)}")
    return [run]


def _numbered(path: Path) -> tuple[str, int, str]:
    name, _, number = path.name.rpartition("-")
    return (name, int(number), "") if number.isdecimal() and name else (path.name, 0, path.name)


def _unknown(path: Path) -> str:
    if path.is_dir() and ".partial-" in path.name:
        return "a run that is still going on or was killed; it has no result"
    from blockyard.formats.foreign import unsupported_files

    what = "folder" if path.is_dir() else "file"
    if path.is_file() and (known := unsupported_files.known_as(path)):
        return f"{known}; docs/reference/foreign.md lists the files that are read"
    return (
        f"a {what} that is neither a run directory (with {RESULT}), a folder of them, nor "
        "output of fio, iostat, sar or another program of docs/reference/foreign.md"
    )
