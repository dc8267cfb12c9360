"""Files of other programs as runs: fio's, and of programs that list block devices.

    run = foreign.read(Path("iostat.txt"))

What a file does not say is null, empty or, for required columns of `tables.INTERVALS`, 0;
`docs/reference/foreign.md` says what is known from each.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from blockyard.formats.foreign import (
    diskstats,
    fio_json,
    fio_logs,
    fio_text,
    iostat,
    iostat_json,
    packed,
    pgbench,
    prometheus,
    pt_diskstats,
    sadf,
    sar,
    sysbench,
    systemperformance,
    yaspe,
)
from blockyard.formats.foreign.document import documents
from blockyard.formats.foreign.error import ForeignError
from blockyard.formats.foreign.reading import AS_IT_IS, Reading
from blockyard.formats.foreign.tree import Node
from blockyard.runs.run import Run

__all__ = ["AS_IT_IS", "ForeignError", "Reading", "read"]

# The first bytes of a file, from which its format is recognised.
_HEAD = 1 << 16

# Programs' texts: how a file's head shows them, and what reads them. The first that fits counts.
_TEXTS: list[tuple[Callable[[bytes], bool], Callable[[Path, Reading], Run]]] = [
    (systemperformance.is_report, systemperformance.read),
    (iostat.is_iostat, iostat.read),
    (sar.is_sar, sar.read),
    (sadf.is_csv, sadf.read_csv),
    (pt_diskstats.is_report, pt_diskstats.read),
    (pgbench.is_pgbench, lambda path, _: pgbench.read(path)),
    (diskstats.is_counters, diskstats.read_counters),
    (prometheus.is_exposition, prometheus.read_exposition),
    (fio_text.is_text, lambda path, _: fio_json.read(path, [Node(fio_text.document(path), path)])),
    (sysbench.is_sysbench, lambda path, _: sysbench.read(path)),
]


def read(path: Path, reading: Reading = AS_IT_IS) -> Run | None:
    """Read a file, or a folder of fio's logs; None if it comes from none of these programs.

    Raises ForeignError if it does, but not in the form in which the program writes it, and OSError.
    """
    try:
        return _read(path, reading)
    except (OverflowError, pa.ArrowInvalid) as error:
        # Each figure is a valid number, but their sum exceeds 64 bits.
        raise ForeignError(path, f"figures that cannot be: {str(error).splitlines()[0]}") from error


def _read(path: Path, reading: Reading) -> Run | None:
    if path.is_dir():
        return fio_logs.read(path) if any(map(fio_logs.is_log, path.iterdir())) else None
    if path.is_fifo():
        raise ForeignError(path, "a pipe; save its text to a file, which is read more than once")
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if not head:
        raise ForeignError(path, "empty")
    if packed.program(head):
        with packed.unpacked(path) as copy:
            run = _read_text(copy, reading)
            return replace(run, path=path) if run else None
    return _read_text(path, reading)


def _read_text(path: Path, reading: Reading) -> Run | None:
    """Read a file that is not packed."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if head.startswith(yaspe.MAGIC):
        return yaspe.read(path, reading)
    if b'"fio version"' in head or b'"sysstat"' in head or b'"resultType"' in head:
        return _of_json(path, reading)
    # A file of another system may have two bytes at each line's end.
    text = head.replace(b"\r", b"")
    for shows, reads in _TEXTS:
        if shows(text):
            return reads(path, reading)
    if fio_logs.is_log(path) or fio_logs.looks_like_log(head):
        return fio_logs.read(path)
    return None


def _of_json(path: Path, reading: Reading) -> Run | None:
    found = list(documents(path))
    of_fio = [document for document in found if fio_json.is_fio(document)]
    if of_fio:
        return fio_json.read(path, of_fio)
    answers = [document for document in found if prometheus.is_answer(document)]
    if answers:
        return prometheus.read_answers(path, answers, reading)
    for document in found:
        if document.has("sysstat"):
            reads = sadf.read_json if sadf.is_json(document) else iostat_json.read
            return reads(path, document, reading)
    return None
