"""The text of `sar -d`, alone or among sar's other reports."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from blockyard.formats.foreign import clock
from blockyard.formats.foreign.error import ForeignError, unexpected
from blockyard.formats.foreign.iostat_reports import Heading
from blockyard.formats.foreign.observations import Source
from blockyard.formats.foreign.reading import Reading
from blockyard.formats.foreign.sar_columns import SarColumns
from blockyard.formats.foreign.timeline import timeline_of
from blockyard.runs.run import Run
from blockyard.text import files

# 09:10:01 AM  DEV  tps ...; the time that a heading has is that of the report before.
_HEADED = re.compile(r"^\d\d\S{1,10}(?: [AP]M)?\s+DEV\s+tps\s", re.MULTILINE)
_TIME = re.compile(r"(\d{1,2}(?::|[时時])\d\d(?::|分)\d\d秒?(?: [AaPp][Mm])?)\s+(.*)")
# No disk does more than this.
_MOST = 1e18


def is_sar(head: bytes) -> bool:
    """Whether a file that begins with `head` has a report of sar on disks."""
    return _HEADED.search(head.decode(errors="replace")) is not None


@dataclass
class _Rows:
    """The rows of all reports, a list for each column."""

    path: object
    moments: list[datetime] = field(default_factory=list)
    reports: list[int] = field(default_factory=list)
    devices: list[str] = field(default_factory=list)
    figures: list[list[str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    heading: Heading = field(default_factory=Heading)

    def column(self, name: str) -> pa.Array:
        """Numbers. Raises ForeignError at a line that has none there."""
        place = self.columns.index(name)
        words = [row[place].replace(",", ".") for row in self.figures]
        try:
            found = pa.array(words, pa.string()).cast(pa.float64())
            fits = pc.and_(pc.greater_equal(found, 0.0), pc.less(found, _MOST))
            if pc.all(fits).as_py() is not False:
                return found
        except pa.ArrowInvalid:
            pass
        wrong = next(at for at, word in enumerate(words) if not _is_figure(word))
        where = f"{self.path}:{self.lines[wrong]}: {name}"
        raise unexpected(where, self.figures[wrong][place], "a number of at least 0")


def read(path: Path, reading: Reading) -> Run:
    """Read a file. Raises ForeignError if it is not in sar's form, and OSError."""
    return run_of_text(path, files.text(path, files.MADE, errors="replace"), reading)


def run_of_text(
    path: Path, text: str, reading: Reading, source: Source | None = None, place: object = None
) -> Run:
    """Read a text of sar that stands in `path`; `place` names it where it is not all of it."""
    rows = _rows(place or path, text, reading)
    if not rows.moments:
        raise ForeignError(rows.path, "no row of a disk; expected the text of `sar -d`")
    columns = SarColumns.of(rows.columns, rows.path)
    timeline = timeline_of(rows.moments, clock.elapsed(rows.moments), [True] * len(rows.moments))
    if timeline is None:
        raise ForeignError(rows.path, "only one report; sar's times are needed twice")
    times = [timeline.starts_s[report] for report in rows.reports]
    figures = {name: rows.column(name) for name in columns.needed()}
    samples, notes = columns.samples(times, rows.devices, figures)
    dated = rows.heading.day is not None or reading.start is not None
    heading = rows.heading
    own = Source(
        path,
        "sar",
        f"sar on {heading.host}" if heading.host else "sar",
        timeline.started.isoformat() if dated else "",
        heading.kernel,
        heading.processor,
        heading.processors,
    )
    notes = [*notes, *timeline.gaps()]
    return columns.disks().run(source or own, timeline, samples, reading, notes=notes)


def _rows(place: object, text: str, reading: Reading) -> _Rows:
    rows = _Rows(place)
    day = reading.start
    width = 0
    last = ""
    for number, line in _lines(text):
        if line.startswith("Linux "):
            rows.heading = Heading.of(line)
            day = day or rows.heading.day
        timed = _TIME.match(line)
        if not timed:
            # Averages begin with a word, in whatever language.
            width = width if not line else 0
            continue
        stamp, rest = timed[1], timed[2].split()
        if "DEV" in rest and "tps" in rest:
            if rows.columns and rest[1:] != rows.columns:
                raise ForeignError(f"{place}:{number}", "other columns than before")
            rows.columns, width = rest[1:], len(rest)
        elif not any(_is_number(word.replace(",", ".")) for word in rest[1:]):
            # Another report's heading, or a restart.
            width = 0
        elif width and len(rest) == width:
            if stamp != last:
                moment = clock.moment(stamp, day or datetime(2000, 1, 1))
                if moment is None:
                    raise unexpected(f"{place}:{number}", stamp, "a time")
                rows.moments.append(moment)
                last = stamp
            rows.reports.append(len(rows.moments) - 1)
            rows.devices.append(rest[0])
            rows.figures.append(rest[1:])
            rows.lines.append(number)
        elif width:
            problem = f"a row of {len(rest)}; expected {width} as in the heading"
            raise ForeignError(f"{place}:{number}", problem)
    return rows


def _lines(text: str) -> Iterator[tuple[int, str]]:
    return ((number, line.strip()) for number, line in enumerate(text.split("\n"), start=1))


def _is_figure(word: str) -> bool:
    return _is_number(word) and 0 <= float(word) < _MOST


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
