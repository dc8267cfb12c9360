"""The text that `iostat -x` writes.

A day with 72 disks has 6 million lines, so whole reports are found and split at once.
"""

import mmap
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from blockyard.formats.foreign import clock
from blockyard.formats.foreign.disks import Disks
from blockyard.formats.foreign.error import ForeignError, unexpected
from blockyard.formats.foreign.iostat_reports import Report, Reports
from blockyard.formats.foreign.observations import Source
from blockyard.formats.foreign.reading import Reading
from blockyard.formats.foreign.timeline import Timeline, timeline_of
from blockyard.runs.run import Run

NO_REPORT = "no report with a row for each device; record with `iostat -x -t`, without -h"
ONE_REPORT = "only one report, and the first is of the time since the boot"

# Reports are turned into columns when they amount to this many words.
_PIECE = 1 << 21
# The row of a group of devices, of `-g`, is indented.
_GROUP = re.compile(rb"^ ([^\s\d]\S*)[^\n]*\n", re.MULTILINE)
_HEADED = re.compile(rb"^\S{0,40} ?\S{0,20} ?\S{0,20} ?Device:?[ \t].*/s|.*/s .*[ \t]Device$", re.M)


def is_iostat(head: bytes) -> bool:
    """Whether a file that begins with `head` comes from iostat."""
    return _HEADED.search(head) is not None


def read(path: Path, reading: Reading) -> Run:
    """Read the text of iostat.

    Raises ForeignError if it is not in the form of `iostat -x`, and OSError.
    """
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        return run_of_text(path, text, reading)


def run_of_text(
    path: Path,
    text: bytes | mmap.mmap,
    reading: Reading,
    source: Source | None = None,
    place: object = None,
) -> Run:
    """Read a text of iostat that stands in `path`; `place` names it where it is not all of it."""
    return _Text(path, Reports.of(place or path, text, reading)).run(source)


class _Text:
    """The text of one file."""

    def __init__(self, path: Path, reports: Reports) -> None:
        self._path = path
        self._reports = reports
        self._groups: dict[str, None] = {}

    def run(self, source: Source | None) -> Run:
        place = self._reports.place
        reports = list(self._reports.all())
        if not reports:
            raise ForeignError(place, NO_REPORT)
        disks = Disks(self._columns, place)
        moments = [report.moment for report in reports]
        whole = [not report.since_boot for report in reports]
        timeline = timeline_of(moments, clock.elapsed(moments), whole)
        if timeline is None:
            raise ForeignError(place, ONE_REPORT)
        kept = [report for report in reports if not report.since_boot]
        timed = list(zip(kept, timeline.starts_s, strict=True))
        samples = pa.concat_tables(self._samples(timed, disks.needed()))
        notes = [f"left out: groups {', '.join(self._groups)}"] if self._groups else []
        if self._reports.twice:
            notes.append(f"{self._reports.twice} reports stand twice, and count once")
        if self._reports.cut_off:
            notes.append("the last report is cut off, and left out")
        notes += timeline.gaps()
        source = source or self._source(timeline)
        return disks.run(source, timeline, samples, self._reports.reading, notes=notes)

    def _source(self, timeline: Timeline) -> Source:
        heading = self._reports.heading
        on = f" on {heading.host}" if heading.host else ""
        return Source(
            self._path,
            "iostat",
            f"iostat{on}",
            timeline.started.isoformat() if self._reports.dated else "",
            heading.kernel,
            heading.processor,
            heading.processors,
        )

    def _samples(
        self, timed: Sequence[tuple[Report, float]], needed: Sequence[str]
    ) -> Iterator[pa.Table]:
        """Yield the needed columns of reports, with their times, some reports at a time."""
        words: list[bytes] = []
        times: list[float] = []
        for report, second in timed:
            rows = self._without_groups(self._reports.text[report.start : report.end])
            found = rows.replace(b",", b".").split()
            if len(found) % self._width:
                raise self._wrong([report], needed)
            words += found
            times += [second] * (len(found) // self._width)
            if len(words) > _PIECE:
                yield self._table(words, times, needed, timed)
                words, times = [], []
        yield self._table(words, times, needed, timed)

    def _without_groups(self, rows: bytes) -> bytes:
        """Leave the sums of groups out, unless there is nothing else, as with `-H`."""
        found = _GROUP.findall(rows)
        if not found or len(found) == rows.count(b"\n"):
            return rows
        self._groups |= dict.fromkeys(name.decode(errors="replace") for name in found)
        return _GROUP.sub(b"", rows)

    def _table(
        self,
        words: list[bytes],
        times: list[float],
        needed: Sequence[str],
        timed: Sequence[tuple[Report, float]],
    ) -> pa.Table:
        try:
            columns = {name: _numbers(words[self._at(name) :: self._width]) for name in needed}
        except pa.ArrowInvalid as error:
            raise self._wrong((report for report, _ in timed), needed) from error
        devices = [name.decode(errors="replace").rstrip(":") for name in words[:: self._width]]
        return pa.table({"t_s": times, "device": pa.array(devices, pa.string()), **columns})

    @property
    def _columns(self) -> list[str]:
        return self._reports.columns

    @property
    def _width(self) -> int:
        return len(self._columns) + 1

    def _at(self, column: str) -> int:
        return self._columns.index(column) + 1

    def _wrong(self, reports: Iterable[Report], needed: Sequence[str]) -> ForeignError:
        """Find the first malformed row, and return its error."""
        for report in reports:
            place = report.start
            for row in self._reports.text[report.start : report.end].split(b"\n"):
                words = row.replace(b",", b".").split()
                if len(words) not in (0, self._width):
                    problem = f"a row of {len(words)}; expected {self._width} as in the heading"
                    return ForeignError(self._reports.at(place), problem)
                for name in needed if words else ():
                    word = words[self._at(name)]
                    try:
                        _numbers([word])
                    except pa.ArrowInvalid:
                        where = f"{self._reports.at(place)}: {name}"
                        return unexpected(where, word, "a number of at least 0")
                place += len(row) + 1
        return ForeignError(self._reports.place, "rows that are not as their heading")


def _numbers(words: list[bytes]) -> pa.Array:
    """Return numbers. Raises pa.ArrowInvalid for a word that is no number or is negative."""
    numbers = pa.array(words, pa.binary()).cast(pa.string()).cast(pa.float64())
    if pc.all(pc.and_(pc.is_finite(numbers), pc.greater_equal(numbers, 0.0))).as_py() is False:
        raise pa.ArrowInvalid("not finite, or less than 0")
    return numbers
