"""What fio prints without `--output-format`, as the document that it would write as JSON.

Of fio 2 and 3. Sizes are rounded there to three or four digits; where all IOs have one size, the
bytes are exact.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from blockyard.formats.foreign.error import ForeignError, unexpected
from blockyard.text import files

_NUMBER = r"\d+(?:\.\d+)?[kMG]?"
_JOB = re.compile(r"(.*): \(groupid=(\d+), jobs=(\d+)\): err=\s*(\d+).*?: pid=(\d+)")
_SETUP = re.compile(r"(.*): \(g=\d+\): rw=(\w+), bs=(.*?), ioengine=")
# `read: IOPS=1137k, BW=4441MiB/s (4656MB/s)(97.7MiB/22msec)` of fio 3, and
# `read : io=3071.7MB, bw=55552KB/s, iops=13887, runt= 56621msec` of fio 2.
_DONE = re.compile(
    r"\s+(read|write|trim|mixed)\s*: (?:IOPS=.*\((?P<bytes>\d+(?:\.\d+)?\w*)/(?P<ms>\d+)msec\)"
    r"|io=(?P<io>\d+(?:\.\d+)?\w*),.* runt=\s*(?P<runt>\d+)msec)"
)
_LATENCY = re.compile(
    r"\s+(slat|clat|lat|sync) \((\w)sec\)\s*: "
    rf"min=\s*({_NUMBER}), max=\s*({_NUMBER}), avg=\s*({_NUMBER})"
)
_PERCENTILES = re.compile(r"\s+(clat|lat|slat|sync) percentiles \((\w)sec\)\s*:")
_PERCENTILE = re.compile(r"(\d+(?:\.\d+)?)th=\[\s*(\d+(?:\.\d+)?[kMG]?)\]")
_ISSUED_3 = re.compile(r"\s+issued rwts\s*: total=(\d+),(\d+),(\d+),(\d+)")
_ISSUED_2 = re.compile(r"\s+issued\s*: total=r=(\d+)/w=(\d+)/d=(\d+)")

_NS = {"n": 1, "u": 1_000, "m": 1_000_000, "s": 1_000_000_000}
_TIMES = {"": 1, "k": 1_000, "M": 1_000_000, "G": 1_000_000_000}
_BYTES = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_OPS = ("read", "write", "trim", "sync")


def is_text(head: bytes) -> bool:
    """Whether a file begins as fio's text."""
    return bool(re.search(rb"\(groupid=\d+, jobs=\d+\): err=|: \(g=\d+\): rw=", head))


@dataclass
class _Reading:
    """What has been read of a file."""

    path: Path
    setups: dict[str, tuple[str, str]] = field(default_factory=dict)
    # By name, group and process: what `--status-interval` prints again replaces the earlier.
    jobs: dict[tuple[str, str, str], dict[str, Any]] = field(default_factory=dict)
    version: str = "fio"
    job: dict[str, Any] = field(default_factory=dict)
    op: dict[str, Any] = field(default_factory=dict)
    percentiles: tuple[dict[str, float], int] | None = None


def document(path: Path) -> dict[str, Any]:
    """Read a file's jobs. Raises ForeignError if it has none that ended, and OSError."""
    text = files.text(path, files.MADE, errors="replace")
    versions = re.findall(r"(?m)^fio-\d\S*$", text)
    if len(versions) > 1:
        raise ForeignError(path, f"the output of {len(versions)} runs of fio; expected one")
    reading = _Reading(path, version=versions[0] if versions else "fio")
    for number, line in enumerate(text.splitlines(), start=1):
        _take(reading, number, line)
    if not reading.jobs:
        raise ForeignError(path, "fio's text without a job that ended; it was cut off")
    for job in reading.jobs.values():
        _exact(job, *reading.setups.get(job["jobname"], ("", "")))
    return {"fio version": reading.version, "jobs": list(reading.jobs.values())}


def _take(reading: _Reading, number: int, line: str) -> None:
    """Take in a line; most say nothing that counts."""
    if reading.percentiles and (found := list(_PERCENTILE.finditer(line))):
        values, unit = reading.percentiles
        values |= {f"{float(one[1]):f}": _number(one[2]) * unit for one in found}
        return
    reading.percentiles = None
    if setup := _SETUP.match(line):
        reading.setups[setup[1]] = (setup[2], setup[3])
    elif begun := _JOB.match(line):
        reading.job = {"jobname": begun[1], "groupid": int(begun[2]), "error": int(begun[4])}
        reading.jobs[begun[1], begun[2], begun[5]] = reading.job
    elif not reading.job:
        return
    elif done := _DONE.match(line):
        size = _size(reading, number, done["bytes"] or done["io"])
        reading.op = {"io_bytes": size, "runtime": int(done["ms"] or done["runt"])}
        reading.job[done[1]] = reading.op
    elif latency := _LATENCY.match(line):
        _figures(reading, latency[1]).update(_summary(latency))
    elif listed := _PERCENTILES.match(line):
        figures = _figures(reading, listed[1])
        reading.percentiles = figures.setdefault("percentile", {}), _NS[listed[2]]
    elif issued := _ISSUED_3.match(line) or _ISSUED_2.match(line):
        _issued(reading.job, issued.groups())


def _figures(reading: _Reading, name: str) -> dict[str, Any]:
    """Return the latencies of a name, of the direction under way or of the syncs."""
    of = reading.job.setdefault("sync", {}) if name == "sync" else reading.op
    key = "lat_ns" if name == "sync" else f"{name}_ns"
    figures: dict[str, Any] = of.setdefault(key, {})
    return figures


def _summary(found: re.Match[str]) -> Iterator[tuple[str, float]]:
    unit = _NS[found[2]]
    for name, text in zip(("min", "max", "mean"), found.groups()[2:], strict=True):
        yield name, _number(text) * unit


def _issued(job: dict[str, Any], counts: tuple[str, ...]) -> None:
    """Put in how many IOs there were; those whose latencies are known were all measured."""
    amounts = [int(text) for text in counts]
    named = dict(zip(_OPS, amounts, strict=False)) | {"mixed": sum(amounts[:3])}
    for name, ios in named.items():
        if name in job:
            job[name]["total_ios"] = ios
            for figures in (job[name].get(f"{kind}_ns") for kind in ("slat", "clat", "lat")):
                if figures and "mean" in figures:
                    figures["N"] = ios


def _exact(job: dict[str, Any], way: str, sizes: str) -> None:
    """Put in exact bytes where all IOs have one size, and what a cut file does not say."""
    if way:
        job["job options"] = {"rw": way}
    each = dict(re.findall(r"\((\w)\) (\d+)B-\2B", sizes))
    for op in ("read", "write", "trim"):
        if op in job:
            size = each.get(op[0].upper())
            ios = job[op].setdefault("total_ios", 0)
            if size:
                job[op]["io_bytes"] = ios * int(size)
    if "sync" in job:
        job["sync"].setdefault("total_ios", 0)


def _number(text: str) -> float:
    return float(text.rstrip("kMG")) * _TIMES[text[-1] if text[-1] in "kMG" else ""]


def _size(reading: _Reading, number: int, text: str) -> int:
    """Read `97.7MiB`, `3071.7MB` (binary in fio 2) or `4096B`."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(?:([KMGTk])i?)?B?", text)
    if not found:
        raise unexpected(f"{reading.path}:{number}", text, "a size such as 97.7MiB")
    return round(float(found[1]) * _BYTES.get((found[2] or "").upper(), 1))
