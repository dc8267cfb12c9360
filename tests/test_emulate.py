"""`blockyard emulate` as a user runs it, over NBD: what every front end shares."""

import json
import os
import pty
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from conftest import PATIENCE_S, Blockyard, one_line
from serving import serve, served_ios
from undoing import mounted

pytestmark = pytest.mark.slow

UNLIMITED = "{name: unlimited, storage: {data: {type: unlimited, size: 1GiB}}}"
STRIPE = """\
name: stripe
storage:
  data: {stripe: {chunk: 4MiB, width: 3}, of: {type: io1, size: 10GiB, iops: 500}}
  log: {type: gp3, size: 10GiB}
"""

IRIS_MIRROR = Path(__file__).parent.parent / "scenarios/examples/iris-mirror.yaml"

needs_fio = pytest.mark.skipif(not shutil.which("fio"), reason="fio is not installed")


def test_a_service_that_ends_leaves_a_whole_run(tmp_path: Path) -> None:
    with serve(
        STRIPE, "--as", f"nbd={tmp_path / 'nbd'}", "--for", "2s", folder=tmp_path, devices=2
    ) as served:
        assert served.process.wait(60) == 0
    result = served.result()
    assert (result["mode"], result["status"]) == ("emulate", "complete")
    assert result["machine"]["overhead_us"] > 0
    assert {total["device"] for total in result["totals"]} == {"data", "log"}
    assert [volume["name"] for volume in result["volumes"]] == ["data.0", "data.1", "data.2", "log"]
    assert 2 <= result["duration_s"] < 60
    rows = pq.read_table(served.run / "volumes.parquet").to_pylist()
    assert dict(rows[0]["limits"])["iops"] == 500
    assert not (tmp_path / "nbd").exists()


def test_a_journal_that_is_not_shipped_is_said_to_be_left_out(tmp_path: Path) -> None:
    options = ["--as", f"nbd={tmp_path / 'nbd'}", "--device", "journal", "--for", "0.2s"]
    with serve(IRIS_MIRROR.read_text(), *options, folder=tmp_path) as served:
        assert served.process.wait(60) == 0
    assert served.result()["notices"] == [
        "workload.writers.mirror: left out of an emulation; no client's journal was shipped"
    ]


def test_each_volume_is_served_alone(tmp_path: Path) -> None:
    options = ["--as", f"nbd={tmp_path / 'nbd'}", "--each-volume", "--device", "data"]
    with serve(STRIPE, *options, folder=tmp_path, devices=3) as served:
        assert list(served.paths) == ["data.0", "data.1", "data.2"]


