"""Copies of /proc/diskstats: pt-diskstats' and pt-stalk's samples, and pt-diskstats' output."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pyarrow as pa

from blockyard.formats.foreign import counters
from blockyard.formats.foreign.counters import Counts
from blockyard.formats.foreign.error import ForeignError, unexpected
from blockyard.formats.foreign.observations import Source
from blockyard.formats.foreign.reading import Reading
from blockyard.formats.foreign.timeline import timeline_of
from blockyard.runs.run import Run
from blockyard.text import files

_ROW = re.compile(rb"^\s*\d+\s+\d+\s+[a-z]\S*((?:\s+\d+){4}|(?:\s+\d+){11,17})\s*$", re.MULTILINE)
_STAMP = re.compile(r"TS (\d+(?:\.\d+)?)\b")
_HEADED = re.compile(rb"^\s*#ts\s+device\s+rd_s\s", re.MULTILINE)
# Of pt-diskstats' output: what iostat calls the same.
_SAME = {"r/s": "rd_s", "r_await": "rd_rt", "w/s": "wr_s", "w_await": "wr_rt"}
_NEEDED = {*_SAME.values(), "rd_avkb", "wr_avkb"}
_SECTORS_PER_KIB = 2
# Words of a row: of an old partition, and the figures of any other device.
_FEWEST, _WHOLE = 7, 11
_NO_TIME = "no time before the counters; a line `TS 1297205887.15` is needed, or --interval"


def is_counters(head: bytes) -> bool:
    """Whether a file that begins with `head` has /proc/diskstats."""
    return _ROW.search(head) is not None


def is_report(head: bytes) -> bool:
    """Whether a file that begins with `head` is what pt-diskstats prints."""
    return _HEADED.search(head) is not None


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


def read_report(path: Path, reading: Reading) -> Run:
    """Read what pt-diskstats prints. Raises ForeignError if it is malformed, and OSError."""
    columns: list[str] = []
    rows: list[tuple[float, str, dict[str, float]]] = []
    for number, line in enumerate(files.text(path, files.MADE, errors="replace").split("\n"), 1):
        words = line.replace("{", " ").replace("}", " ").split()
        if words[:2] == ["#ts", "device"]:
            columns = words
        elif columns and len(words) == len(columns):
            rows.append(_row(f"{path}:{number}", columns, words))
        elif columns and words:
            problem = f"a row of {len(words)}; expected {len(columns)} as in the heading"
            raise ForeignError(f"{path}:{number}", problem)
    if not rows:
        raise ForeignError(path, "no row of a disk; expected what pt-diskstats prints")
    times = sorted({time for time, _, _ in rows})
    begin = reading.start or datetime(2000, 1, 1)
    moments = [begin + timedelta(seconds=time) for time in times]
    timeline = timeline_of(moments, times, [True] * len(times))
    if timeline is None:
        raise ForeignError(path, "only one report; --group-by sample of pt-diskstats has all")
    starts = dict(zip(times, timeline.starts_s, strict=True))
    ordered = sorted(rows, key=lambda row: row[0])
    table = pa.Table.from_pylist(
        [{"t_s": starts[time], "device": device, **figures} for time, device, figures in ordered]
    )
    started = timeline.started.isoformat() if reading.start else ""
    source = Source(path, "diskstats", "pt-diskstats", started)
    return counters.disks().run(source, timeline, table, reading)


def _row(place: str, columns: list[str], words: list[str]) -> tuple[float, str, dict[str, float]]:
    """The time, the device and iostat's figures of a row."""
    named = dict(zip(columns, words, strict=True))
    try:
        own = {name: float(word) for name, word in named.items() if name in _NEEDED}
        time = float(named["#ts"])
    except ValueError as error:
        raise unexpected(place, " ".join(words), "numbers, as pt-diskstats prints them") from error
    if _NEEDED - own.keys():
        raise ForeignError(place, f"no column {min(_NEEDED - own.keys())}")
    if not all(0 <= value < 1e15 for value in (*own.values(), time)):
        raise unexpected(place, " ".join(words), "numbers of at least 0")
    figures = {name: own[theirs] for name, theirs in _SAME.items()}
    figures["rkB/s"] = own["rd_s"] * own["rd_avkb"]
    figures["wkB/s"] = own["wr_s"] * own["wr_avkb"]
    figures["aqu-sz"] = (own["rd_s"] * own["rd_rt"] + own["wr_s"] * own["wr_rt"]) / 1000
    return time, named["device"], figures
