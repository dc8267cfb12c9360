"""What sysbench prints of its OLTP tests: reports by interval, and the summary."""

import re
from collections.abc import Iterator
from pathlib import Path

from blockyard.formats.foreign.error import ForeignError
from blockyard.formats.foreign.observations import Source
from blockyard.formats.foreign.transactions_of import Interval, Transactions, run_with
from blockyard.runs.run import Percentiles, Run
from blockyard.text import files

JOB = "sysbench"
_MS_TO_US = 1_000

_INTERVAL = re.compile(r"(?m)^\[ *(\d+)s ?\].*?\btps: (\d+(?:\.\d+)?)")
_COUNT = re.compile(r"(?m)^\s+transactions:\s+(\d+)\s+\((\d+(?:\.\d+)?) per sec\.\)")
_LATENCY = re.compile(r"(?m)^\s+(min|avg|max|(\d+)(?:th|st|nd|rd) percentile): +(\d+(?:\.\d+)?)$")


def is_sysbench(head: bytes) -> bool:
    """Whether a file begins as sysbench's report."""
    return bool(re.search(rb"(?m)^sysbench \d", head))


def read(path: Path) -> Run:
    """Read a report of transactions. Raises ForeignError for other tests, and OSError."""
    text = files.text(path, files.MADE, errors="replace")
    intervals = list(_intervals(text))
    counted = _COUNT.search(text)
    if not (counted or intervals):
        raise ForeignError(
            path, "a report of sysbench without transactions; expected one of its OLTP tests"
        )
    count = int(counted[1]) if counted else sum(part.count for part in intervals)
    tps = float(counted[2]) if counted else 0.0
    if not count:
        raise ForeignError(path, "no transaction in it")
    ended = intervals[-1].start_s + intervals[-1].length_s if intervals else 0.0
    duration = count / tps if tps else ended
    figures = {found[1]: float(found[3]) * _MS_TO_US for found in _LATENCY.finditer(text)}
    whole = [Interval(0.0, duration, count, figures.get("avg"))]
    done = Transactions(
        JOB,
        duration,
        count,
        intervals or whole,
        percentiles=_percentiles(text, figures),
        notes=[*_note(text, figures)],
    )
    return run_with(Source(path, "sysbench", f"{_version(text)}, latencies as a summary"), done)


def _intervals(text: str) -> Iterator[Interval]:
    before = 0.0
    for found in _INTERVAL.finditer(text):
        end = float(found[1])
        if end > before:
            yield Interval(before, end - before, round(float(found[2]) * (end - before)))
        before = end


def _percentiles(text: str, figures: dict[str, float]) -> Percentiles:
    if not {"min", "max"} <= figures.keys():
        return []
    known = {0.0: figures["min"], 1.0: figures["max"]}
    for found in _LATENCY.finditer(text):
        # With --percentile=0 sysbench measures none, and prints 0.
        if found[2] and 0 < int(found[2]) < 100 and float(found[3]):
            known[int(found[2]) / 100] = float(found[3]) * _MS_TO_US
    return sorted(known.items())


def _note(text: str, figures: dict[str, float]) -> Iterator[str]:
    named = {"avg": "mean", "max": "max"}
    said = [
        f"{name} {figures[key] / _MS_TO_US:g} ms" for key, name in named.items() if key in figures
    ]
    for found in _LATENCY.finditer(text):
        if found[2] and float(found[3]):
            said.insert(1, f"p{found[2]} {found[3]} ms")
    if said:
        yield f"{JOB}: latency {', '.join(said)}; sysbench prints no more percentiles"


def _version(text: str) -> str:
    found = re.search(r"(?m)^(sysbench [\d.]+)", text)
    return found[1] if found else "sysbench"
