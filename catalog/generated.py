"""What the programs that make tables of this folder share: a known source, one form, `--check`."""

import argparse
import csv
import hashlib
import io
import sys
import zipfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path


def known(data: bytes, name: str, sha256: str) -> bytes:
    """The data as they are. Raises ValueError if they are not those with this checksum."""
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        raise ValueError(f"{name} has sha256 {found}; expected {sha256}")
    return data


def csv_text(origin: str, columns: list[str], rows: Iterable[Sequence[str | int]]) -> str:
    """A table whose first line says, as a comment, what it was made of."""
    text = io.StringIO()
    text.write(f"# {origin}\n")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def command(about: str | None, table: Path, source: str, text_of: Callable[[Path], str]) -> int:
    """The command line: writes the table or checks it, with the file that it is made of.

    `about` is the program's docstring, `source` what that file is usually called. The exit status
    is 1 where the table differs, and 2 where the source is not what was expected.
    """
    parser = argparse.ArgumentParser(description=(about or "").partition("\n")[0])
    parser.add_argument("source", type=Path, help=source)
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    arguments = parser.parse_args()
    try:
        text = text_of(arguments.source)
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        print(f"{arguments.source}: {error}", file=sys.stderr)
        return 2
    if not arguments.check:
        table.write_text(text, encoding="utf-8")
        return 0
    if table.read_text(encoding="utf-8") != text:
        print(f"{table} differs from its source; run without --check", file=sys.stderr)
        return 1
    return 0
