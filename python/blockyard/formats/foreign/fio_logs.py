"""fio's logs: a folder of them, or a single one.

    readers_lat.1.log    latencies with submission; `clat` without, `slat` of it alone
    readers_iops.1.log   IOs
    readers_bw.1.log     bandwidth
    readers_clat_hist.1.log    histograms of completion latencies

Logs with the same prefix belong to one job. Only its name says what a log contains.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from blockyard.formats.foreign import fio_bins, fio_io_logs, fio_means
from blockyard.formats.foreign.error import ForeignError
from blockyard.formats.foreign.fio_means import Process
from blockyard.formats.foreign.fio_samples import OPS, Cell, Cells, Samples, samples
from blockyard.formats.foreign.observations import (
    DEVICE,
    JOB,
    Interval,
    Observed,
    Source,
    intervals_of,
    latencies_of,
    run_of,
    totals_of,
)
from blockyard.runs.run import Run
from blockyard.types.result import Total

_NAME = re.compile(
    r"(?P<job>.*)_(?P<kind>clat_hist|lat|clat|slat|iops|bw)(?:\.(?P<process>\d+))?\.log", re.S
)
_LINE = re.compile(rb"\s*(\d{1,15})\s*,\s*\d+\s*,\s*\d+\s*,\s*\d+\s*[,\n]")
# Logs with a line for each IO, the most informative first, and whether they contain latencies.
_EACH = {"lat": True, "clat": True, "bw": False, "iops": False, "slat": False}
# Larger times count from 1970, because of `log_unix_epoch` and similar options.
_EPOCH_MS = 10**11
_MS_PER_S = 1_000
# fio never logged a run with more intervals than this.
_MOST = 1_000_000

# The part of the first line that is read to see where times begin.
_HEAD = 256
_MEANT = ["lat", "clat", "iops", "bw"]
_MEANINGS = {"lat": "latencies with submission", "clat": "completion latencies"}

# Paths by kind and process.
Logs = dict[str, dict[str, Path]]


@dataclass(frozen=True)
class _Job:
    """What the logs of one job say."""

    intervals: list[Interval]
    totals: list[Total]
    duration_s: float
    meaning: str


def is_log(path: Path) -> bool:
    """Whether a file is named like a log of fio."""
    return _NAME.fullmatch(path.name) is not None


def looks_like_log(head: bytes) -> bool:
    """Whether a file that begins with `head` has lines like those of a log of fio."""
    return _LINE.match(head) is not None


def read(path: Path) -> Run:
    """Read one log, or the logs in a folder.

    Raises ForeignError if it is not in fio's form, and OSError.
    """
    found = sorted(path.iterdir()) if path.is_dir() else [path]
    logs = [log for log in found if is_log(log) and log.stat().st_size]
    if not logs:
        names = "NAME_lat.1.log, NAME_clat.1.log, NAME_iops.1.log, NAME_bw.1.log"
        raise ForeignError(path, f"no log of fio; expected the names that fio gives: {names}")
    origin = _origin(logs)
    jobs = [_job(path, name, of, origin) for name, of in sorted(_by_job(logs).items())]
    intervals = sorted(
        (part for job in jobs for part in job.intervals), key=lambda part: part.start_s
    )
    duration = max(job.duration_s for job in jobs)
    observed = Observed(
        duration,
        [total for job in jobs for total in job.totals],
        intervals_of(intervals),
        latencies_of(intervals),
    )
    meaning = "; ".join(dict.fromkeys(job.meaning for job in jobs))
    started = f"{datetime.fromtimestamp(origin / _MS_PER_S, UTC):%Y-%m-%dT%H:%M:%SZ}"
    return run_of(
        Source(path, "fio", f"fio's logs, {meaning}", started if origin else ""), observed
    )


def each_io(path: Path) -> list[Samples]:
    """Read the latencies of each IO in a log, or in a folder of them; none if means are logged.

    With submission where a job has such a log. Raises ForeignError and OSError as `read` does.
    """
    found = sorted(path.iterdir()) if path.is_dir() else [path]
    logs = [log for log in found if is_log(log) and log.stat().st_size]
    origin = _origin(logs)
    each: list[Samples] = []
    for kinds in _by_job(logs).values():
        kind = next((kind for kind in _MEANINGS if kind in kinds), None)
        of_job = [samples(log, origin) for log in kinds[kind].values()] if kind else []
        if not of_job or any(log.averaged for log in of_job):
            return []
        each += of_job
    return each


def _origin(logs: Sequence[Path]) -> int:
    """Return the earliest time in all logs if they count from 1970, otherwise 0."""
    first: list[int] = []
    for log in logs:
        with log.open("rb") as file:
            found = _LINE.match(file.read(_HEAD))
        first += [int(found[1])] if found else []
    return min(first) if first and min(first) > _EPOCH_MS else 0


def _by_job(logs: Sequence[Path]) -> dict[str, Logs]:
    jobs: dict[str, Logs] = {}
    for log in logs:
        if found := _NAME.fullmatch(log.name):
            kinds = jobs.setdefault(found["job"] or JOB, {})
            kinds.setdefault(found["kind"], {})[found["process"] or ""] = log
    return jobs


def _job(path: Path, name: str, logs: Logs, origin: int) -> _Job:
    for kind, latencies in _EACH.items():
        if kind in logs:
            each = [samples(log, origin) for log in logs[kind].values()]
            if any(log.averaged for log in each):
                break
            cells = fio_io_logs.cells_of(each, latencies=latencies)
            last_ms = max(log.last_ms for log in each)
            meaning = _MEANINGS.get(kind, "without latencies")
            return _made(path, name, cells, fio_io_logs.LENGTH_S, last_ms, meaning)
    processes = [
        _process(
            path, name, {kind: of[number] for kind, of in logs.items() if number in of}, origin
        )
        for number in sorted({number for of in logs.values() for number in of})
    ]
    length = fio_means.length_of(processes)
    cells = fio_means.cells_of(processes, length)
    last_ms = max(process.last_ms for process in processes)
    if "clat_hist" in logs:
        meaning = "histograms of completion latencies, within 0.8 %"
    else:
        kind = next((kind for kind in _MEANINGS if kind in logs), "")
        meaning = f"means of {_MEANINGS[kind]}" if kind else "without latencies"
    return _made(path, name, cells, length, last_ms, meaning)


def _process(path: Path, name: str, logs: dict[str, Path], origin: int) -> Process:
    """Read the logs of one process, by kind."""
    means = {kind: samples(log, origin) for kind, log in logs.items() if kind in _MEANT}
    hist = logs.get("clat_hist")
    process = Process(
        ios=means.get("iops"),
        bandwidth=means.get("bw"),
        latencies=means.get("lat", means.get("clat")),
        windows=list(fio_bins.windows(hist, origin)) if hist else [],
    )
    if not process.windows and not (process.ios and process.bandwidth):
        needed = f"{name}_iops and {name}_bw"
        raise ForeignError(path, f"means of {name}, of how many IOs is not known; needs {needed}")
    return process


def _made(path: Path, name: str, cells: Cells, length: float, last_ms: int, meaning: str) -> _Job:
    ops = [op for op in OPS if any(op == found for found, _ in cells)]
    last = max((number for _, number in cells), default=0)
    if last > _MOST:
        raise ForeignError(path, f"a run of {last * length:,.0f} s; expected at most {_MOST:,} s")
    duration = max(1, last_ms) / _MS_PER_S
    nothing = Cell(0, 0)
    intervals: list[Interval] = []
    for number in range(last + 1):
        for op in ops:
            cell = cells.get((op, number), nothing)
            start, series = number * length, (name, DEVICE, op)
            intervals.append(
                Interval(start, length, series, cell.ios, cell.bytes, cell.mean_us, cell.histogram)
            )
    totals = totals_of(intervals_of(intervals), length, duration, latencies_of(intervals))
    return _Job(intervals, totals, duration, meaning)
