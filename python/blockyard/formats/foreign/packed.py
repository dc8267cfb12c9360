"""Files that were packed by gzip or xz, unpacked for as long as they are read."""

import gzip
import lzma
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from blockyard.formats.foreign.error import ForeignError
from blockyard.text import files

_MAGICS = {b"\x1f\x8b": ("gzip", gzip.open), b"\xfd7zXZ\0": ("xz", lzma.open)}
_SUFFIXES = (".gz", ".xz")
# A small file can unpack to any size; text of a day of many disks is below this.
_MOST = 4 << 30
_PIECE = 1 << 20


def program(head: bytes) -> str | None:
    """The program that packed a file which begins with `head`."""
    return next((name for magic, (name, _) in _MAGICS.items() if head.startswith(magic)), None)


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """Give a copy of what `path` holds, under its name without the suffix.

    Raises ForeignError if it cannot be unpacked, and OSError. Errors about the copy name `path`.
    """
    with path.open("rb") as file:
        head = file.read(6)
    opened = next(opens for magic, (_, opens) in _MAGICS.items() if head.startswith(magic))
    with tempfile.TemporaryDirectory(prefix="blockyard-") as folder:
        name = path.stem if path.suffix in _SUFFIXES else path.name
        copy = Path(folder) / name
        with opened(path) as packed, copy.open("wb") as to:
            _copy(path, program(head) or "", packed, to)
        try:
            yield copy
        except ForeignError as error:
            raise ForeignError("", str(error).replace(str(copy), str(path))) from error


def _copy(path: Path, name: str, packed: IO[bytes], to: IO[bytes]) -> None:
    try:
        shutil.copyfileobj(_Bounded(path, packed), to, _PIECE)
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise ForeignError(path, f"packed by {name}, and damaged or cut off: {error}") from error


class _Bounded:
    """A file of which only so many bytes are read."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self._path, self._file, self._left = path, file, _MOST

    def read(self, size: int) -> bytes:
        """Read some bytes."""
        piece = self._file.read(size)
        self._left -= len(piece)
        if self._left < 0:
            raise ForeignError(
                self._path, f"more than {_MOST // files.MIB:,} MiB when unpacked; expected less"
            )
        return piece
