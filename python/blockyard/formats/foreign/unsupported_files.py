"""Files that are not read, but are known: what they are, and what to give in their place."""

import re
from pathlib import Path

_HEAD = 1 << 14

_IOSTAT = "record with `iostat -x -t 1`"
_STORAGE = "record what the database's host sees, with `iostat -x -t 1`"
_STATE = "state its peak rates in a requirement of `plan`"

# What a file's beginning has, what the file is then, and what to do. The first that fits counts.
_KINDS = [
    (rb"\A\x1f\x8b", "compressed by gzip", "unpack it with gunzip"),
    (rb"\A(\(.BSD\) )?\d;fio-", "fio's terse output", "use `--output-format=json+`"),
    (rb"\A\s*\{?\s*\"sysstat\"", "sadf's JSON", _IOSTAT),
    (rb"\bprocs -+memory", "vmstat's report", _IOSTAT),
    (rb"\A\s+\d+\s+\d+ \w+( \d+){11}", "a copy of /proc/diskstats", _IOSTAT),
    (rb"\ALinux .*\n\n.*\b(DEV|tps|runq-sz|%user)\b", "a report of sar", _IOSTAT),
    (rb"\"MetricDataResults\"|\"Datapoints\"", "CloudWatch's figures", _STATE),
    (rb"\"VolumeId\"", "AWS's description of volumes", "write them as `storage` of a scenario"),
    (rb"http_req_duration|\"type\":\s*\"Metric\"",
     "k6's requests to an application, which say nothing of storage", _STORAGE),
    (rb"_bucket\{.*le=", "a histogram of Prometheus, with buckets too wide for percentiles",
     _STORAGE),
    (rb"\A# (HELP|TYPE) \w|\"resultType\"", "Prometheus's figures", _STATE),
    (rb"SystemPerformance|pButtons", "a report of IRIS's SystemPerformance",
     "read the database that yaspe makes of it"),
    (rb"(?s)(\A|\n)storage:.*\nworkload:", "a scenario", "simulate it first"),
]  # fmt: skip


def known_as(path: Path) -> str | None:
    """What a file that is not read is, and what to do; None if it is not known."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    return next((f"{what}; {do}" for found, what, do in _KINDS if re.search(found, head)), None)
