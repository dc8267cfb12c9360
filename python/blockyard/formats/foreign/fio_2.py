"""JSON of fio 2, brought into the form of fio 3."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from blockyard.formats.foreign.tree import Node

_NS_PER_US = 1_000
_MS = 1_000
_KIB = 1_024


def is_fio_2(document: Node) -> bool:
    """Whether a document has latencies in microseconds, which fio 3 has in nanoseconds."""
    jobs = document.value.get("jobs") or document.value.get("client_stats")
    return isinstance(jobs, list) and any(
        isinstance(job, dict) and isinstance(job.get("read"), dict) and "clat" in job["read"]
        for job in jobs
    )


def as_fio_3(document: Node) -> Node:
    """Return a document of fio 2 as fio 3 would have written it; others as they are."""
    if not is_fio_2(document):
        return document
    value = dict(document.value)
    for key in ("jobs", "client_stats"):
        if key in value:
            value[key] = [_job(job) for job in value[key]]
    if "timestamp_ms" not in value and isinstance(value.get("timestamp"), int):
        value["timestamp_ms"] = value["timestamp"] * _MS
    return replace(document, value=value)


def _job(job: object) -> object:
    if not isinstance(job, dict):
        return job
    ops = {op: _op(job[op]) for op in ("read", "write", "trim", "mixed") if op in job}
    return job | ops


def _op(counts: object) -> object:
    """Change the units of one kind of IO; what is not of fio's form stays, and is refused later."""
    if not isinstance(counts, dict):
        return counts
    made = dict(counts)
    if isinstance(made.get("io_bytes"), int):
        made["io_bytes"] *= _KIB
    if "total_ios" not in made and _is_number(made.get("iops"), made.get("runtime")):
        # Versions before 2.1 count none.
        made["total_ios"] = round(made["iops"] * made["runtime"] / _MS)
    for name in ("slat", "clat", "lat"):
        # Of a direction without IO it may be empty.
        if made.get(name) and isinstance(made[name], Mapping):
            made[f"{name}_ns"] = _latency(made.pop(name), made.get("total_ios"))
    return made


def _latency(figures: Mapping[str, Any], ios: object) -> dict[str, object]:
    """Scale to nanoseconds. fio 2 fills a short list of percentiles with 0.00."""
    made = {name: _scaled(value) for name, value in figures.items() if name != "percentile"}
    listed = figures.get("percentile")
    if isinstance(listed, Mapping):
        stated = {key: value for key, value in listed.items() if key.strip("0.")}
        made["percentile"] = {key: _scaled(value) for key, value in stated.items()}
    return {"N": ios, **made}


def _scaled(value: object) -> object:
    return value * _NS_PER_US if _is_number(value) and isinstance(value, int | float) else value


def _is_number(*values: object) -> bool:
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
