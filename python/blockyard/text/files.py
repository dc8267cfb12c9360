"""Reads files as a whole, up to a bound: a device or a pipe may have no end."""

import codecs
from pathlib import Path

from blockyard._core import FileError

MIB = 1 << 20

# What people write by hand: scenarios and job files. The scenario language takes no more.
WRITTEN = 4 * MIB
# What programs write: results, and fio's and iostat's JSON.
MADE = 256 * MIB


def text(path: Path, at_most: int, errors: str = "strict") -> str:
    """The text of a file, of any kind, of at most so many bytes.

    Also UTF-8 with a mark and UTF-16, as Windows' programs write them. Raises FileError if there
    are more bytes, OSError, and UnicodeDecodeError if it is none of these.
    """
    with path.open("rb") as file:
        read = file.read(at_most + 1)
    if len(read) > at_most:
        raise FileError(f"{path}: more than {at_most // MIB} MiB; expected a file of at most that")
    wide = read.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return read.decode("utf-16" if wide else "utf-8-sig", errors).replace("\r\n", "\n")
