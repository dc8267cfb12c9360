"""pgbench: its summary, its progress reports, and its log of each transaction."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from blockyard._core import Histogram
from blockyard.formats.foreign.error import ForeignError
from blockyard.formats.foreign.observations import Source
from blockyard.formats.foreign.transactions_of import Interval, Transactions, run_with
from blockyard.runs.run import Run
from blockyard.text import files

JOB = "pgbench"
_US = 1_000_000
_MS_TO_US = 1_000
# A month.
_LONGEST_S = 2_678_400

_SUMMARY = re.compile(rb"(?m)^(transaction type|number of transactions actually processed): ")
_NUMBER = r"(\d+(?:\.\d+)?)"
_PROGRESS = re.compile(rf"(?m)^progress: {_NUMBER} s, {_NUMBER} tps, lat {_NUMBER} ms stddev ")
# Client, number, microseconds or what became of it, script, seconds and microseconds since 1970.
_EACH = re.compile(rb"\A\d+ \d+ (\d+|skipped|failed|serialization|deadlock) \d+ \d{9,10} \d{1,6}\b")
_AGGREGATED = re.compile(rb"\A\d{9,10}( \d+){5,}\r?\n")


def is_pgbench(head: bytes) -> bool:
    """Whether a file begins as what pgbench prints or logs."""
    if _EACH.match(head) or _AGGREGATED.match(head):
        return True
    return bool(_SUMMARY.search(head) or re.search(rb"(?m)^progress: [\d.]+ s, [\d.]+ tps", head))


def read(path: Path) -> Run:
    """Read a summary with or without progress, or a log. Raises ForeignError, and OSError."""
    with path.open("rb") as file:
        head = file.read(1 << 10)
    if _AGGREGATED.match(head):
        raise ForeignError(
            path, "pgbench's log by intervals; expected that of each transaction, -l alone"
        )
    return _of_log(path) if _EACH.match(head) else _of_report(path)


def _of_report(path: Path) -> Run:
    text = files.text(path, files.MADE, errors="replace")
    intervals = list(_progress(text))
    count = _figure(text, r"number of transactions actually processed: (\d+)")
    seconds = _figure(text, r"duration: (\d+) s\b")
    tps = _figure(text, r"tps = (\d+(?:\.\d+)?) \((?:without|excluding)")
    if count is None:
        if not intervals:
            raise ForeignError(path, "pgbench's report without its end; it was cut off")
        count = sum(part.count for part in intervals)
    if not count:
        raise ForeignError(path, "no transaction in it")
    ended = intervals[-1].start_s + intervals[-1].length_s if intervals else None
    # Connecting is no part of it: `tps` leaves that out.
    duration = count / tps if tps else seconds or ended
    if not duration:
        raise ForeignError(path, "pgbench's report without its rate; it was cut off")
    mean = _figure(text, r"latency average = (\d+(?:\.\d+)?) ms")
    known = f"mean latency {mean:g} ms" if mean else "latencies are means"
    whole = [Interval(0.0, duration, int(count), mean * _MS_TO_US if mean else None)]
    failed = _figure(text, r"number of failed transactions: (\d+)") or 0
    done = Transactions(
        JOB,
        duration,
        int(count),
        intervals or whole,
        failed=int(failed),
        notes=[f"{JOB}: {known}; its log of each transaction (-l) has percentiles"],
    )
    return run_with(Source(path, "pgbench", f"{_version(text)}, mean latencies"), done)


def _progress(text: str) -> Iterator[Interval]:
    before = 0.0
    for found in _PROGRESS.finditer(text):
        end, tps, mean_ms = map(float, found.groups())
        if end > before:
            length = end - before
            yield Interval(before, length, round(tps * length), mean_ms * _MS_TO_US)
        before = end


def _version(text: str) -> str:
    found = re.search(r"(?m)^pgbench \(([\w .]+)", text)
    return f"pgbench {found[1].strip()}" if found else "pgbench"


def _figure(text: str, pattern: str) -> float | None:
    found = re.search(pattern, text)
    return float(found[1]) if found else None


def _of_log(path: Path) -> Run:
    logs = _threads(path)
    table = pa.concat_tables([_table(log) for log in logs])
    ended = pc.add(pc.multiply(table["s"], _US), table["us"])
    is_number = pc.match_substring_regex(table["latency"], r"^\d+$")
    failed = table.num_rows - pc.sum(is_number).as_py()
    kept = pa.table({"end": ended, "latency": table["latency"]}).filter(is_number)
    if not kept.num_rows:
        raise ForeignError(path, "no transaction in it")
    latencies = kept["latency"].cast(pa.int64())
    begun = pc.min(pc.subtract(kept["end"], latencies)).as_py()
    duration = (pc.max(kept["end"]).as_py() - begun) / _US
    if duration > _LONGEST_S:
        raise ForeignError(path, f"a run of {duration:,.0f} s; expected at most {_LONGEST_S:,} s")
    second = pc.divide(pc.subtract(kept["end"], begun), _US)
    counted = (
        pa.table({"second": second, "latency": latencies})
        .group_by(["second", "latency"])
        .aggregate([([], "count_all")])
    )
    by_second: dict[int, tuple[list[float], list[int]]] = {}
    for row in counted.to_pylist():
        values, counts = by_second.setdefault(row["second"], ([], []))
        values.append(float(row["latency"]))
        counts.append(row["count_all"])
    source = Source(
        path, "pgbench", "pgbench's log, latency of each transaction", _since_1970(begun)
    )
    done = Transactions(
        JOB, max(duration, 1 / _US), kept.num_rows, list(_seconds(by_second)), failed=failed
    )
    return run_with(source, done)


def _seconds(by_second: dict[int, tuple[list[float], list[int]]]) -> Iterator[Interval]:
    for number in range(max(by_second) + 1):
        if number in by_second:
            histogram = Histogram.of(*by_second[number])
            count = sum(by_second[number][1])
            yield Interval(float(number), 1.0, count, histogram.mean_us, histogram)
        else:
            yield Interval(float(number), 1.0, 0)


def _threads(path: Path) -> Sequence[Path]:
    """Return the logs of all threads of a run: `pgbench_log.PID`, `pgbench_log.PID.1` and so on."""
    first = re.sub(r"(\.\d+)\.\d+$", r"\1", path.name)
    if not re.search(r"\.\d+$", first):
        return [path]
    beside = path.parent.glob(f"{first}.*")
    others = [log for log in beside if re.fullmatch(r"\.\d+", log.name.removeprefix(first))]
    return [log for log in (path.with_name(first), *sorted(others)) if log.exists()]


def _table(log: Path) -> pa.Table:
    names = ["client", "number", "latency", "script", "s", "us"]
    try:
        with log.open("rb") as file:
            more = len(file.readline().split()) - len(names)
        return pyarrow.csv.read_csv(
            log,
            read_options=pyarrow.csv.ReadOptions(
                column_names=[*names, *(f"more_{number}" for number in range(more))]
            ),
            parse_options=pyarrow.csv.ParseOptions(delimiter=" "),
            convert_options=pyarrow.csv.ConvertOptions(
                include_columns=["latency", "s", "us"],
                column_types={"latency": pa.string(), "s": pa.int64(), "us": pa.int64()},
            ),
        )
    except pa.ArrowInvalid as error:
        said = str(error).splitlines()[0]
        raise ForeignError(log, f"no log of transactions throughout: {said}") from error


def _since_1970(us: int) -> str:
    try:
        return f"{datetime.fromtimestamp(us // _US, UTC):%Y-%m-%dT%H:%M:%SZ}"
    except (OverflowError, ValueError, OSError):
        return ""
