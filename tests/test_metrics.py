"""Metrics for Prometheus, as it scrapes them."""

import contextlib
import socket
import struct
import time
import urllib.request
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from blockyard import ScenarioError
from blockyard.service import metrics
from blockyard.types import status
from nbdclient import Client
from serving import PATIENCE_S, serve

pytestmark = pytest.mark.slow


def limit(owner: str, name: str, rate: float) -> status.LimitStatus:
    ios = name == "iops"
    return {
        "name": f"{owner}.{name}",
        "owner": owner,
        "device": None if owner == "host" else "data",
        "host": "host" if owner == "host" else None,
        "counts": "ios" if ios else "bytes",
        "applies": "both",
        "credits": False,
        "network": False,
        "rate": rate,
        "unit": "IOPS" if ios else "MiB/s",
    }


def state(
    uptime_s: float,
    reads: int = 0,
    in_flight: int = 0,
    balance_pct: float | None = 12.5,
    throttled_by: str = "data.0.iops",
) -> status.Status:
    return {
        "uptime_s": uptime_s,
        "devices": [
            {
                "name": "data",
                "size_bytes": 1 << 30,
                "at": "data.socket",
                "errors": 0,
                "mirror": None,
                "in_flight": in_flight,
                "reads": reads,
                "writes": 2,
                "flushes": 0,
                "trims": 0,
                "read_bytes": reads * 4096,
                "write_bytes": 8192,
                "read_time_s": reads * 0.001,
                "write_time_s": 0.004,
            }
        ],
        "volumes": [
            {
                "name": "data.0",
                "device": "data",
                "paused": False,
                "failed": False,
                "iops": 100.0,
                "mib_per_s": 0.5,
                "balance_pct": balance_pct,
                "limits": [
                    limit("host", "iops", 20_000.0),
                    limit("data.0", "iops", 100.0),
                    limit("data.0", "throughput", 125.0),
                ],
                "throttled_by": throttled_by,
            }
        ],
        "links": [],
        "lateness_us": None,
        "faults": [],
        "events": [],
        "serving": "as NBD exports",
        "warnings": [],
    }


def update(sink: metrics.Metrics, status: status.Status) -> None:
    sink.update(status["uptime_s"], status["devices"], status["volumes"])


def free_address() -> str:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{taken.getsockname()[1]}"


