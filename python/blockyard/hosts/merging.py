"""The figures of several hosts as one: rates and counts are added, histograms merged."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from blockyard._core import Histogram, Latencies
from blockyard.runs.directory import LATENCY_LOG
from blockyard.runs.execution import Outcome
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


def merged(outcomes: Sequence[tuple[str, Outcome]]) -> list[Total]:
    """Of each job, device and operation the total of each host, by name, and that of all.

    Raises OSError and FileError if the latencies of a host cannot be read back.
    """
    logs = [_Log.of(outcome) for _, outcome in outcomes]
    of_host = [(name, outcome.result["totals"]) for name, outcome in outcomes]
    return [total for series in _series(of_host) for total in _rows(series, of_host, logs)]


# A job, a device and an operation.
_Series = tuple[str, str, str]
_OfHost = tuple[str, Sequence[HostTotal]]


@dataclass(frozen=True)
class _Log:
    """The latencies of a run, and how much of it is no part of its totals."""

    latencies: Latencies
    warmup_s: float

    @classmethod
    def of(cls, outcome: Outcome) -> "_Log":
        return cls(Latencies.read(str(outcome.path / LATENCY_LOG)), outcome.scenario.warmup_s)

    def histogram(self, series: _Series) -> Histogram:
        return self.latencies.merged([".".join(series)], from_s=self.warmup_s)


def _named(total: HostTotal) -> _Series:
    return total["job"], total["device"], total["op"]


def _series(of_host: Sequence[_OfHost]) -> list[_Series]:
    """In the order of first appearance."""
    return list(dict.fromkeys(_named(total) for _, totals in of_host for total in totals))


def _rows(series: _Series, of_host: Sequence[_OfHost], logs: Sequence[_Log]) -> Iterator[Total]:
    own = []
    for name, totals in of_host:
        own += [_of(name, total) for total in totals if _named(total) == series]
    yield from own
    histogram = Histogram.merged([log.histogram(series) for log in logs])
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
