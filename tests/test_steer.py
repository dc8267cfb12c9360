"""`blockyard steer` on a running service."""

import errno
import json
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from conftest import Blockyard, one_line
from nbdclient import Client, Gone
from serving import Served, serve

STRIPE = """\
name: stripe
interval: 1s
storage:
  data: {stripe: {chunk: 64KiB, width: 2}, of: {type: gp3, size: 1GiB}}
"""
BLOCK = 4096


@pytest.fixture
def control(tmp_path: Path) -> Path:
    return tmp_path / "control"


@pytest.fixture
def served(tmp_path: Path, control: Path) -> Iterator[Served]:
    options = ["--as", f"nbd={tmp_path / 'nbd'}", "--control", str(control)]
    with serve(STRIPE, *options, folder=tmp_path) as served:
        yield served


@pytest.fixture
def client(served: Served) -> Iterator[Client]:
    client = Client(path_of(served), "data")
    yield client
    client.close()


def path_of(served: Served) -> str:
    """The unix socket of the service."""
    return served.paths["data"].partition("socket=")[2]


def state_of(blockyard: Blockyard, control: Path) -> dict[str, Any]:
    state: dict[str, Any] = json.loads(blockyard("steer", control, "status", "--json").stdout)
    return state


def took(client: Client, offset: int = 0) -> float:
    """The seconds that a read takes."""
    start = time.monotonic()
    client.read(offset, BLOCK)
    return time.monotonic() - start


def test_the_status_shows_volumes_limits_and_faults(
    blockyard: Blockyard, control: Path, client: Client
) -> None:
    client.read(0, BLOCK)
    degrade = ["fault", "degrade", "--on", "data.1", "--share", "50%", "--duration", "5m"]
    assert blockyard("steer", control, *degrade).returncode == 0
    state = state_of(blockyard, control)
    assert state["devices"][0]["reads"] == 1
    assert [volume["name"] for volume in state["volumes"]] == ["data.0", "data.1"]
    rates = {
        limit["name"]: limit["rate"] for volume in state["volumes"] for limit in volume["limits"]
    }
    [limit] = [limit for limit in state["volumes"][1]["limits"] if limit["name"] == "data.1.iops"]
    assert limit == {
        "name": "data.1.iops",
        "owner": "data.1",
        "device": "data",
        "host": None,
        "counts": "ios",
        "applies": "both",
        "credits": False,
        "network": False,
        "rate": 1500.0,
        "unit": "IOPS",
    }
    assert (rates["data.0.iops"], rates["data.1.iops"]) == (3000, 1500)
    assert [(fault["kind"], fault["on"]) for fault in state["faults"]] == [("degrade", "data.1")]
    table = blockyard("steer", control, "status").stdout
    assert "fault degrade on data.1: 50% of the rates, until" in table
    assert "data.0.iops 3,000 IOPS" in " ".join(table.split())


def test_a_limit_changes_while_it_is_in_force(
    blockyard: Blockyard, control: Path, client: Client, served: Served
) -> None:
    rates = ["data.0.iops=20", "data.1.iops=20/s", "data.0.throughput=50MiB/s"]
    assert blockyard("steer", control, "set", *rates).returncode == 0
    # A bucket keeps its length of one second, so the second 20 take another second.
    start = time.monotonic()
    for _ in range(60):
        client.read(0, BLOCK)
    assert 1.5 < time.monotonic() - start < 10
    served.stop()
    events = served.result()["events"]
    assert "data.0.iops set to 20" in [event["what"] for event in events]


def test_a_pause_lasts_until_resumed(blockyard: Blockyard, control: Path, client: Client) -> None:
    assert blockyard("steer", control, "pause", "data.0").returncode == 0
    assert took(client, offset=64 << 10) < 0.5
    assert state_of(blockyard, control)["volumes"][0]["paused"]
    client.timeout(0.5)
    with pytest.raises(TimeoutError):
        client.read(0, BLOCK)
    assert state_of(blockyard, control)["devices"][0]["in_flight"] == 1
    assert blockyard("steer", control, "resume").returncode == 0
    state = state_of(blockyard, control)
    assert (state["devices"][0]["in_flight"], state["faults"]) == (0, [])


def test_latency_and_errors_reach_clients_until_cleared(
    blockyard: Blockyard, control: Path, client: Client
) -> None:
    fault = ["steer", control, "fault"]
    slow = ["latency", "--read", "100%", "--latency", "300ms", "--duration", "1h"]
    assert blockyard(*fault, *slow).returncode == 0
    assert took(client) > 0.3
    assert blockyard(*fault, "error", "--write", "100%", "--duration", "1h").returncode == 0
    with pytest.raises(OSError, match="answer") as raised:
        client.write(0, bytes(BLOCK))
    assert raised.value.errno == errno.EIO
    assert blockyard(*fault, "clear").returncode == 0
    assert took(client) < 0.3
    client.write(0, bytes(BLOCK))


def test_a_power_cut_takes_what_was_not_flushed(
    blockyard: Blockyard, control: Path, client: Client, served: Served
) -> None:
    blocks = 200
    client.write(0, b"\1" * BLOCK * blocks)
    client.flush()
    client.write(0, b"\2" * BLOCK * blocks)
    cut = ["fault", "power-cut", "--seed", "7", "--duration", "1s"]
    assert blockyard("steer", control, *cut).returncode == 0
    with pytest.raises(Gone):
        client.read(0, BLOCK)
    after = reconnected(path_of(served))
    content = after.read(0, BLOCK * blocks)
    after.close()
    whole = {content[at : at + BLOCK] for at in range(0, len(content), BLOCK)}
    assert whole == {b"\1" * BLOCK, b"\2" * BLOCK}
    served.stop()
    events = [event["what"] for event in served.result()["events"]]
    assert any(event.startswith("power of data cut") for event in events)


