"""The report of IRIS's SystemPerformance, once pButtons: sections of other programs' text."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from blockyard.formats.foreign import iostat, mgstat, sar
from blockyard.formats.foreign.clock import moment
from blockyard.formats.foreign.database import Row, timeline_of_table
from blockyard.formats.foreign.error import ForeignError
from blockyard.formats.foreign.observations import Source
from blockyard.formats.foreign.reading import Reading
from blockyard.formats.foreign.timeline import Timeline
from blockyard.runs.run import Run
from blockyard.text import files
from blockyard.types.result import Mode

# A section begins at its anchor, and ends at the next one.
_SECTION = re.compile(r'<div id="?([\w-]+)"?>')
_MGSTAT = re.compile(r"<!-- beg_mgstat -->(.*?)(?:<!-- end_mgstat -->|\Z)", re.DOTALL)
_MARKUP = re.compile(r"<[a-zA-Z/!][^>\n]*>")
_DAY = re.compile(r"Profile run .{0,200}? at (\d\d:\d\d:\d\d) on (\w{3} \d\d?) (\d{4})", re.DOTALL)
_HOST = re.compile(r"\bon machine (\S+)")
_MODE: Mode = "systemperformance"
_NOTHING = (
    "a report of SystemPerformance without iostat, sar -d or mgstat; of AIX and Windows nothing "
    "else is read"
)


@dataclass(frozen=True)
class _Text:
    """A part of the report, whose lines count as in the file."""

    text: str
    above: int

    @property
    def padded(self) -> str:
        """The text with so many empty lines before it that its lines have the file's numbers."""
        return "\n" * self.above + self.text


@dataclass(frozen=True)
class _Mgstat:
    """The table of mgstat."""

    path: Path
    columns: list[str]
    values: list[list[object]]

    def rows(self, _: str, columns: Sequence[str]) -> Iterator[list[Row]]:
        """Return columns, all rows at once."""
        at = [self.columns.index(column) for column in columns]
        yield [tuple(row[place] for place in at) for row in self.values]

    def distinct(self, table: str, columns: Sequence[str]) -> list[Row]:
        """Return the distinct rows of columns."""
        return list(dict.fromkeys(row for rows in self.rows(table, columns) for row in rows))


def is_report(head: bytes) -> bool:
    """Whether a file that begins with `head` is such a report."""
    named = b"<html" in head and (b"SystemPerformance" in head or b"pButtons" in head)
    return named or b"<!-- beg_mgstat -->" in head


def read(path: Path, reading: Reading) -> Run:
    """Read the disks from iostat's section, else from sar's; without one, mgstat's counters.

    Raises ForeignError if it has none of these, or they are malformed, and OSError.
    """
    text = files.text(path, files.MADE, errors="replace")
    host = f" on {found[1]}" if (found := _HOST.search(text)) else ""
    table = _table(path, text)
    timeline = None
    if table is not None and table.values:
        timeline, _ = timeline_of_table(table, "mgstat", table.columns, first=True)
    own = _timed(text, timeline, reading)
    sections = _sections(text)
    started = own.start.isoformat() if own.start else ""
    if (section := sections.get("iostat")) and iostat.is_iostat(section.text.encode()):
        source = Source(path, _MODE, f"SystemPerformance, iostat{host}", started)
        return iostat.run_of_text(path, section.padded.encode(), own, source)
    if (section := sections.get("sar-d")) and sar.is_sar(section.text.encode()):
        source = Source(path, _MODE, f"SystemPerformance, sar{host}", started)
        return sar.run_of_text(path, section.padded, own, source)
    if table is not None and timeline is not None:
        return mgstat.run(table, table.columns, _MODE, f"SystemPerformance, mgstat{host}")
    raise ForeignError(path, _NOTHING)


def _timed(text: str, timeline: Timeline | None, reading: Reading) -> Reading:
    """The begin that the report says, and the interval of mgstat, which all programs share."""
    start = reading.start
    if start is None and (found := _DAY.search(text)):
        start = moment(f"{found[2]} {found[1]}", datetime(int(found[3]), 1, 1))
    if start is None and timeline is not None:
        start = timeline.started
    length = reading.interval_s
    if length is None and timeline is not None:
        length = timeline.length_s
    return replace(reading, start=start, interval_s=length)


def _sections(text: str) -> dict[str, _Text]:
    found = list(_SECTION.finditer(text))
    sections: dict[str, _Text] = {}
    for number, one in enumerate(found):
        end = found[number + 1].start() if number + 1 < len(found) else len(text)
        body = _MARKUP.sub("", text[one.end() : end])
        sections.setdefault(one[1], _Text(body, text.count("\n", 0, one.end())))
    return sections


def _table(path: Path, text: str) -> _Mgstat | None:
    """The counters between two marks: a heading, then a row for each sample."""
    found = _MGSTAT.search(text)
    if not found:
        return None
    above = text.count("\n", 0, found.start(1)) + 1
    columns: list[str] = []
    values: list[list[object]] = []
    for number, line in enumerate(_MARKUP.sub("", found[1]).split("\n"), start=above):
        words = [word.strip() for word in line.strip().rstrip(",").split(",")]
        if "Glorefs" in words:
            columns = [*words, "datetime"]
        elif columns and len(words) + 1 == len(columns):
            values.append([*map(_value, words), f"{words[0]} {words[1]}"])
        elif columns and line.strip() and number < above + found[1].count("\n"):
            problem = f"mgstat: a row of {len(words)}; expected {len(columns) - 1}"
            raise ForeignError(f"{path}:{number}", problem)
    return _Mgstat(path, columns, values) if columns else None


def _value(word: str) -> object:
    """A number if it is one."""
    try:
        return float(word)
    except ValueError:
        return word
