"""Counters of node_exporter or of the EBS CSI driver: Prometheus' answers, and scrapes."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from blockyard.formats.foreign import counters, ebs_csi
from blockyard.formats.foreign.counters import FIGURES, Counts
from blockyard.formats.foreign.error import ForeignError, unexpected
from blockyard.formats.foreign.observations import Source
from blockyard.formats.foreign.reading import Reading
from blockyard.formats.foreign.tree import Node
from blockyard.runs.run import Run
from blockyard.text import files
from blockyard.types.result.observed import EbsStatistics

# Which counter each metric is, and its unit: of seconds milliseconds, of bytes KiB. Older
# exporters have no `_total`, milliseconds and sectors, or other names.
_METRICS = {
    "reads_completed": ("reads", 1.0),
    "writes_completed": ("writes", 1.0),
    "read_bytes": ("read_kib", 1 / 1024),
    "bytes_read": ("read_kib", 1 / 1024),
    "written_bytes": ("written_kib", 1 / 1024),
    "bytes_written": ("written_kib", 1 / 1024),
    "read_time_seconds": ("read_ms", 1000.0),
    "write_time_seconds": ("write_ms", 1000.0),
    "read_time_ms": ("read_ms", 1.0),
    "write_time_ms": ("write_ms", 1.0),
}
_NAME = re.compile(rf"(?:.*[:_])?({'|'.join(_METRICS)})(_total)?(?P<rate>:?.*rate.*)?")
_LINE = re.compile(r"((?:node_disk|aws_ebs_csi)_\w+)\{([^}]*)\}\s+(\S+)(?:\s+(\d{10,16}))?\s*")
_LABEL = re.compile(r'(\w+)="([^"]*)"')
_QUERY = (
    'query the counters themselves: query_range of {__name__=~"node_disk_.*_(completed|bytes|'
    'time_seconds)_total", instance="HOST"}, or {__name__=~"aws_ebs_csi_.*_total"}'
)
_ONE_MOMENT = (
    "counters of one moment; rates need a time series: give the JSON of Prometheus' query_range, "
    "or scrapes one after another with --interval"
)


@dataclass(frozen=True)
class _Point:
    """A value of a metric of a device, by the place where it stands."""

    device: str
    figure: str
    is_rate: bool
    time: float
    value: float


def is_exposition(head: bytes) -> bool:
    """Whether a file that begins with `head` is what an exporter of disks' counters may give."""
    if re.search(rb"^[ \t]*(?:node_disk|aws_ebs_csi)_\w+\{", head, re.MULTILINE):
        return True
    metrics = re.search(rb"^[ \t]*# (?:HELP|TYPE) \w", head, re.MULTILINE)
    return metrics is not None and not re.search(rb"_bucket\{.*le=", head)


def is_answer(document: Node) -> bool:
    """Whether a document is an answer of Prometheus' API."""
    return document.has("status") and (document.has("data") or document.has("errorType"))


def read_answers(path: Path, documents: Sequence[Node], reading: Reading) -> Run:
    """Read answers, one for each query. Raises ForeignError if they lack what is needed."""
    points: list[_Point] = []
    instances: set[str] = set()
    for document in documents:
        if document.get("status").value != "success":
            said = document.get("error").text() if document.has("error") else "no success"
            raise ForeignError(path, f"Prometheus answered with an error: {said[:80]}")
        data = document.get("data")
        kind = data.get("resultType").text()
        if kind != "matrix":
            raise ForeignError(path, f"an answer of type {kind}, of one moment; {_QUERY}")
        for series in data.get("result").items():
            points += _series(series, instances)
    if len(instances) > 1:
        names = ", ".join(sorted(instances)[:4])
        raise ForeignError(path, f"{len(instances)} instances ({names}); expected one; {_QUERY}")
    on = f" of {min(instances)}" if instances else ""
    return _run(Source(path, "prometheus", f"Prometheus{on}"), points, reading, stamped=True)


def _series(series: Node, instances: set[str]) -> Iterator[_Point]:
    labels = {name: value.text() for name, value in series.get("metric").members()}
    if "__name__" not in labels:
        what = "rate() drops the names" if "device" in labels else "no names of metrics"
        raise ForeignError(series.place, f"{what}; {_QUERY}")
    found = _metric(labels["__name__"])
    if not found:
        return
    figure, unit, label, is_rate = found
    if label not in labels:
        raise ForeignError(series.place, f"no label `{label}`; a sum over devices tells no disk")
    if "instance" in labels:
        instances.add(labels["instance"])
    for pair in series.get("values").items():
        point = list(pair.items())
        if len(point) != 2:
            raise pair.unexpected("a time and a value")
        time, value = point
        number = _number(value.place, value.text())
        yield _Point(labels[label], figure, is_rate, time.number(), number * unit)


