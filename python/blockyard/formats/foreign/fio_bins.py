"""fio's histogram logs.

fio keeps latencies in bins: 64 for every power of two from 128 ns on, so a bin is at most 1.6 %
wide, and its middle within 0.8 % of every latency in it; `log_hist_coarseness` joins bins.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from blockyard._core import Histogram
from blockyard.formats.foreign.error import ForeignError, unexpected
from blockyard.formats.foreign.fio_samples import OPS

# Bins in a power of two, and in total: fio 3 has 29 groups.
_GROUP = 64
_BINS = 29 * _GROUP
# The bins in a line for each `log_hist_coarseness` from 0 to 6.
_WIDTHS = [_BINS >> coarseness for coarseness in range(7)]
_NS_PER_US = 1_000
_MOST = 2**50


@dataclass(frozen=True)
class Window:
    """The latencies in a window that ended at `ms`."""

    ms: int
    op: str
    # The size of an IO in the window.
    block: int
    latencies: Histogram


def windows(path: Path, origin_ms: int) -> Iterator[Window]:
    """Read a histogram log, with times since `origin_ms`; windows without IO are left out.

    Raises ForeignError if it is no such log, and OSError.
    """
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            fields = line.split(b",")
            if not line.strip():
                continue
            place = f"{path}:{number}"
            if len(fields) - 3 not in _WIDTHS:
                expected = f"time, direction, block size and {_BINS} bins, or a power of two fewer"
                raise ForeignError(place, f"{len(fields)} numbers; expected {expected}")
            ms, op, block = (_whole(place, field) for field in fields[:3])
            if op >= len(OPS):
                raise unexpected(place, op, "a direction of 0 to 2")
            # Keeps only what is not empty: most bins are.
            counts = {
                index: _whole(place, field)
                for index, field in enumerate(fields[3:])
                if field not in (b" 0", b"0", b" 0\n")
            }
            if any(counts.values()):
                middles = _middles(len(fields) - 3)
                latencies = Histogram.of(
                    [middles[index] for index in counts], list(counts.values())
                )
                yield Window(max(0, ms - origin_ms), OPS[op], block, latencies)


@cache
def _middles(width: int) -> list[float]:
    """Return the middles of a line's bins in microseconds."""
    joined = _BINS // width
    edges = [_edge(index * joined) for index in range(width + 1)]
    return [(low + high - 1) / 2 / _NS_PER_US for low, high in pairwise(edges)]


def _edge(index: int) -> int:
    """Return the lower edge of one of fio's bins in nanoseconds."""
    group, place = divmod(index, _GROUP)
    return index if group == 0 else (_GROUP + place) << (group - 1)


def _whole(place: str, field: bytes) -> int:
    if not field.strip().isdigit() or int(field) > _MOST:
        raise unexpected(place, field, "a whole number")
    return int(field)
