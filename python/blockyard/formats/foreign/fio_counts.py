"""What fio counted for one kind of IO."""

import re
from collections import Counter
from dataclasses import dataclass, field

from blockyard._core import Histogram
from blockyard.formats.foreign.mixture import mixture
from blockyard.formats.foreign.observations import latency_of
from blockyard.formats.foreign.tree import Node
from blockyard.runs.run import Percentiles
from blockyard.types.result import LatencyUs

_NS_PER_US = 1_000
# The most digits of a latency in nanoseconds.
_DIGITS = 15
# p50, p95, p99 and p99.9.
_QUANTILES = (0.5, 0.95, 0.99, 0.999)


@dataclass(frozen=True)
class Measured:
    """IOs and their latencies since a run began."""

    ios: int = 0
    bytes: int = 0
    seconds: float = 0.0
    # The number of measured latencies, their sum, the shortest and the longest, in nanoseconds.
    samples: int = 0
    sum_ns: float = 0.0
    min_ns: float | None = None
    max_ns: float = 0.0
    # The number of latencies by the middle of fio's bins; empty without `json+`.
    bins: Counter[float] = field(default_factory=Counter)
    # As fio computed them.
    percentiles_ns: dict[str, float] = field(default_factory=dict)
    # Of several processes together, what each did.
    parts: "tuple[Measured, ...]" = ()

    def together(self, other: "Measured") -> "Measured":
        """Add what another job did at the same time."""
        return Measured(
            ios=self.ios + other.ios,
            bytes=self.bytes + other.bytes,
            seconds=max(self.seconds, other.seconds),
            samples=self.samples + other.samples,
            sum_ns=self.sum_ns + other.sum_ns,
            min_ns=min((ns for ns in (self.min_ns, other.min_ns) if ns is not None), default=None),
            max_ns=max(self.max_ns, other.max_ns),
            bins=self.bins + other.bins,
            parts=(*(self.parts or (self,)), *(other.parts or (other,))),
        )

    def since(self, before: "Measured") -> "Measured | None":
        """Return what was done after `before`; None if `before` is not an earlier state of this."""
        bins = Counter(self.bins)
        bins.subtract(before.bins)
        if self.ios < before.ios or self.bytes < before.bytes or min(bins.values(), default=0) < 0:
            return None
        return Measured(
            ios=self.ios - before.ios,
            bytes=self.bytes - before.bytes,
            samples=max(0, self.samples - before.samples),
            sum_ns=max(0.0, self.sum_ns - before.sum_ns),
            bins=+bins,
        )

    @property
    def mean_us(self) -> float | None:
        """Return the mean latency; None if there is none."""
        return self.sum_ns / self.samples / _NS_PER_US if self.samples else None

    @property
    def histogram(self) -> Histogram | None:
        """Return the latencies; None if only summary figures are known."""
        if not self.bins:
            return None
        return Histogram.of([ns / _NS_PER_US for ns in self.bins], list(self.bins.values()))

    @property
    def percentiles(self) -> Percentiles:
        """All percentiles, from the shortest latency to the longest; empty if none are known."""
        if self.parts:
            measured = [(part.samples, part.percentiles) for part in self.parts if part.samples]
            return mixture(measured)
        if not self.percentiles_ns:
            return []
        known = {round(float(key) / 100, 9): ns for key, ns in self.percentiles_ns.items()}
        known = {share: min(ns, self.max_ns) for share, ns in known.items() if 0 < share < 1}
        ends = {1.0: self.max_ns} | ({} if self.min_ns is None else {0.0: self.min_ns})
        return [(share, ns / _NS_PER_US) for share, ns in sorted((known | ends).items())]

    @property
    def latency_us(self) -> LatencyUs | None:
        """Return the figures of the latencies; None unless all are known."""
        if self.mean_us is None:
            return None
        histogram = self.histogram
        known = {} if histogram else dict(self.percentiles)
        if histogram:
            figures = latency_of(histogram)
        elif known.keys() >= set(_QUANTILES):
            p50, p95, p99, p99_9 = (known[share] for share in _QUANTILES)
            figures = {"mean": 0.0, "p50": p50, "p95": p95, "p99": p99, "p99_9": p99_9, "max": 0.0}
        else:
            return None
        # fio keeps these two exactly.
        figures["mean"], figures["max"] = self.mean_us, self.max_ns / _NS_PER_US
        return figures


def measured(counts: Node, latency: str, seconds: float) -> Measured:
    """Read one kind of IO of a job, with the latencies called `latency`.

    Raises ForeignError if it is not in fio's form.
    """
    ios = counts.get("total_ios").whole()
    known = counts.get(latency) if counts.has(latency) else None
    if known is None or not known.has("N"):
        return Measured(ios, _bytes(counts), seconds)
    samples = known.get("N").whole()
    return Measured(
        ios=ios,
        bytes=_bytes(counts),
        seconds=seconds,
        samples=samples,
        sum_ns=samples * known.get("mean").number(),
        min_ns=known.get("min").number() if known.has("min") else None,
        max_ns=known.get("max").number(),
        bins=+Counter(
            {_nanoseconds(key, count): count.whole() for key, count in _members(known, "bins")}
        ),
        percentiles_ns={
            _percent(key, value): value.number() for key, value in _members(known, "percentile")
        },
    )


def _bytes(counts: Node) -> int:
    # A sync has none.
    return counts.get("io_bytes").whole() if counts.has("io_bytes") else 0


def _members(of: Node, key: str) -> list[tuple[str, Node]]:
    return list(of.get(key).members()) if of.has(key) else []


def _percent(key: str, value: Node) -> str:
    if not re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,9})?", key):
        raise value.unexpected("a percent as its key")
    return key


def _nanoseconds(key: str, count: Node) -> float:
    if not (key.isascii() and key.isdigit()) or len(key) > _DIGITS:
        raise count.unexpected("a bin's nanoseconds as its key")
    return float(key)