@needs_fio
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_under_load_ends_it_cleanly(
    blockyard: Blockyard, tmp_path: Path, number: signal.Signals
) -> None:
    control = tmp_path / "control"
    options = ["--as", f"nbd={tmp_path / 'nbd'}", "--control", str(control)]
    with serve(UNLIMITED, *options, folder=tmp_path) as served:
        command = ["fio", "--name=load", "--ioengine=nbd", f"--uri={served.paths['data']}"]
        load = subprocess.Popen(
            [*command, "--rw=randrw", "--bs=4k", "--iodepth=16", "--time_based", "--runtime=600"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while not served_ios(blockyard, control):
            assert load.poll() is None, "fio is to be at work"
        assert served.stop(number) == 130
        load.wait(PATIENCE_S)
    result = served.result()
    assert result["status"] == "interrupted"
    assert sum(total["ios"] for total in result["totals"]) > 0
    assert served.errors == ""
    assert not (tmp_path / "nbd").exists()


@needs_fio
@pytest.mark.realtime
def test_credits_drain_and_end_when_the_model_says(tmp_path: Path) -> None:
    # 5.4 million credits are full: 0.3 % are 16,200. Reads beyond the baseline
    # of 100 take them, 3,000 a second at most, so they last 5.6 s.
    scenario = "{name: gp2, storage: {data: {type: gp2, size: 33GiB, burst_balance: 0.3%}}}"
    options = ["--as", f"nbd={tmp_path / 'nbd'}", "--for", "9s", "--arrivals"]
    with serve(scenario, *options, folder=tmp_path) as served:
        # The service ends first, and fio with it.
        load = ["fio", "--name=load", "--ioengine=nbd", f"--uri={served.paths['data']}"]
        load += ["--rw=randread", "--bs=4k", "--iodepth=32", "--time_based", "--runtime=20"]
        subprocess.run(load, capture_output=True, check=False)
        assert served.process.wait(60) == 0
    trace = pq.read_table(served.run / "arrivals.parquet").to_pylist()
    total = served.result()["totals"][0]
    assert len(trace) == total["ios"]
    assert all(io["arrived_ns"] <= io["due_ns"] <= io["answered_ns"] for io in trace)
    served.skip_if_late()
    rows = pq.read_table(served.run / "volumes.parquet").to_pylist()
    balances = [row["balance_pct"] for row in rows]
    # The balance after each second is the one before plus the credits earned less those used.
    left = 16_200.0
    for row in rows[:-1]:
        left = min(5_400_000.0, max(0.0, left + 100 - row["ios"]))
        assert row["balance_pct"] * 54_000 == pytest.approx(left, abs=400)
    # 0.01 % are 540 credits: less than that is left when `ended` ends.
    ended = next(second for second, balance in enumerate(balances) if balance < 0.01)
    spent = [row["ios"] for row in rows]
    assert sum(spent[:ended]) - 100 * ended <= 16_200
    assert sum(spent[: ended + 1]) - 100 * ended >= 16_200 - 540
    # The second after it may still have those; from then on, it is what is earned.
    assert all(ios <= 150 + 540 for ios in spent[ended + 1 : ended + 2])
    assert all(ios <= 150 for ios in spent[ended + 2 : -1])


def test_idle_volumes_use_no_processor(tmp_path: Path) -> None:
    with serve(UNLIMITED, "--as", f"nbd={tmp_path / 'nbd'}", folder=tmp_path) as served:
        ticks = []
        for _ in range(2):
            fields = Path(f"/proc/{served.process.pid}/stat").read_text().rsplit(")", 1)[1]
            ticks.append(sum(map(int, fields.split()[11:13])))
            time.sleep(3)
        # 1 % of a processor would be 3 of its 100 ticks a second.
        assert ticks[1] - ticks[0] <= 3


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small file system needs root")
def test_a_full_backing_store_is_the_clients_enospc(tmp_path: Path) -> None:
    nbdsh = shutil.which("nbdsh")
    if not nbdsh:
        pytest.skip("nbdsh is not installed")
    tmpfs = mounted("none", tmp_path / "small", "-t", "tmpfs", "-o", "size=4m")
    with tmpfs as small:
        options = ["--as", f"nbd={tmp_path / 'nbd'}", "--backing", str(small)]
        with serve(UNLIMITED, *options, folder=tmp_path) as served:
            script = (
                "import errno\n"
                "h.pwrite(b'a' * 65536, 0)\n"
                "refused = []\n"
                "for place in range(1, 128):\n"
                "    try:\n"
                "        h.pwrite(b'b' * 65536, place * 65536)\n"
                "    except nbd.Error as error:\n"
                "        refused.append(error.errnum == errno.ENOSPC)\n"
                "assert refused and all(refused), refused\n"
                "assert h.pread(65536, 0) == b'a' * 65536\n"
                "h.flush()\n"
            )
            # Debian's nbdsh belongs to Debian's Python, not to another on the path.
            shell = ["env", "PATH=/usr/bin:/bin", nbdsh, "-u", served.paths["data"]]
            subprocess.run([*shell, "-c", script], check=True)


REFUSED = [
    (["--as", "nfs=/tmp"], "--as: `nfs=/tmp`; expected nbd=PATH, nbd=HOST:PORT, fuse=DIR or block"),
    (
        ["--as", "nbd=s", "--device", "dta"],
        "--device: `dta` is not in the scenario's storage; expected data",
    ),
    (["--as", "nbd=s", "--for", "0s"], "--for: `0s`; expected a time above 0"),
    (["--as", "nbd=s", "--spin", "5"], "--spin: "),
    (["--as", "nbd=gp3.yaml/s"], "gp3.yaml/s: Not a directory"),
    (["--as", "nbd=s", "--control", "/sys/s"], "/sys/s: Operation not permitted"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_bad_options_are_one_line(blockyard: Blockyard, options: list[str], message: str) -> None:
    finished = blockyard("emulate", "gp3.yaml", *options)
    assert finished.returncode == 2
    assert one_line(finished).startswith(f"blockyard: {message}")


def test_a_port_in_use_is_refused(blockyard: Blockyard) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        finished = blockyard("emulate", "gp3.yaml", "--as", f"nbd=127.0.0.1:{port}")
    assert finished.returncode == 2
    assert f"127.0.0.1:{port}" in one_line(finished)


def test_a_terminal_that_is_closed_ends_it_with_its_run(tmp_path: Path) -> None:
    (tmp_path / "scenario.yaml").write_text(UNLIMITED)
    backing = tmp_path / "backing"
    backing.mkdir()
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(tmp_path)
        command = [sys.executable, "-m", "blockyard", "emulate", "scenario.yaml"]
        command += ["--as", "nbd=nbd", "--backing", "backing", "--out=run"]
        os.execv(sys.executable, command)  # noqa: S606
    try:
        _await_line(terminal, b"data: ")
        # So that there is a message at the end, when nobody can see it.
        (backing / "data.img").unlink()
        _await_line(terminal, b"was deleted")
    finally:
        os.close(terminal)
        os.waitpid(process, 0)
    result = json.loads((tmp_path / "run/result.json").read_text())
    assert result["status"] == "failed"
    assert {path.name for path in tmp_path.iterdir()} == {"scenario.yaml", "backing", "run"}


def _await_line(terminal: int, what: bytes) -> None:
    """Read a terminal's output until it contains `what`."""
    shown = b""
    while what not in shown:
        shown += os.read(terminal, 4096)
