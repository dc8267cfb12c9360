"""The JSON that `iostat -x -t -o JSON` writes."""

from datetime import datetime, timedelta
from pathlib import Path

import pyarrow as pa

from blockyard.formats.foreign import clock
from blockyard.formats.foreign.disks import Disks
from blockyard.formats.foreign.error import ForeignError
from blockyard.formats.foreign.iostat import ONE_REPORT
from blockyard.formats.foreign.iostat_reports import NO_TIME
from blockyard.formats.foreign.observations import Source
from blockyard.formats.foreign.reading import Reading
from blockyard.formats.foreign.timeline import timeline_of
from blockyard.formats.foreign.tree import Node
from blockyard.runs.run import Run


def host_of(path: Path, document: Node) -> Node:
    """The one host of a document of sysstat. Raises ForeignError if there are several."""
    hosts = list(document.get("sysstat").get("hosts").items())
    if len(hosts) != 1:
        raise ForeignError(path, f"{len(hosts)} hosts; expected 1")
    return hosts[0]


def read(path: Path, document: Node, reading: Reading) -> Run:
    """Read the document in `path`.

    Raises ForeignError if it is not in iostat's form.
    """
    host = host_of(path, document)
    reports = list(host.get("statistics").items())
    moments = [_moment(report, number, reading) for number, report in enumerate(reports)]
    # The first report covers the time since the boot.
    kept = reports[1:]
    timeline = timeline_of(moments, clock.elapsed(moments), [False, *(True for _ in kept)])
    if timeline is None:
        raise ForeignError(path, ONE_REPORT)
    rows = [
        (start, disk)
        for start, report in zip(timeline.starts_s, kept, strict=True)
        for disk in report.get("disk").items()
    ]
    if not rows:
        raise ForeignError(path, "no disks")
    columns = [name for name, _ in rows[0][1].members()]
    disks = Disks(columns, path)
    samples = pa.table(
        {
            "t_s": [start for start, _ in rows],
            "device": [disk.get("disk_device").text() for _, disk in rows],
            **{name: [disk.get(name).number() for _, disk in rows] for name in disks.needed()},
        }
    )
    dated = reports[0].has("timestamp") or reading.start is not None
    source = Source(
        path,
        "iostat",
        f"iostat on {host.get('nodename').text()}",
        timeline.started.isoformat() if dated else "",
        kernel=host.get("release").text(),
        processor=host.get("machine").text(),
        processors=host.get("number-of-cpus").whole(),
    )
    return disks.run(source, timeline, samples, reading, notes=timeline.gaps())


def _moment(report: Node, number: int, reading: Reading) -> datetime:
    if not report.has("timestamp"):
        if reading.interval_s is None:
            raise ForeignError(report.place, NO_TIME)
        begin = reading.start or datetime(2000, 1, 1)
        return begin + timedelta(seconds=number * reading.interval_s)
    stamp = report.get("timestamp")
    moment = clock.moment(stamp.text())
    if moment is None:
        raise stamp.unexpected("a date and a time")
    return moment
