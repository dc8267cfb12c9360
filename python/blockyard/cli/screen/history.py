"""The history of the devices' gauges."""

from collections.abc import Callable, Sequence

from blockyard.cli.interval import Series
from blockyard.cli.screen.frame import LONGEST, Gauge
from blockyard.text.formatting import latency


class History:
    """The history of every gauge, by the device's name and the gauge's label."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, str], tuple[float | None, ...]] = {}

    def gauge(
        self,
        device: str,
        label: str,
        written: Callable[[float], str],
        value: float | None,
        *,
        most: float | None = None,
        note: str = "",
    ) -> Gauge:
        """A gauge with another value added."""
        key = device, label
        self._values[key] = (*self._values.get(key, ())[1 - LONGEST :], value)
        return Gauge(label, written, self._values[key], most, note)

    def gauges(
        self,
        device: str,
        series: Sequence[Series],
        *,
        most_iops: float | None = None,
        most_mib_per_s: float | None = None,
    ) -> tuple[Gauge, ...]:
        """The IOPS, MiB/s, p99 and queue depth of a device, from the series on it.

        Percentiles cannot be added up, so the p99 is that of the slowest series, which is
        named if there are several.
        """
        slowest = max(series, key=lambda one: one.p99_us or 0.0)
        iops = sum(one.iops for one in series)
        moved = sum(one.mib_per_s for one in series)
        depth = sum(one.depth for one in series)
        return (
            self.gauge(device, "IOPS", "{:,.0f}".format, iops, most=most_iops),
            self.gauge(device, "MiB/s", "{:,.1f}".format, moved, most=most_mib_per_s),
            self.gauge(device, "p99", latency, slowest.p99_us, note=_which(slowest, series)),
            self.gauge(device, "depth", "{:,.1f}".format, depth),
        )


def interval_s(series: Sequence[Series]) -> float | None:
    """The length of these series' interval."""
    return series[0].length_s if series else None


def _which(one: Series, series: Sequence[Series]) -> str:
    """What distinguishes `one` from the other series that had IO."""
    others = [other for other in series if other.p99_us is not None and other != one]
    if all(other.job == one.job for other in others):
        return one.op if others else ""
    return f"{one.job} {one.op}"


def by_device(series: Sequence[Series]) -> dict[str, list[Series]]:
    """The series on each device, in order of first appearance."""
    found: dict[str, list[Series]] = {}
    for one in series:
        found.setdefault(one.device, []).append(one)
    return found
