"""What pt-diskstats prints: rows of disks, sample by sample."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import pyarrow as pa

from blockyard.formats.foreign import clock, counters
from blockyard.formats.foreign.error import ForeignError, unexpected
from blockyard.formats.foreign.observations import Source
from blockyard.formats.foreign.reading import Reading
from blockyard.formats.foreign.timeline import timeline_of
from blockyard.runs.run import Run
from blockyard.text import files

_HEADED = re.compile(rb"^\s*#ts\s+device\s+rd_s\s", re.MULTILINE)
# What iostat calls the same, and the two ways to say how much was moved.
_SAME = {"r/s": "rd_s", "r_await": "rd_rt", "w/s": "wr_s", "w_await": "wr_rt"}
_MOVED = {"rkB/s": ("rd_s", "rd_avkb", "rd_mb_s"), "wkB/s": ("wr_s", "wr_avkb", "wr_mb_s")}
_NUMBERS = {*_SAME.values(), "rd_avkb", "rd_mb_s", "wr_avkb", "wr_mb_s"}
_KIB_PER_MIB = 1024
_SUMS = "rows of several samples or devices together; record with `pt-diskstats --group-by all`"


@dataclass
class _Sample:
    """The rows of one moment."""

    # As printed: the seconds that it covers, or with --show-timestamps its time.
    stamp: str
    place: str
    rows: dict[str, dict[str, float]]


def is_report(head: bytes) -> bool:
    """Whether a file that begins with `head` is what pt-diskstats prints."""
    return _HEADED.search(head) is not None


def read(path: Path, reading: Reading) -> Run:
    """Read a file. Raises ForeignError if it is malformed, and OSError."""
    samples = list(_samples(path))
    if not samples:
        raise ForeignError(path, "no row of a disk; expected what pt-diskstats prints")
    moments = _moments(samples, reading)
    timeline = timeline_of(moments, clock.elapsed(moments), [True] * len(moments))
    if timeline is None:
        raise ForeignError(path, "only one sample; two or more are needed")
    table = pa.Table.from_pylist(
        [
            {"t_s": start, "device": device, **figures}
            for start, sample in zip(timeline.starts_s, samples, strict=True)
            for device, figures in sample.rows.items()
        ]
    )
    started = timeline.started.isoformat() if reading.start else ""
    source = Source(path, "diskstats", "pt-diskstats", started)
    return counters.disks().run(source, timeline, table, reading, notes=timeline.gaps())


def _samples(path: Path) -> Iterator[_Sample]:
    """Yield the samples: a device that comes again begins the next one."""
    columns: list[str] = []
    sample: _Sample | None = None
    text = files.text(path, files.MADE, errors="replace")
    for number, line in enumerate(text.split("\n"), start=1):
        words = line.split()
        place = f"{path}:{number}"
        if words[:2] == ["#ts", "device"]:
            columns = words
        elif columns and words:
            if "{" in words[0] + words[min(1, len(words) - 1)]:
                raise ForeignError(place, _SUMS)
            if len(words) != len(columns):
                problem = f"a row of {len(words)}; expected {len(columns)} as in the heading"
                raise ForeignError(place, problem)
            if sample is None or words[1] in sample.rows or words[0] != sample.stamp:
                if sample is not None:
                    yield sample
                sample = _Sample(words[0], place, {})
            sample.rows[words[1]] = _figures(place, dict(zip(columns, words, strict=True)))
    if sample is not None:
        yield sample


def _figures(place: str, named: dict[str, str]) -> dict[str, float]:
    """What iostat says of a device."""
    try:
        own = {name: float(word) for name, word in named.items() if name in _NUMBERS}
    except ValueError as error:
        raise unexpected(place, " ".join(named.values()), "numbers") from error
    if not all(0 <= value < 1e15 for value in own.values()):
        raise unexpected(place, " ".join(named.values()), "numbers of at least 0")
    if missing := {*_SAME.values()} - own.keys():
        raise ForeignError(place, f"no column {min(missing)}")
    figures = {name: own[theirs] for name, theirs in _SAME.items()}
    for name, (rate, size, throughput) in _MOVED.items():
        if size in own:
            figures[name] = own[rate] * own[size]
        elif throughput in own:
            figures[name] = own[throughput] * _KIB_PER_MIB
        else:
            raise ForeignError(place, f"no column {size}")
    figures["aqu-sz"] = (own["rd_s"] * own["rd_rt"] + own["wr_s"] * own["wr_rt"]) / 1000
    return figures


def _moments(samples: list[_Sample], reading: Reading) -> list[datetime]:
    """The end of each sample, by its time or by how long each takes."""
    now = reading.start or datetime(2000, 1, 1)
    moments = []
    for sample in samples:
        if ":" in sample.stamp:
            found = clock.moment(sample.stamp, now)
            if found is None:
                raise unexpected(sample.place, sample.stamp, "a time")
            moments.append(found)
            continue
        try:
            length = round(float(sample.stamp))
        except (ValueError, OverflowError):
            length = -1
        if not 0 <= length < 1e6:
            raise unexpected(sample.place, sample.stamp, "seconds")
        now += timedelta(seconds=length)
        moments.append(now)
    return moments
