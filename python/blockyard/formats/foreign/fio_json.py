"""What fio writes with `--output-format=json` or `json+`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import cast

from blockyard.formats.foreign.error import ForeignError
from blockyard.formats.foreign.fio_2 import as_fio_3
from blockyard.formats.foreign.fio_counts import Measured
from blockyard.formats.foreign.fio_jobs import (
    LATENCIES,
    Counts,
    counts_of,
    failures_of,
    jobs_of,
    latency_of,
)
from blockyard.formats.foreign.observations import (
    Interval,
    Observed,
    Series,
    Source,
    intervals_of,
    latencies_of,
    run_of,
)
from blockyard.formats.foreign.tree import Node
from blockyard.runs.run import Run
from blockyard.types.result import Op, Total

_MIB = 1 << 20
_MS = 1_000
# A century.
_LONGEST_S = 3_155_760_000


def is_fio(document: Node) -> bool:
    """Whether fio wrote a document."""
    return document.has("fio version")


def read(path: Path, documents: Sequence[Node]) -> Run:
    """Read the documents in `path`: one or, with `--status-interval`, several from one run.

    Raises ForeignError if they are not in fio's form or have no IO.
    """
    documents = [as_fio_3(document) for document in documents]
    last = documents[-1]
    jobs = jobs_of(last)
    latency = latency_of(jobs)
    counts = [counts_of(jobs_of(document), latency) for document in documents]
    times = _times(documents, counts[0])
    reason = "; ".join(failures_of(jobs)) or None
    done = {series: found for series, found in counts[-1].items() if found.ios}
    if not done:
        raise ForeignError(path, f"no IO in it{f': {reason}' if reason else ''}")
    duration = round(max(times[-1], *(found.seconds for found in done.values())), 3)
    if duration > _LONGEST_S:
        raise ForeignError(path, f"a run of {duration:,.0f} s")
    intervals = list(_intervals(path, counts, times, done)) if len(documents) > 1 else []
    # Latencies over the whole run cannot be assigned to times.
    whole = [] if intervals else [_interval(*item, 0.0, duration) for item in done.items()]
    if not all(found.latency_us or found.mean_us is None for found in done.values()):
        # The means are known all the same.
        intervals = intervals or whole
    engine = f"{last.get('fio version').text()}, {LATENCIES[latency]}"
    source = Source(path, "fio", engine, _started(last, duration))
    observed = Observed(
        duration,
        [_total(series, found, intervals) for series, found in done.items()],
        intervals_of(intervals),
        latencies_of([*intervals, *whole]),
        percentiles={
            ".".join(series): found.percentiles
            for series, found in done.items()
            if found.percentiles and not found.bins
        },
        reason=reason,
        notes=list(_notes(done)),
    )
    return run_of(source, observed)


def _notes(done: Mapping[Series, Measured]) -> Iterator[str]:
    """Yield what a reader must know of the percentiles."""
    told = {job: found for (job, _, _), found in done.items() if found.parts and not found.bins}
    for job, found in told.items():
        yield (
            f"{job}: percentiles are interpolated from those of {len(found.parts)} processes; "
            "--group_reporting or json+ gives fio's own"
        )


def _started(last: Node, duration: float) -> str:
    if not last.has("timestamp_ms"):
        return ""
    stamp = last.get("timestamp_ms")
    try:
        started = datetime.fromtimestamp(stamp.number() / _MS - duration, UTC)
    except (OverflowError, ValueError, OSError) as error:
        raise stamp.unexpected("milliseconds since 1970") from error
    return f"{started:%Y-%m-%dT%H:%M:%SZ}"


def _times(documents: Sequence[Node], first: Counts) -> list[float]:
    """Return the time at which each document was written, in seconds since the run began."""
    if len(documents) == 1:
        return [max((found.seconds for found in first.values()), default=0.0)]
    stamps = [document.get("timestamp_ms").number() / _MS for document in documents]
    begun = stamps[0] - max((found.seconds for found in first.values()), default=0.0)
    return [stamp - begun for stamp in stamps]


def _intervals(
    path: Path, counts: Sequence[Counts], times: Sequence[float], done: Iterable[Series]
) -> Iterator[Interval]:
    """Yield what was done between successive documents."""
    usual = median(after - before for before, after in pairwise([0.0, *times]))
    *earlier, last = zip(times, counts, strict=True)
    # The last document often follows immediately after the one before it.
    kept = [(end, found) for end, found in earlier if last[0] - end >= usual / 2]
    for (start, before), (end, after) in pairwise([(0.0, Counts()), *kept, last]):
        if end <= start:
            raise ForeignError(path, "a document that is not later than the one before")
        for series in done:
            first = before.get(series, Measured())
            part = after.get(series, Measured()).since(first)
            if part is None:
                raise ForeignError(path, f"fewer IOs of {series[0]} than in the document before")
            yield _interval(series, part, start, end - start)


def _interval(series: Series, part: Measured, start: float, length: float) -> Interval:
    return Interval(start, length, series, part.ios, part.bytes, part.mean_us, part.histogram)


def _total(series: Series, found: Measured, intervals: Sequence[Interval]) -> Total:
    # fio's times are whole milliseconds.
    seconds = max(found.seconds, 1 / _MS)
    rates = [part.ios / part.length_s for part in intervals if part.series == series]
    job, device, op = series
    return {
        "job": job,
        "device": device,
        "op": cast(Op, op),
        "ios": found.ios,
        "bytes": found.bytes,
        "iops": found.ios / seconds,
        "mib_per_s": found.bytes / _MIB / seconds,
        "peak_iops": max(rates, default=found.ios / seconds),
        "errors": 0,
        "latency_us": found.latency_us,
    }
