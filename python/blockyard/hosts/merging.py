"""The figures of several hosts as one: rates and counts are added, histograms merged."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from blockyard._core import Histogram, Latencies
from blockyard.types.result import LatencyUs
from blockyard.types.result import Total as HostTotal

# Of `result.json`.
_QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p99_9": 0.999}


@dataclass(frozen=True)
class Total:
    """A job's IOs with one operation on one device, without the warm-up."""

    # None for all hosts together.
    host: str | None
    job: str
    device: str
    op: str
    ios: int
    bytes: int
    errors: int
    iops: float
    mib_per_s: float
    # None without IOs.
    latency_us: LatencyUs | None


@dataclass(frozen=True)
class Measured:
    """What a host measured: the totals of its result, and all latencies."""

    host: str
    totals: Sequence[HostTotal]
    latencies: Latencies
    # How much of the run is no part of its totals.
    warmup_s: float

    def histogram(self, series: "_Series") -> Histogram:
        """The latencies that a total is of."""
        return self.latencies.merged([".".join(series)], from_s=self.warmup_s)


# A job, a device and an operation.
_Series = tuple[str, str, str]


def merged(measured: Sequence[Measured]) -> list[Total]:
    """Of each job, device and operation the total of each host, and that of all."""
    return [total for series in _series(measured) for total in _rows(series, measured)]


def _named(total: HostTotal) -> _Series:
    return total["job"], total["device"], total["op"]


def _series(measured: Sequence[Measured]) -> list[_Series]:
    """In the order of first appearance."""
    return list(dict.fromkeys(_named(total) for one in measured for total in one.totals))


def _rows(series: _Series, measured: Sequence[Measured]) -> Iterator[Total]:
    own = [
        _of(one.host, total) for one in measured for total in one.totals if _named(total) == series
    ]
    yield from own
    histogram = Histogram.merged([one.histogram(series) for one in measured])
    yield Total(
        None,
        *series,
        ios=sum(total.ios for total in own),
        bytes=sum(total.bytes for total in own),
        errors=sum(total.errors for total in own),
        iops=sum(total.iops for total in own),
        mib_per_s=sum(total.mib_per_s for total in own),
        latency_us=_latency(own, histogram),
    )


def _of(host: str, total: HostTotal) -> Total:
    return Total(
        host,
        *_named(total),
        ios=total["ios"],
        bytes=total["bytes"],
        errors=total["errors"],
        iops=total["iops"],
        mib_per_s=total["mib_per_s"],
        latency_us=total.get("latency_us"),
    )


def _latency(own: Sequence[Total], histogram: Histogram) -> LatencyUs | None:
    """Of all IOs: mean and maximum are exact, as those of each host are."""
    found = [(total.ios, total.latency_us) for total in own if total.latency_us]
    if not found:
        return None
    quantiles = histogram.quantiles_us(list(_QUANTILES.values()))
    rising = dict(zip(_QUANTILES, quantiles, strict=True))
    return LatencyUs(
        mean=sum(ios * us["mean"] for ios, us in found) / sum(ios for ios, _ in found),
        p50=rising["p50"],
        p95=rising["p95"],
        p99=rising["p99"],
        p99_9=rising["p99_9"],
        max=max(us["max"] for _, us in found),
    )
