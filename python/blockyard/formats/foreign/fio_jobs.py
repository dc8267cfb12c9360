"""The jobs in one of fio's JSON documents."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace

from blockyard.formats.foreign.error import ForeignError
from blockyard.formats.foreign.fio_counts import Measured, measured
from blockyard.formats.foreign.observations import DEVICE, Series
from blockyard.formats.foreign.tree import Node

# Measured from submission, or from when the engine had the IO.
LATENCIES = {"lat_ns": "latencies with submission", "clat_ns": "completion latencies"}
_OPS = {"read": "read", "write": "write", "trim": "trim", "sync": "flush"}
_MS = 1_000
# The sum that a client with several servers adds.
_ALL = "All clients"
# Linux has no larger error numbers.
_ERRNOS = 4_096

Counts = dict[Series, Measured]


def jobs_of(document: Node) -> list[Node]:
    """Return the jobs in a document, whether from a client or a single fio.

    Options of `[global]` are those of each job that does not state them.
    """
    key = "client_stats" if document.has("client_stats") else "jobs"
    common = document.get("global options").value if document.has("global options") else {}
    jobs = [job for job in document.get(key).items() if job.get("jobname").text() != _ALL]
    return [_with_options(job, common) for job in jobs]


def _with_options(job: Node, common: object) -> Node:
    own = job.get("job options").value if job.has("job options") else {}
    if not (isinstance(own, dict) and isinstance(common, dict)):
        return job
    return replace(job, value=job.value | {"job options": common | own})


def latency_of(jobs: Sequence[Node]) -> str:
    """Choose the latencies: those with submission, unless only the others have percentiles."""
    for latency in LATENCIES:
        for job in jobs:
            for op in ("read", "write", "trim", "mixed"):
                counts = job.get(op) if job.has(op) else job
                if counts.has(latency) and counts.get(latency).has("percentile"):
                    return latency
    return "lat_ns"


def counts_of(jobs: Sequence[Node], latency: str) -> Counts:
    """Return what each job did; the processes of one are one.

    Jobs with one name in groups of their own, one after another, are numbered.
    """
    found: Counts = {}
    groups: dict[str, list[object]] = {}
    for job in jobs:
        group, seen = _group(job), groups.setdefault(job.get("jobname").text(), [])
        if group not in seen:
            seen.append(group)
    for job in jobs:
        name = job.get("jobname").text()
        if len(groups[name]) > 1:
            name = f"{name} {groups[name].index(_group(job)) + 1}"
        for op, part in _parts(job, latency):
            series = (name, _device(job), op)
            found[series] = found[series].together(part) if series in found else part
    return found


def _group(job: Node) -> object:
    return job.get("groupid").whole() if job.has("groupid") else 0


def failures_of(jobs: Sequence[Node]) -> Iterator[str]:
    """Yield a line for each error with which a job ended."""
    for job in jobs:
        number = job.get("error").whole() if job.has("error") else 0
        if number:
            meaning = os.strerror(number) if number < _ERRNOS else "unknown"
            yield f"{job.get('jobname').text()}: error {number} ({meaning})"


def _parts(job: Node, latency: str) -> Iterator[tuple[str, Measured]]:
    longest = 0.0
    for op, name in _OPS.items():
        if not job.has(op):
            continue
        counts = job.get(op)
        if op == "sync":
            yield name, measured(counts, "lat_ns", longest)
            continue
        seconds = counts.get("runtime").number() / _MS
        longest = max(longest, seconds)
        yield name, measured(counts, latency, seconds)
    if job.has("mixed") and not job.has("read"):
        mixed = job.get("mixed")
        seconds = mixed.get("runtime").number() / _MS
        yield _only_op(job), measured(mixed, latency, seconds)


def _only_op(job: Node) -> str:
    """Return what a job does that reports all directions as one."""
    way = _option(job, "rw") or _option(job, "readwrite") or "read"
    op = way.partition(":")[0].removeprefix("rand")
    if op not in ("read", "write", "trim"):
        why = f"reads and writes of rw={way} as one; expected fio without unified_rw_reporting=1"
        raise ForeignError(job.get("mixed").place, why)
    return op


def _device(job: Node) -> str:
    """Return the last part of the job's file name, or of its directory's."""
    stated = _option(job, "filename") or _option(job, "directory") or ""
    return stated.rstrip("/").rpartition("/")[2] or DEVICE


def _option(job: Node, name: str) -> str | None:
    options = job.get("job options") if job.has("job options") else None
    return options.get(name).text() if options and options.has(name) else None
