"""Files that are not read, but are known: what they are, and what to give in their place."""

import re
from pathlib import Path

from blockyard.formats.foreign import packed

_HEAD = 1 << 14

_IOSTAT = "record with `iostat -x -t 1`"
_IMPORT = "`blockyard import aws` reads it"
_STORAGE = "record what the database's host sees, with `iostat -x -t 1`"
_STATE = "state its peak rates in a requirement of `plan`"

# What a file's beginning has, what the file is then, and what to do. The first that fits counts.
_KINDS = [
    (rb"\A(\(.BSD\) )?\d;fio-", "fio's terse output", "use `--output-format=json+`"),
    (rb"\bprocs -+memory", "vmstat's report, which counts blocks, not IOs", _IOSTAT),
    (rb"\ALinux .*\n\n.*(\btps|\brunq-sz|%user|IFACE)\b", "a report without disks",
     "record with `iostat -x -t 60` or `sar -d 60`"),
    (rb"\"MetricDataResults\"|\"Datapoints\"", "CloudWatch's figures", _IMPORT),
    (rb"\"VolumeId\"|\"DBInstance", "AWS's description of what there is", _IMPORT),
    (rb"http_req_duration|\"type\":\s*\"Metric\"",
     "k6's requests to an application, which say nothing of storage", _STORAGE),
    (rb"_bucket\{.*le=", "a histogram of Prometheus, with buckets too wide for percentiles",
     _STORAGE),
    (rb"(\A|\n)(storage|workload): *\r?(\n|\{|#)", "a scenario", "simulate it first"),
    (rb"(?m)^[ \t]*(rw|readwrite|ioengine)[ \t]*=", "a job file of fio",
     "`blockyard import fio` reads it"),
]  # fmt: skip


def known_as(path: Path) -> str | None:
    """What a file that is not read is, and what to do; None if it is not known."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if packed.program(head):
        with packed.unpacked(path) as copy:
            return _known(copy)
    return _known(path)


def _known(path: Path) -> str | None:
    with path.open("rb") as file:
        head = file.read(_HEAD)
    return next((f"{what}; {do}" for found, what, do in _KINDS if re.search(found, head)), None)
