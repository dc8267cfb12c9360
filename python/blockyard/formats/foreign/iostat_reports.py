"""The reports in iostat's text: where they are, and when they were made."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from mmap import mmap

from blockyard.formats.foreign import clock
from blockyard.formats.foreign.error import ForeignError, unexpected
from blockyard.formats.foreign.reading import Reading

# A row that a terminal wrapped has its last columns on the next line, so has a heading.
_REPORT = re.compile(
    rb"^(?:(?P<host>Linux [^\n]{0,200}\)[^\n]*)|"
    rb"(?:(?P<stamp>[^\n]{0,30}\d(?::|\xe6[\x80-\xbf]{2})\d\d[^\n]{0,25})\n)?"
    rb"(?:avg-cpu[^\n]*\n[^\n]*\n[ \t\r]*\n)?"
    rb"Device:?(?P<columns>[ \t][^\n]*?(?:\n[^\n\d]*?){0,4}?%util[ \t\r]*|[ \t][^\n]*)\n"
    rb"(?P<rows>(?:[ \t\r]*[^ \t\r\n][^\n]*(?:\n|\Z))*))",
    re.MULTILINE,
)
# What `iostat | ts` puts before each line, in the forms that people ask of it.
_PREFIX = (
    rb"\[?(?:[A-Z][a-z]{2} +\d{1,2} |\d{4}-\d\d-\d\d[ T])?\d\d:\d\d:\d\d(?:[.,]\d+)?"
    rb"(?:Z|[+-]\d\d:?\d\d)?\]?[:|]?"
)
_PREFIXED = re.compile(rb"^(" + _PREFIX + rb")[ \t]+(?:Device:?[ \t])", re.MULTILINE)
_PREFIXES = re.compile(rb"^" + _PREFIX + rb"(?:[ \t]|(?=\r?$))", re.MULTILINE)
# Linux 6.1.0-18-amd64 (db1)  11/21/26  _x86_64_  (8 CPU)
_HEADING = re.compile(r"Linux (\S+) \(([^)]*)\)(?:\s+(\S+))?(?:.*\s_(\S+)_\s+\((\d{1,6}) CPU\))?")
NO_TIME = (
    "no time; record with `iostat -x -t`, or say --interval 5s where it was `iostat -x 5`, and "
    "--start"
)


@dataclass(frozen=True)
class Report:
    """A report, and where its rows are in the text."""

    moment: datetime
    # The first report after a heading covers the time since the boot.
    since_boot: bool
    start: int
    end: int


@dataclass
class Heading:
    """What iostat says of the machine."""

    host: str = ""
    kernel: str = ""
    processor: str = ""
    processors: int = 0
    day: datetime | None = None

    @classmethod
    def of(cls, line: str) -> "Heading":
        """Read the line."""
        found = _HEADING.match(line)
        if not found:
            return cls()
        day = clock.moment(f"{found[3]} 00:00:00") if found[3] else None
        return cls(found[2], found[1], found[4] or "", int(found[5] or 0), day)


@dataclass
class Reports:
    """The reports of a text, which has no prefixes any more."""

    place: object
    text: bytes | mmap
    reading: Reading
    # Of each report, if each line had one.
    prefixes: list[str] = field(default_factory=list)
    heading: Heading = field(default_factory=Heading)
    columns: list[str] = field(default_factory=list)
    # Whether the day is known, too.
    dated: bool = True
    # How many reports stand twice, as in a file that was appended to itself.
    twice: int = 0
    # Whether the file ends within its last report, as of an iostat that was stopped.
    cut_off: bool = False

    @classmethod
    def of(cls, place: object, text: bytes | mmap, reading: Reading) -> "Reports":
        """Take the times before each line away, if it has any."""
        prefixes = [found[1].decode() for found in _PREFIXED.finditer(text)]
        if prefixes:
            text = _PREFIXES.sub(b"", bytes(text))
        return cls(place, text, reading, prefixes)

    def all(self) -> Iterator[Report]:
        """Yield the reports. Raises ForeignError for one without a time, or of other columns."""
        since_boot = False
        number = 0
        seen: set[tuple[str, int]] = set()
        for found in _REPORT.finditer(self.text):
            if found["host"]:
                self._head(found)
                since_boot = True
                continue
            columns = found["columns"].decode(errors="replace").split()
            if self.columns and columns != self.columns:
                raise ForeignError(self.at(found.start("columns")), "other columns than before")
            self.columns = columns
            self.cut_off = self._ends_within(found)
            if self.cut_off:
                return
            stamp = found["stamp"].decode(errors="replace") if found["stamp"] else ""
            once = (stamp, hash(found["rows"]))
            if stamp and once in seen:
                self.twice += 1
                since_boot = False
                continue
            seen.add(once)
            moment = self._moment(stamp, number, found.start())
            yield Report(moment, since_boot, *found.span("rows"))
            since_boot = False
            number += 1

    def _head(self, found: re.Match[bytes]) -> None:
        heading = Heading.of(found["host"].decode(errors="replace"))
        if self.heading.host not in ("", heading.host):
            expected = f"the reports of one machine, here of {self.heading.host}"
            raise unexpected(self.at(found.start()), heading.host, expected)
        self.heading = heading

    def _ends_within(self, found: re.Match[bytes]) -> bool:
        """Whether the text ends before a report does: iostat writes an empty line behind it."""
        if found.end() < len(self.text):
            return False
        rows = found["rows"]
        return not rows or (
            not rows.endswith(b"\n") and len(rows.split()) % (len(self.columns) + 1) > 0
        )

    def _moment(self, stamp: str, number: int, offset: int) -> datetime:
        if stamp:
            moment = clock.moment(stamp)
            if moment is None:
                raise unexpected(self.at(offset), stamp, "a date and a time")
            return moment
        if number < len(self.prefixes):
            return self._prefixed(self.prefixes[number], offset)
        if self.reading.interval_s is None:
            raise ForeignError(self.at(offset), NO_TIME)
        self.dated = self.reading.start is not None
        begin = self.reading.start or datetime(2000, 1, 1)
        return begin + timedelta(seconds=number * self.reading.interval_s)

    def _prefixed(self, prefix: str, offset: int) -> datetime:
        """The time before a line, whose day is the heading's if it has none."""
        stamp = prefix.strip("[]:| ")
        day = self.reading.start or self.heading.day
        self.dated = self.dated and (day is not None or stamp[:4].isdecimal())
        moment = clock.moment(stamp, day or datetime(2000, 1, 1))
        if moment is None:
            raise unexpected(self.at(offset), prefix, "a date and a time")
        return moment

    def at(self, offset: int) -> str:
        """The line at a place in the text."""
        line = self.text[:offset].count(b"\n") + 1
        return f"{self.place}:{line}"
