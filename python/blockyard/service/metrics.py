"""Devices' state for Prometheus, under the names that CloudWatch has for EBS volumes.

CloudWatch gives sums over a period; here they are counters (`rate()` makes any period of them).
What is counted for a device has the device as `volume`; what a limit does to a volume, which a
service alone knows, has that volume.
"""

import contextlib
import ipaddress
from collections.abc import Callable, Iterable, Iterator, Sequence

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from blockyard._core import ScenarioError
from blockyard.types.facts import Counted
from blockyard.types.so_far import SoFar
from blockyard.types.status import VolumeStatus

# (metric, what it is, its figure of a device)
_COUNTERS: list[tuple[str, str, Callable[[SoFar], float]]] = [
    ("VolumeReadOps", "Reads that completed.", lambda device: device["reads"]),
    ("VolumeWriteOps", "Writes that completed.", lambda device: device["writes"]),
    ("VolumeReadBytes", "Bytes read.", lambda device: device["read_bytes"]),
    ("VolumeWriteBytes", "Bytes written.", lambda device: device["write_bytes"]),
    (
        "VolumeTotalReadTime",
        "Seconds that reads took, summed.",
        lambda device: device["read_time_s"],
    ),
    (
        "VolumeTotalWriteTime",
        "Seconds that writes took, summed.",
        lambda device: device["write_time_s"],
    ),
]


class Metrics(Collector):
    """The metrics as of the last interval."""

    def __init__(self) -> None:
        self._families: list[Metric] = []
        self._uptime_s = 0.0
        # Requests that completed, by device.
        self._completed: dict[str, int] = {}
        self._idle_s: dict[str, float] = {}

    def update(
        self, uptime_s: float, devices: Sequence[SoFar], volumes: Sequence[VolumeStatus] = ()
    ) -> None:
        """Take the state at the end of an interval."""
        counted = _of_devices(devices)
        length_s = uptime_s - self._uptime_s
        idle = CounterMetricFamily(
            "VolumeIdleTime", "Seconds of intervals without a request.", labels=["volume"]
        )
        stalled = GaugeMetricFamily(
            "VolumeStalledIOCheck",
            "1 if requests waited in the last interval and none completed.",
            labels=["volume"],
        )
        for device in devices:
            name, waiting = device["name"], device["in_flight"] > 0
            completed = device["reads"] + device["writes"] + device["flushes"] + device["trims"]
            moved = completed > self._completed.get(name, 0)
            self._completed[name] = completed
            self._idle_s.setdefault(name, 0.0)
            if not moved and not waiting:
                self._idle_s[name] += length_s
            idle.add_metric([name], self._idle_s[name])
            stalled.add_metric([name], float(waiting and not moved))
        self._uptime_s = uptime_s
        self._families = [*counted, idle, stalled, *_of_volumes(volumes)]

    def collect(self) -> Iterable[Metric]:
        """Give the metrics to the server."""
        return self._families


def _of_devices(devices: Sequence[SoFar]) -> list[Metric]:
    families: list[Metric] = []
    for metric, what, figure in _COUNTERS:
        counter = CounterMetricFamily(metric, what, labels=["volume"])
        for device in devices:
            counter.add_metric([device["name"]], figure(device))
        families.append(counter)
    queue = GaugeMetricFamily(
        "VolumeQueueLength", "Requests that wait for completion.", labels=["volume"]
    )
    for device in devices:
        queue.add_metric([device["name"]], device["in_flight"])
    return [*families, queue]


def _of_volumes(volumes: Sequence[VolumeStatus]) -> list[Metric]:
    def gauge(metric: str, what: str) -> GaugeMetricFamily:
        return GaugeMetricFamily(metric, what, labels=["volume"])

    iops = gauge("VolumeAvgIOPS", "IOs a second in the last interval.")
    throughput = gauge("VolumeAvgThroughput", "MiB/s in the last interval.")
    balance = gauge("BurstBalance", "Percent of the burst credits that are left.")
    checks: dict[Counted, GaugeMetricFamily] = {
        "ios": gauge(
            "VolumeIOPSExceededCheck",
            "1 if the volume's IOPS throttled requests in the last interval.",
        ),
        "bytes": gauge(
            "VolumeThroughputExceededCheck",
            "1 if the volume's throughput throttled requests in the last interval.",
        ),
    }
    for volume in volumes:
        name = volume["name"]
        iops.add_metric([name], volume["iops"])
        throughput.add_metric([name], volume["mib_per_s"])
        if volume["balance_pct"] is not None:
            balance.add_metric([name], volume["balance_pct"])
        throttled = _throttled_by_its_own(volume)
        for counted, check in checks.items():
            check.add_metric([name], float(counted == throttled))
    return [iops, throughput, balance, *checks.values()]


def _throttled_by_its_own(volume: VolumeStatus) -> Counted | None:
    """What the limit counts that throttled requests most, if it is the volume's own."""
    for limit in volume["limits"]:
        if limit["name"] == volume["throttled_by"] and limit["owner"] == volume["name"]:
            return limit["counts"]
    return None


def _given_up(*_: object) -> None:
    """Say nothing of a scrape that ended early, where the library prints a traceback."""


@contextlib.contextmanager
def serve(address: str) -> Iterator[Metrics]:
    """Serve metrics at `HOST:PORT`, on this machine only. Raises ScenarioError if it cannot."""
    host, port = _parse(address)
    metrics = Metrics()
    registry = CollectorRegistry(auto_describe=False)
    registry.register(metrics)
    try:
        server, thread = start_http_server(port, addr=host, registry=registry)
    except OSError as error:
        raise ScenarioError(f"--metrics {address}: {error.strerror}") from error
    # A client that goes away before its answer is no error of the service.
    server.handle_error = _given_up  # type: ignore[assignment]
    try:
        yield metrics
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _parse(address: str) -> tuple[str, int]:
    host, colon, port = address.rpartition(":")
    wrong = f"--metrics: `{address}`; expected HOST:PORT, as in 127.0.0.1:9400"
    number = int(port) if port.isascii() and port.isdigit() else 0
    if not colon or not 0 < number < 1 << 16:
        raise ScenarioError(wrong)
    host = host.strip("[]") or "127.0.0.1"
    try:
        loopback = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        raise ScenarioError(wrong) from None
    if not loopback:
        # There is no encryption and no password.
        message = f"--metrics: `{address}` is reached from other machines; expected 127.0.0.1:PORT"
        raise ScenarioError(message)
    return host, number
