"""Copies of /proc/diskstats, as pt-diskstats and pt-stalk keep them."""

import re
from collections.abc import Iterator
from pathlib import Path

from blockyard.formats.foreign import counters
from blockyard.formats.foreign.counters import Counts
from blockyard.formats.foreign.error import ForeignError, unexpected
from blockyard.formats.foreign.observations import Source
from blockyard.formats.foreign.reading import Reading
from blockyard.runs.run import Run
from blockyard.text import files

_ROW = re.compile(rb"^\s*\d+\s+\d+\s+[a-z]\S*((?:\s+\d+){4}|(?:\s+\d+){11,17})\s*$", re.MULTILINE)
_STAMP = re.compile(r"TS (\d+(?:\.\d+)?)\b")
_SECTORS_PER_KIB = 2
# Words of a row: of an old partition, and the figures of any other device.
_FEWEST, _WHOLE = 7, 11
_NO_TIME = "no time before the counters; a line `TS 1297205887.15` is needed, or --interval"


def is_counters(head: bytes) -> bool:
    """Whether a file that begins with `head` has /proc/diskstats."""
    return _ROW.search(head) is not None


def read_counters(path: Path, reading: Reading) -> Run:
    """Read copies of /proc/diskstats. Raises ForeignError if they are malformed, and OSError."""
    counted: dict[str, list[tuple[float, Counts]]] = {}
    stamped = False
    for number, (stamp, copy) in enumerate(_copies(path)):
        stamped = stamp is not None
        if stamp is None:
            if reading.interval_s is None:
                raise ForeignError(f"{path}:{copy[0][0]}", _NO_TIME)
            stamp = number * reading.interval_s
        for line, words in copy:
            counts = _counts(f"{path}:{line}", words)
            counted.setdefault(words[2], []).append((stamp, counts))
    made = counters.rates_of(path, counted, None if stamped else reading.interval_s)
    return counters.run_of(
        Source(path, "diskstats", "/proc/diskstats"), made, reading, stamped=stamped
    )


def _copies(path: Path) -> Iterator[tuple[float | None, list[tuple[int, list[str]]]]]:
    """Yield the copies, each with its time if it has one.

    A line with the time stands before each copy, as pt-stalk has it, or behind, as pt-diskstats.
    Without one a device that comes again begins the next copy.
    """
    copy: dict[str, tuple[int, list[str]]] = {}
    before: bool | None = None
    stamp: float | None = None
    for number, line in enumerate(files.text(path, files.MADE, errors="replace").split("\n"), 1):
        words = line.split()
        if found := _STAMP.match(line):
            before = not copy if before is None else before
            time = float(found[1])
            if copy:
                yield (stamp if before else time), list(copy.values())
            copy, stamp = {}, time
        elif len(words) >= _FEWEST and words[0].isdecimal() and words[1].isdecimal():
            if words[2] in copy and before is None:
                yield None, list(copy.values())
                copy = {}
            copy[words[2]] = (number, words)
    # A copy whose time should follow was cut off.
    if copy and before is not False:
        yield (stamp if before else None), list(copy.values())


def _counts(place: str, words: list[str]) -> Counts:
    """What a row counts; partitions had only four figures before Linux 2.6.25."""
    try:
        found = [int(word) for word in words[3:]]
    except ValueError as error:
        raise unexpected(place, " ".join(words[3:]), "whole numbers") from error
    if len(found) < _WHOLE:
        reads, read, writes, written = found[:4]
        return (reads, read / _SECTORS_PER_KIB, 0.0, writes, written / _SECTORS_PER_KIB, 0.0)
    reads, _, read, read_ms, writes, _, written, write_ms = found[:8]
    return (
        reads,
        read / _SECTORS_PER_KIB,
        read_ms,
        writes,
        written / _SECTORS_PER_KIB,
        write_ms,
    )