def scraped(address: str) -> dict[tuple[str, str], float]:
    with urllib.request.urlopen(f"http://{address}/metrics") as answer:
        text = answer.read().decode()
    return {
        (sample.name, sample.labels["volume"]): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_metrics_have_cloudwatch_s_names_and_units() -> None:
    address = free_address()
    with metrics.serve(address) as sink:
        assert scraped(address) == {}
        update(sink, state(1.0, reads=5, in_flight=3))
        assert scraped(address) == {
            ("VolumeReadOps_total", "data"): 5,
            ("VolumeWriteOps_total", "data"): 2,
            ("VolumeReadBytes_total", "data"): 20480,
            ("VolumeWriteBytes_total", "data"): 8192,
            ("VolumeTotalReadTime_total", "data"): 0.005,
            ("VolumeTotalWriteTime_total", "data"): 0.004,
            ("VolumeIdleTime_total", "data"): 0,
            ("VolumeQueueLength", "data"): 3,
            ("VolumeStalledIOCheck", "data"): 0,
            ("VolumeAvgIOPS", "data.0"): 100,
            ("VolumeAvgThroughput", "data.0"): 0.5,
            ("BurstBalance", "data.0"): 12.5,
            ("VolumeIOPSExceededCheck", "data.0"): 1,
            ("VolumeThroughputExceededCheck", "data.0"): 0,
        }
    with pytest.raises(OSError, match="refused"):
        scraped(address)


def test_a_service_is_scraped(tmp_path: Path) -> None:
    address = free_address()
    scenario = "{name: gp2, interval: 1s, storage: {data: {type: gp2, size: 100GiB}}}"
    options = ["--as", f"nbd={tmp_path / 'nbd'}", "--metrics", address]
    with serve(scenario, *options, folder=tmp_path):
        client = Client(str(tmp_path / "nbd"), "data")
        for block in range(10):
            client.read(block * 4096, 4096)
        client.close()
        read: dict[tuple[str, str], float] = {}
        for _ in range(100):
            read = scraped(address)
            if read.get(("VolumeReadOps_total", "data")) == 10:
                break
            time.sleep(0.1)
    assert read["VolumeReadOps_total", "data"] == 10
    assert read["VolumeReadBytes_total", "data"] == 40960
    assert 99 < read["BurstBalance", "data"] <= 100


def test_idle_and_stalled_are_told_apart() -> None:
    sink = metrics.Metrics()

    def value(metric: str) -> float:
        families = {family.name: family for family in sink.collect()}
        return float(families[metric].samples[0].value)

    update(sink, state(1.0, reads=5))
    update(sink, state(3.0, reads=5))
    assert (value("VolumeIdleTime"), value("VolumeStalledIOCheck")) == (2.0, 0.0)
    update(sink, state(4.0, reads=5, in_flight=1))
    assert (value("VolumeIdleTime"), value("VolumeStalledIOCheck")) == (2.0, 1.0)
    update(sink, state(5.0, reads=6, in_flight=1))
    assert (value("VolumeIdleTime"), value("VolumeStalledIOCheck")) == (2.0, 0.0)


def test_only_what_there_is_is_told_and_only_own_limits_are_exceeded() -> None:
    sink = metrics.Metrics()
    update(sink, state(1.0, balance_pct=None, throttled_by="host.iops"))
    samples = {family.name: family.samples for family in sink.collect()}
    assert samples["BurstBalance"] == []
    assert samples["VolumeIOPSExceededCheck"][0].value == 0


def aborted(address: str, request: bytes, *, reset: bool) -> None:
    """A scrape that is aborted before the reply."""
    host, _, port = address.partition(":")
    with socket.create_connection((host, int(port))) as connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(request)
        if reset:
            linger = struct.pack("ii", 1, 0)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)


def test_scrapes_that_are_given_up_leave_the_service_alone(tmp_path: Path) -> None:
    get = b"GET /metrics HTTP/1.0\r\n\r\n"
    requests = [
        get,
        b"GET /metr",
        b"",
        b"GET /" + b"a" * 100_000 + b" HTTP/1.0\r\n\r\n",
        b"POST /metrics HTTP/1.1\r\nContent-Length: 100000\r\n\r\n" + b"a" * 1000,
        b"GET /metrics HTTP/1.1\r\n\r\n" * 50,
    ]
    address = free_address()
    options = ["--as", f"nbd={tmp_path}/nbd", "--metrics", address]
    with serve(
        "{name: s, storage: {data: {type: unlimited, size: 1MiB}}}", *options, folder=tmp_path
    ) as served:
        for number in range(30):
            aborted(address, requests[number % len(requests)], reset=number % 4 == 0)
        # There is nothing to tell before the first second has ended.
        deadline = time.monotonic() + PATIENCE_S
        while not scraped(address):
            assert time.monotonic() < deadline
        assert served.stop() == 130
        assert served.errors == ""
        assert served.result()["status"] == "interrupted"


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("9400", "--metrics: `9400`; expected HOST:PORT, as in 127.0.0.1:9400"),
        ("127.0.0.1:99999", "expected HOST:PORT"),
        ("here:9400", "expected HOST:PORT"),
        ("0.0.0.0:9400", "is reached from other machines; expected 127.0.0.1:PORT"),
    ],
)
def test_wrong_addresses_are_refused(address: str, message: str) -> None:
    with pytest.raises(ScenarioError) as raised, metrics.serve(address):
        pass
    assert message in str(raised.value)


def test_a_port_in_use_is_refused() -> None:
    address = free_address()
    with (
        metrics.serve(address),
        pytest.raises(ScenarioError, match="Address already in use"),
        metrics.serve(address),
    ):
        pass
