"""The JSON that `iostat -x -t -o JSON` writes."""

from datetime import datetime
from pathlib import Path

import pyarrow as pa

from blockyard.formats.foreign import clock
from blockyard.formats.foreign.disks import Disks
from blockyard.formats.foreign.error import ForeignError
from blockyard.formats.foreign.iostat import ONE_REPORT
from blockyard.formats.foreign.observations import Source
from blockyard.formats.foreign.timeline import timeline_of
from blockyard.formats.foreign.tree import Node
from blockyard.runs.run import Run


def is_iostat(document: Node) -> bool:
    """Whether iostat wrote a document."""
    return document.has("sysstat")


def read(path: Path, document: Node) -> Run:
    """Read the document in `path`.

    Raises ForeignError if it is not in iostat's form.
    """
    hosts = list(document.get("sysstat").get("hosts").items())
    if len(hosts) != 1:
        raise ForeignError(path, f"{len(hosts)} hosts; expected 1")
    reports = list(hosts[0].get("statistics").items())
    moments = [_moment(report) for report in reports]
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
    host = hosts[0]
    source = Source(
        path,
        "iostat",
        f"iostat on {host.get('nodename').text()}",
        timeline.started.isoformat(),
        kernel=host.get("release").text(),
        processor=host.get("machine").text(),
        processors=host.get("number-of-cpus").whole(),
    )
    return disks.run(source, timeline, samples)


def _moment(report: Node) -> datetime:
    if not report.has("timestamp"):
        raise ForeignError(report.place, "no timestamp; iostat needs -t")
    stamp = report.get("timestamp")
    moment = clock.moment(stamp.text())
    if moment is None:
        raise stamp.unexpected("a date and a time")
    return moment
