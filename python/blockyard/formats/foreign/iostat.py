"""The text that `iostat -x -t` writes.

A day with 72 disks has 6 million lines, so whole reports are found and split at once.
"""

import mmap
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from blockyard.formats.foreign import clock
from blockyard.formats.foreign.disks import Disks
from blockyard.formats.foreign.error import ForeignError, unexpected
from blockyard.formats.foreign.observations import Source
from blockyard.formats.foreign.timeline import Timeline, timeline_of
from blockyard.runs.run import Run

_REPORT = re.compile(
    rb"^(?:(?P<host>Linux [^\n]{0,200}\)[^\n]*)|"
    rb"(?:(?P<stamp>[^\n]{0,30}\d:\d\d:\d\d[^\n]{0,20})\n)?"
    rb"(?:avg-cpu[^\n]*\n[^\n]*\n[ \t\r]*\n)?"
    rb"Device:?(?P<columns>[ \t][^\n]*)\n"
    rb"(?P<rows>(?:[ \t\r]*[^ \t\r\n][^\n]*\n)*))",
    re.MULTILINE,
)
# Linux 6.1.0-18-amd64 (db1)  11/21/26  _x86_64_  (8 CPU)
_HEADING = re.compile(r"Linux (\S+) \(([^)]*)\)(?:.*\s_(\S+)_\s+\((\d{1,6}) CPU\))?")
ONE_REPORT = "only one report, and the first is of the time since the boot"

# Reports are turned into columns when they amount to this many words.
_PIECE = 1 << 21


@dataclass(frozen=True)
class _Report:
    """A report, and where its rows are in the file."""

    moment: datetime
    # The first report after a heading covers the time since the boot.
    since_boot: bool
    start: int
    end: int


def is_iostat(head: bytes) -> bool:
    """Whether a file that begins with `head` comes from iostat."""
    return re.search(rb"^(?:Device:?[ \t].*/s|.*/s .*[ \t]Device$)", head, re.MULTILINE) is not None


def read(path: Path) -> Run:
    """Read the text of iostat.

    Raises ForeignError if it is not in the form of `iostat -x -t`, and OSError.
    """
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        return _Text(path, text).run()


class _Text:
    """The text of one file."""

    def __init__(self, path: Path, text: mmap.mmap) -> None:
        self._path = path
        self._text = text
        self._heading = ""
        self._columns: list[str] = []

    def run(self) -> Run:
        reports = list(self._reports())
        if not reports:
            raise ForeignError(self._path, "no report whose rows begin with the device")
        disks = Disks(self._columns, self._path)
        moments = [report.moment for report in reports]
        whole = [not report.since_boot for report in reports]
        timeline = timeline_of(moments, clock.elapsed(moments), whole)
        if timeline is None:
            raise ForeignError(self._path, ONE_REPORT)
        kept = [report for report in reports if not report.since_boot]
        timed = list(zip(kept, timeline.starts_s, strict=True))
        samples = pa.concat_tables(self._samples(timed, disks.needed()))
        return disks.run(self._source(timeline), timeline, samples)

    def _source(self, timeline: Timeline) -> Source:
        started = timeline.started.isoformat()
        found = _HEADING.match(self._heading)
        if not found:
            return Source(self._path, "iostat", "iostat", started)
        kernel, host, processor, processors = found.groups()
        engine = f"iostat on {host}"
        return Source(
            self._path, "iostat", engine, started, kernel, processor or "", int(processors or 0)
        )

    def _reports(self) -> Iterator[_Report]:
        since_boot = False
        for found in _REPORT.finditer(self._text):
            if found["host"]:
                self._heading = found["host"].decode(errors="replace")
                since_boot = True
                continue
            columns = found["columns"].decode(errors="replace").split()
            if self._columns and columns != self._columns:
                raise ForeignError(self._place(found.start("columns")), "other columns than before")
            self._columns = columns
            if found["stamp"] is None:
                raise ForeignError(self._place(found.start()), "no time; iostat needs -t")
            moment = clock.moment(found["stamp"].decode(errors="replace"))
            if moment is None:
                raise unexpected(self._place(found.start()), found["stamp"], "a date and a time")
            yield _Report(moment, since_boot, *found.span("rows"))
            since_boot = False

    def _samples(
        self, timed: Sequence[tuple[_Report, float]], needed: Sequence[str]
    ) -> Iterator[pa.Table]:
        """Yield the needed columns of reports, with their times, some reports at a time."""
        words: list[bytes] = []
        times: list[float] = []
        for report, second in timed:
            rows = self._text[report.start : report.end]
            found = rows.replace(b",", b".").split()
            if len(found) % self._width:
                raise self._wrong([report], needed)
            words += found
            times += [second] * (len(found) // self._width)
            if len(words) > _PIECE:
                yield self._table(words, times, needed, timed)
                words, times = [], []
        yield self._table(words, times, needed, timed)

    def _table(
        self,
        words: list[bytes],
        times: list[float],
        needed: Sequence[str],
        timed: Sequence[tuple[_Report, float]],
    ) -> pa.Table:
        try:
            columns = {name: _numbers(words[self._at(name) :: self._width]) for name in needed}
        except pa.ArrowInvalid as error:
            raise self._wrong((report for report, _ in timed), needed) from error
        devices = [name.decode(errors="replace").rstrip(":") for name in words[:: self._width]]
        return pa.table({"t_s": times, "device": pa.array(devices, pa.string()), **columns})

    @property
    def _width(self) -> int:
        return len(self._columns) + 1

    def _at(self, column: str) -> int:
        return self._columns.index(column) + 1

    def _wrong(self, reports: Iterable[_Report], needed: Sequence[str]) -> ForeignError:
        """Find the first malformed row, and return its error."""
        for report in reports:
            place = report.start
            for row in self._text[report.start : report.end].split(b"\n"):
                words = row.replace(b",", b".").split()
                if len(words) not in (0, self._width):
                    problem = f"a row of {len(words)}; expected {self._width} as in the heading"
                    return ForeignError(self._place(place), problem)
                for name in needed if words else ():
                    word = words[self._at(name)]
                    try:
                        _numbers([word])
                    except pa.ArrowInvalid:
                        where = f"{self._place(place)}: {name}"
                        return unexpected(where, word, "a number of at least 0")
                place += len(row) + 1
        return ForeignError(self._path, "rows that are not as their heading")

    def _place(self, offset: int) -> str:
        line = self._text[:offset].count(b"\n") + 1
        return f"{self._path}:{line}"


def _numbers(words: list[bytes]) -> pa.Array:
    """Return numbers. Raises pa.ArrowInvalid for a word that is no number or is negative."""
    numbers = pa.array(words, pa.binary()).cast(pa.string()).cast(pa.float64())
    if pc.all(pc.and_(pc.is_finite(numbers), pc.greater_equal(numbers, 0.0))).as_py() is False:
        raise pa.ArrowInvalid("not finite, or less than 0")
    return numbers
