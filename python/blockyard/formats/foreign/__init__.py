"""Files of other programs as runs: fio's JSON and logs, iostat's reports, yaspe's database.

    run = foreign.read(Path("iostat.txt"))

What a file does not say is null, empty or, for required columns of `tables.INTERVALS`, 0;
`docs/reference/foreign.md` says what is known from each.
"""

from pathlib import Path

import pyarrow as pa

from blockyard.formats.foreign import (
    fio_json,
    fio_logs,
    fio_text,
    iostat,
    iostat_json,
    pgbench,
    sysbench,
    yaspe,
)
from blockyard.formats.foreign.document import documents
from blockyard.formats.foreign.error import ForeignError
from blockyard.formats.foreign.tree import Node
from blockyard.runs.run import Run

__all__ = ["ForeignError", "read"]

# The first bytes of a file, from which its format is recognised.
_HEAD = 1 << 16


def read(path: Path) -> Run | None:
    """Read a file, or a folder of fio's logs; None if it comes from none of these programs.

    Raises ForeignError if it does, but not in the form in which the program writes it, and OSError.
    """
    try:
        return _read(path)
    except (OverflowError, pa.ArrowInvalid) as error:
        # Each figure is a valid number, but their sum exceeds 64 bits.
        raise ForeignError(path, f"figures that cannot be: {str(error).splitlines()[0]}") from error


def _read(path: Path) -> Run | None:
    if path.is_dir():
        return fio_logs.read(path) if any(map(fio_logs.is_log, path.iterdir())) else None
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if not head:
        raise ForeignError(path, "empty")
    if head.startswith(yaspe.MAGIC):
        return yaspe.read(path)
    if b'"fio version"' in head or b'"sysstat"' in head:
        return _of_json(path)
    if iostat.is_iostat(head):
        return iostat.read(path)
    if fio_text.is_text(head):
        return fio_json.read(path, [Node(fio_text.document(path), path)])
    if pgbench.is_pgbench(head):
        return pgbench.read(path)
    if sysbench.is_sysbench(head):
        return sysbench.read(path)
    if fio_logs.is_log(path) or fio_logs.looks_like_log(head):
        return fio_logs.read(path)
    return None


def _of_json(path: Path) -> Run | None:
    found = list(documents(path))
    of_fio = [document for document in found if fio_json.is_fio(document)]
    if of_fio:
        return fio_json.read(path, of_fio)
    return next(
        (iostat_json.read(path, document) for document in found if document.has("sysstat")), None
    )
