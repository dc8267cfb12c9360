"""Files packed by gzip or xz, or encoded as Windows does, unpacked for as long as they are read."""

import codecs
import gzip
import lzma
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from io import BufferedReader
from pathlib import Path

from blockyard.formats.foreign.error import ForeignError
from blockyard.text import files

_GZIP, _XZ = b"\x1f\x8b", b"\xfd7zXZ\0"
_SUFFIXES = (".gz", ".xz")
# Excel and Notepad begin UTF-8 with a mark; PowerShell's `>` writes UTF-16.
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# A small file can unpack to any size; text of a day of many disks is below this.
_MOST = 4 << 30
_PIECE = 1 << 20


def program(head: bytes) -> str | None:
    """What packed or encoded a file which begins with `head`; None if it is plain text."""
    packer = "gzip" if head.startswith(_GZIP) else "xz" if head.startswith(_XZ) else None
    return packer or _encoding(head)


@contextmanager
def unpacked(path: Path, say_cut: Callable[[str], None] | None = None) -> Iterator[Path]:
    """Give a copy of the text that `path` holds, under its name without the suffix.

    Of a packed file that was cut off, what is whole is given if `say_cut` takes the sentence that
    says so. Raises ForeignError if it cannot be unpacked, and OSError. Errors about the copy name
    `path`.
    """
    with path.open("rb") as file:
        head = file.read(6)
    with tempfile.TemporaryDirectory(prefix="blockyard-") as folder:
        name = path.stem if path.suffix in _SUFFIXES else path.name
        copy = Path(folder) / name
        try:
            _copy(path, head, copy)
        except EOFError as error:
            if say_cut is None:
                raise _damaged(path, head, error) from error
            say_cut(f"{path.name} is packed by {program(head)} and cut off; what is whole counts")
        try:
            yield copy
        except ForeignError as error:
            raise ForeignError("", str(error).replace(str(copy), str(path))) from error


def _copy(path: Path, head: bytes, copy: Path) -> None:
    left = _MOST
    try:
        with _opened(path, head) as file, copy.open("wb") as to:
            # Before the end of a file that was cut, this gives what can be unpacked.
            for piece in _in_utf_8(iter(partial(file.read1, _PIECE), b"")):
                left -= len(piece)
                if left < 0:
                    most = f"{_MOST // files.MIB:,} MiB"
                    raise ForeignError(path, f"more than {most} when unpacked; expected less")
                to.write(piece)
    except (zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise _damaged(path, head, error) from error


def _damaged(path: Path, head: bytes, error: Exception) -> ForeignError:
    return ForeignError(path, f"packed by {program(head)}, and damaged or cut off: {error}")


def _opened(path: Path, head: bytes) -> BufferedReader | gzip.GzipFile | lzma.LZMAFile:
    if head.startswith(_GZIP):
        return gzip.open(path, "rb")
    return lzma.open(path, "rb") if head.startswith(_XZ) else path.open("rb")


def _encoding(head: bytes) -> str | None:
    return next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)


def _in_utf_8(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The pieces of a text without the mark that it begins with, if it has one."""
    decoder: codecs.IncrementalDecoder | None = None
    for number, piece in enumerate(pieces):
        if number == 0 and (encoding := _encoding(piece)):
            decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
        yield decoder.decode(piece).encode() if decoder else piece