def reconnected(path: str) -> Client:
    """A client once the power is back."""
    for _ in range(100):
        client = Client(path, "data")
        try:
            client.read(0, BLOCK)
        except (OSError, *Gone):
            client.close()
            time.sleep(0.1)
        else:
            return client
    raise AssertionError("the power does not come back")


# The hosts are close to each other, and a link that is down is not given up.
MIRROR = """\
name: mirror
interval: 1s
hosts: {near: {instance: m5.large}, far: {instance: m5.large}}
links: {wan: {between: [near, far], round_trip: 1ms, bandwidth: 1Gbit/s, timeout: 1h}}
storage:
  data:
    mirror:
      legs:
        here: {type: gp3, size: 1GiB, host: near}
        there: {type: gp3, size: 1GiB, host: far}
      link: wan
"""


def test_writes_wait_while_a_link_is_cut(
    blockyard: Blockyard, tmp_path: Path, control: Path
) -> None:
    options = ["--as", f"nbd={tmp_path / 'nbd'}", "--control", str(control)]
    with serve(MIRROR, *options, folder=tmp_path) as served:
        client = Client(path_of(served), "data")
        client.write(0, b"x" * BLOCK)
        assert state_of(blockyard, control)["links"] == [{"name": "wan", "up": True}]
        assert blockyard("steer", control, "cut", "wan").returncode == 0
        with ThreadPoolExecutor(1) as pool:
            write = pool.submit(client.write, BLOCK, b"y" * BLOCK)
            while state_of(blockyard, control)["devices"][0]["in_flight"] == 0:
                time.sleep(0.01)
            shown = blockyard("steer", control, "status").stdout
            assert "link wan: down" in shown
            assert "mirror data: in sync" in shown
            assert "fault cut on wan: until restored" in shown
            assert not write.done()
            assert blockyard("steer", control, "restore", "wan").returncode == 0
            write.result()
        state = state_of(blockyard, control)
        assert (state["links"][0]["up"], state["faults"]) == (True, [])
        assert state["devices"][0]["mirror"] == {"state": "in sync", "at_risk_bytes": 0}
        refused = one_line(blockyard("steer", control, "cut", "wam"))
        assert refused.endswith("`wam` is not a link of what is served; did you mean `wan`?")
        client.close()
        served.stop()
    result = served.result()
    # How long TCP waits depends on when the write came.
    told = [event["what"] for event in result["events"] if event["kind"] != "resume"]
    assert told == ["fault cut on wan", "wan restored"]
    assert result["links"][0]["messages"] == 2
    assert result["mirrors"][0]["state"] == "in sync"


def test_stop_ends_the_service_with_its_run(
    blockyard: Blockyard, control: Path, served: Served
) -> None:
    assert blockyard("steer", control, "stop").returncode == 0
    assert served.process.wait(60) == 0
    assert served.result()["status"] == "complete"
    assert not control.exists()
    finished = blockyard("steer", control, "status")
    assert finished.returncode == 2
    assert one_line(finished).endswith(f"cannot connect to control socket {control}: no such file")


def test_what_is_no_service_is_told(blockyard: Blockyard, control: Path) -> None:
    control.write_text("")
    finished = blockyard("steer", control, "status")
    assert finished.returncode == 2
    assert "not a socket; expected the path of `emulate --control`" in one_line(finished)
    control.unlink()
    with socket.socket(socket.AF_UNIX) as ended:
        ended.bind(str(control))
    finished = blockyard("steer", control, "status")
    assert finished.returncode == 2
    assert one_line(finished).endswith(f"control socket {control}: its service has ended")


WRONG = [
    (["set", "data.0.iop=1"], "is not a limit in force; did you mean `data.0.iops`?"),
    (["set", "data.0.iops=1", "data.0.iops=2"], "`data.0.iops=2`: is given twice"),
    (["set", "data.0.iops"], "expected NAME=RATE"),
    (["pause", "date"], "on: `date` is neither a device nor a volume that is served"),
    (["fault", "latency"], "latency: missing; expected 1ms to 60s, or a `pattern`"),
    (["fault", "latency", "--pattern", "rising"], "unknown variant `rising`, expected one of"),
    (["fault", "stall", "--duration", "5"], "fault.stall.duration: `5` has no unit"),
    (["fault", "power-cut", "--on", "data.0"], "is not a device that is served"),
]


@pytest.mark.usefixtures("served")
def test_wrong_orders_are_refused(blockyard: Blockyard, control: Path) -> None:
    for order, message in WRONG:
        finished = blockyard("steer", control, *order)
        assert finished.returncode == 2
        assert message in one_line(finished)
    assert state_of(blockyard, control)["faults"] == []


def test_a_second_service_does_not_take_the_socket(
    tmp_path: Path, control: Path, served: Served
) -> None:
    again = tmp_path / "again"
    again.mkdir()
    options = ["--as", f"nbd={again / 'nbd'}", "--control", str(control)]
    with (
        pytest.raises(AssertionError, match="another server is there"),
        serve(STRIPE, *options, folder=again),
    ):
        pass
    assert served.process.poll() is None


@pytest.mark.usefixtures("served")
def test_garbage_on_the_socket_harms_no_one(blockyard: Blockyard, control: Path) -> None:
    with socket.socket(socket.AF_UNIX) as garbage:
        garbage.connect(str(control))
        garbage.sendall(b"GET / HTTP/1.1\r\n\r\n" + bytes(range(256)) + b"\n" + b'{"set": {')
        assert b'{"error":' in garbage.recv(4096)
        assert state_of(blockyard, control)["faults"] == []
