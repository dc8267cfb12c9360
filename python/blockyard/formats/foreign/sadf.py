"""What `sadf` makes of sar's files: `sadf -d FILE -- -d` and `sadf -j FILE -- -d`."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa

from blockyard.formats.foreign import clock
from blockyard.formats.foreign.error import ForeignError, unexpected
from blockyard.formats.foreign.iostat_json import host_of
from blockyard.formats.foreign.observations import Source
from blockyard.formats.foreign.reading import Reading
from blockyard.formats.foreign.sar_columns import SarColumns
from blockyard.formats.foreign.timeline import Timeline, timeline_of
from blockyard.formats.foreign.tree import Node
from blockyard.runs.run import Run
from blockyard.text import files

_HEADED = re.compile(r"^# hostname;interval;timestamp;DEV;(.*)$", re.MULTILINE)
_COMMAND = "expected the output of `sadf -d FILE -- -d`"
_JSON_COMMAND = "record disks: `sadf -j FILE -- -d`"


def is_csv(head: bytes) -> bool:
    """Whether a file that begins with `head` is sadf's CSV."""
    return re.search(rb"^# hostname;interval;timestamp;", head, re.MULTILINE) is not None


def is_json(document: Node) -> bool:
    """Whether a document of sysstat is sadf's, not iostat's."""
    sysstat = document.value["sysstat"]
    hosts = sysstat.get("hosts") if isinstance(sysstat, dict) else None
    first = hosts[0] if isinstance(hosts, list) and hosts else None
    return isinstance(first, dict) and "file-date" in first


def read_csv(path: Path, reading: Reading) -> Run:
    """Read the CSV in `path`. Raises ForeignError if it has no disks, and OSError."""
    text = files.text(path, files.MADE, errors="replace")
    headed = _HEADED.search(text)
    if headed is None:
        raise ForeignError(path, f"no column DEV; {_COMMAND}")
    if "[...]" in headed[1]:
        raise ForeignError(path, "all disks in one row, as of `sadf -dh`; leave the h out")
    names = headed[1].strip().split(";")
    columns = SarColumns.of(names, path)
    rows = _Rows(columns)
    host = ""
    width = 0
    for number, line in enumerate(text.split("\n"), start=1):
        words = line.strip().split(";")
        if line.startswith("#"):
            width = len(names) + 4 if words[3:4] == ["DEV"] else 0
        elif width and len(words) == width:
            host = words[0]
            figures = dict(zip(names, words[4:], strict=True))
            rows.add(f"{path}:{number}", words[2], words[3], figures, reading)
        elif width and line.strip() and "RESTART" not in line and words[3:4] != ["COMMENT"]:
            raise ForeignError(f"{path}:{number}", f"a row of {len(words)}; expected {width}")
    source = Source(path, "sar", f"sadf, of {host}")
    return rows.run(source, reading)


def read_json(path: Path, document: Node, reading: Reading) -> Run:
    """Read the document in `path`. Raises ForeignError if it has no disks."""
    host = host_of(path, document)
    rows: _Rows | None = None
    for report in host.get("statistics").items():
        if not report.has("disk"):
            continue
        stamp = report.get("timestamp")
        said = f"{stamp.get('date').text()} {stamp.get('time').text()}"
        for disk in report.get("disk").items():
            if rows is None:
                rows = _Rows(SarColumns.of([name for name, _ in disk.members()], path))
            figures = {name: str(disk.get(name).number()) for name in rows.columns.needed()}
            rows.add(stamp.place, said, disk.get("disk-device").text(), figures, reading)
    if rows is None:
        raise ForeignError(path, f"no disks; {_JSON_COMMAND}")
    source = Source(
        path,
        "sar",
        f"sadf, of {host.get('nodename').text()}",
        kernel=host.get("release").text(),
        processor=host.get("machine").text(),
        processors=host.get("number-of-cpus").whole(),
    )
    return rows.run(source, reading)


class _Rows:
    """The rows so far."""

    def __init__(self, columns: SarColumns) -> None:
        self.columns = columns
        self._moments: dict[str, datetime] = {}
        self._stamps: list[str] = []
        self._devices: list[str] = []
        self._figures: dict[str, list[float]] = {name: [] for name in columns.needed()}

    def add(
        self, place: str, stamp: str, device: str, figures: dict[str, str], reading: Reading
    ) -> None:
        """Add a row. Raises ForeignError at `place` if it is malformed."""
        if stamp not in self._moments:
            self._moments[stamp] = _moment(place, stamp, reading)
        self._stamps.append(stamp)
        self._devices.append(device)
        for name, own in self._figures.items():
            try:
                value = float(figures[name].replace(",", "."))
            except ValueError:
                value = -1.0
            if not 0 <= value < 1e18:
                raise unexpected(f"{place}: {name}", figures[name], "a number of at least 0")
            own.append(value)

    def run(self, source: Source, reading: Reading) -> Run:
        """Make a run of all rows; times may be in any order. Raises ForeignError for too few."""
        if not self._stamps:
            raise ForeignError(source.path, "no row of a disk")
        stamps = sorted(self._moments, key=lambda stamp: self._moments[stamp])
        timeline = _timeline([self._moments[stamp] for stamp in stamps])
        if timeline is None:
            raise ForeignError(source.path, "only one report; sar's times are needed twice")
        starts = dict(zip(stamps, timeline.starts_s, strict=True))
        figures = {name: pa.array(values) for name, values in self._figures.items()}
        times = [starts[stamp] for stamp in self._stamps]
        samples, notes = self.columns.samples(times, self._devices, figures)
        dated = Source(**{**vars(source), "started": timeline.started.isoformat()})
        notes = [*notes, *timeline.gaps()]
        return self.columns.disks().run(dated, timeline, samples, reading, notes=notes)


def _timeline(moments: list[datetime]) -> Timeline | None:
    seconds = [(moment - moments[0]).total_seconds() for moment in moments]
    return timeline_of(moments, seconds, [True] * len(moments))


def _moment(place: str, stamp: str, reading: Reading) -> datetime:
    """A stamp in seconds since 1970, as of `-U`, or a date and a time."""
    if stamp.isdecimal() and len(stamp) < 12:
        return datetime.fromtimestamp(int(stamp), UTC).replace(tzinfo=None)
    found = clock.moment(re.sub(r" (\d\d)-(\d\d)-(\d\d)", r" \1:\2:\3", stamp), reading.start)
    if found is None:
        raise unexpected(place, stamp, "a date and a time")
    return found
