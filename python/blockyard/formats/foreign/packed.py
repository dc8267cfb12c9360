"""Files that were packed by gzip or xz, unpacked for as long as they are read."""

import gzip
import lzma
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from blockyard.formats.foreign.error import ForeignError
from blockyard.text import files

_GZIP, _XZ = b"\x1f\x8b", b"\xfd7zXZ\0"
_SUFFIXES = (".gz", ".xz")
# A small file can unpack to any size; text of a day of many disks is below this.
_MOST = 4 << 30
_PIECE = 1 << 20


def program(head: bytes) -> str | None:
    """The program that packed a file which begins with `head`."""
    return "gzip" if head.startswith(_GZIP) else "xz" if head.startswith(_XZ) else None


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """Give a copy of what `path` holds, under its name without the suffix.

    Raises ForeignError if it cannot be unpacked, and OSError. Errors about the copy name `path`.
    """
    with path.open("rb") as file:
        head = file.read(6)
    with tempfile.TemporaryDirectory(prefix="blockyard-") as folder:
        name = path.stem if path.suffix in _SUFFIXES else path.name
        copy = Path(folder) / name
        _copy(path, head, copy)
        try:
            yield copy
        except ForeignError as error:
            raise ForeignError("", str(error).replace(str(copy), str(path))) from error


def _copy(path: Path, head: bytes, copy: Path) -> None:
    opened = gzip.open if head.startswith(_GZIP) else lzma.open
    left = _MOST
    try:
        with opened(path, "rb") as file, copy.open("wb") as to:
            while piece := file.read(_PIECE):
                left -= len(piece)
                if left < 0:
                    most = f"{_MOST // files.MIB:,} MiB"
                    raise ForeignError(path, f"more than {most} when unpacked; expected less")
                to.write(piece)
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        problem = f"packed by {program(head)}, and damaged or cut off: {error}"
        raise ForeignError(path, problem) from error