def _metric(name: str) -> tuple[str, float, str, bool] | None:
    """The figure of a metric, its unit, the label of its device, and whether it is a rate."""
    if by_ebs := ebs_csi.metric(name):
        return *by_ebs, ebs_csi.LABEL, False
    found = _NAME.fullmatch(name)
    if not found or name.startswith(ebs_csi.PREFIX):
        return None
    return *_METRICS[found[1]], "device", bool(found["rate"])


def read_exposition(path: Path, reading: Reading) -> Run:
    """Read scrapes. Raises ForeignError without a time series."""
    points: list[_Point] = []
    seen: dict[tuple[str, str], int] = {}
    stamped = True
    text = files.text(path, files.MADE, errors="replace")
    for number, line in enumerate(text.split("\n"), start=1):
        found = _LINE.fullmatch(line.strip())
        named = found and _metric(found[1])
        labels = dict(_LABEL.findall(found[2])) if found else {}
        if not (found and named and named[2] in labels):
            continue
        figure, unit, label, _ = named
        key = (labels[label], figure)
        seen[key] = seen.get(key, 0) + 1
        if found[4]:
            time = int(found[4]) / 1000
        else:
            stamped = False
            time = (seen[key] - 1) * (reading.interval_s or 0.0)
        value = _number(f"{path}:{number}", found[3]) * unit
        points.append(_Point(*key, is_rate=False, time=time, value=value))
    if not points:
        raise ForeignError(
            path,
            "an exporter's metrics without node_disk_* and aws_ebs_csi_*; expected node_exporter, "
            "or the EBS CSI driver of a node",
        )
    if len({point.time for point in points}) == 1:
        raise ForeignError(path, _ONE_MOMENT)
    of_csi = any(point.figure in ebs_csi.FIGURES for point in points)
    said = "the EBS CSI driver" if of_csi else "node_exporter"
    return _run(Source(path, "prometheus", said), points, reading, stamped=stamped)


def _run(source: Source, points: Sequence[_Point], reading: Reading, *, stamped: bool) -> Run:
    rows: dict[str, dict[float, dict[str, float]]] = {}
    rates: set[bool] = set()
    for point in points:
        rates.add(point.is_rate)
        rows.setdefault(point.device, {}).setdefault(point.time, {})[point.figure] = point.value
    ebs = _by_ebs(source.path, points)
    given = {point.figure for point in points}
    if missing := [figure for figure in FIGURES if figure not in given]:
        known, prefix = (ebs_csi.COUNTERS, ebs_csi.PREFIX) if ebs else (_METRICS, "node_disk_")
        wanted = next(name for name, (figure, _) in known.items() if figure == missing[0])
        raise ForeignError(source.path, f"no {prefix}{wanted}_total; {_QUERY}")
    if len(rates) > 1:
        raise ForeignError(source.path, f"rates beside counters; {_QUERY}")
    counted = {
        device: [
            (time, tuple(figures[name] for name in FIGURES))
            for time, figures in sorted(times.items())
            if figures.keys() >= {*FIGURES}
        ]
        for device, times in rows.items()
    }
    if rates == {True}:
        counted = {device: _summed(of) for device, of in counted.items()}
    length = None if stamped else reading.interval_s
    made = counters.rates_of(source.path, counted, length)
    run = counters.run_of(source, made, reading, stamped=stamped)
    seen = {total["device"] for total in run.result["totals"]}
    return replace(run, ebs={volume: own for volume, own in ebs.items() if volume in seen})


def _by_ebs(path: Path, points: Sequence[_Point]) -> dict[str, EbsStatistics]:
    """What EBS counted beside IOs, by volume."""
    found: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for point in points:
        if point.figure in ebs_csi.FIGURES:
            own = found.setdefault(point.device, {})
            own.setdefault(point.figure, []).append((point.time, point.value))
    if found and not found.keys() >= {point.device for point in points}:
        message = "the EBS CSI driver's counters are of some devices alone; expected them of all"
        raise ForeignError(path, message)
    return {volume: ebs_csi.statistics(path, volume, of) for volume, of in found.items()}


def _summed(rates: Sequence[tuple[float, Counts]]) -> list[tuple[float, Counts]]:
    """Counters that have these rates: each holds for the time since the one before."""
    made: list[tuple[float, Counts]] = []
    total: Counts = (0.0,) * len(FIGURES)
    for at, (time, rate) in enumerate(rates):
        step = time - rates[at - 1][0] if at else 0.0
        total = tuple(sum_ + step * one for sum_, one in zip(total, rate, strict=True))
        made.append((time, total))
    return made


def _number(place: str, word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = -1.0
    if not 0 <= value < 2.0**63:
        raise unexpected(place, word, "a number of at least 0")
    return value
