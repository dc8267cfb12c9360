"""`blockyard bench --hosts`: several SSH servers on this machine stand for a fleet."""

import itertools
import json
import platform
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from blockyard._core import Latencies
from blockyard.hosts.package import Package
from conftest import PATIENCE_S, Blockyard, Finished, one_line
from sshds import Hosts, hosts

pytestmark = pytest.mark.slow

MIXED = """\
name: mixed
duration: 1s
interval: 500ms
warmup: 500ms
storage:
  data: {type: gp3, size: 1GiB}
workload:
  clients:
    {kind: access_spec, on: data, file_size: 1MiB, outstanding: 4, processes: 1,
     pattern: {size: 8KiB, read: 50%, random: 100%}}
goals: [clients.iops > 1]
"""

NAMES = ["db1", "db2", "db3"]

# A Python that has no Blockyard, as long as this one is in an environment of its own.
BARE = f"{sys.base_prefix}/bin/python3"


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    """Three hosts; each keeps copies of Blockyard in a folder of its own."""
    folder = tmp_path_factory.mktemp("fleet")
    variables = {name: {"XDG_CACHE_HOME": str(folder / f"cache-{name}")} for name in NAMES}
    with hosts(folder / "ssh", variables) as fleet:
        yield fleet


@pytest.fixture
def bench(blockyard: Blockyard, fleet: Hosts, tmp_path: Path) -> Blockyard:
    """Run `blockyard bench mixed.yaml` on the hosts of hosts.yaml."""
    (tmp_path / "mixed.yaml").write_text(MIXED)
    _write_hosts(tmp_path)

    def run(*arguments: object, **options: Any) -> Finished:
        given = ["mixed.yaml", "--hosts", "hosts.yaml", "--ssh", fleet.ssh]
        return blockyard("bench", *given, *arguments, **options)

    return run


def _write_hosts(folder: Path, **python: str) -> None:
    """A file of all hosts; `python` is how it begins on some of them."""
    listed = [
        {
            "ssh": name,
            "map": {"data": str(folder / f"{name}.dat")},
            "python": python.get(name, sys.executable),
        }
        for name in NAMES
    ]
    (folder / "hosts.yaml").write_text(json.dumps({"hosts": listed}))


def _about(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "hosts.json").read_text()))


def _everything(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _percentile(folder: Path, tag: str, share: float) -> float:
    """A percentile of the latencies of all hosts after the warm-up, one by one."""
    found: list[float] = []
    for name in NAMES:
        own = Latencies.read(str(folder / name / "latency.hlog")).merged([tag], from_s=0.5)
        found += itertools.chain.from_iterable([us] * count for us, count in own.buckets())
    return sorted(found)[round(share * len(found) + 0.4999999) - 1]


def test_all_hosts_start_at_one_moment_and_are_added(
    bench: Blockyard, blockyard: Blockyard, tmp_path: Path
) -> None:
    """One of them has no Blockyard, which is copied there once."""
    _write_hosts(tmp_path, db3=BARE)
    done = bench("--out", "out")
    assert done.returncode == 0, done.stderr
    assert "db3: blockyard 0.1.0 was missing and is copied" in done.stderr
    assert "3 hosts started within" in done.stderr
    about = _about(tmp_path / "out")
    assert [(host["name"], host["status"]) for host in about["hosts"]] == [
        (name, "complete") for name in NAMES
    ]
    for op in ("read", "write"):
        *own, whole = (total for total in about["totals"] if total["op"] == op)
        assert [total["host"] for total in [*own, whole]] == [*NAMES, None]
        assert whole["ios"] == sum(total["ios"] for total in own) > 0
        assert whole["iops"] == pytest.approx(sum(total["iops"] for total in own))
        assert whole["latency_us"]["max"] == max(total["latency_us"]["max"] for total in own)
        for name, share in (("p50", 0.5), ("p99", 0.99)):
            expected = _percentile(tmp_path / "out", f"clients.data.{op}", share)
            assert whole["latency_us"][name] == pytest.approx(expected, rel=2e-3)
    results = [json.loads((tmp_path / "out" / name / "result.json").read_text()) for name in NAMES]
    assert len({result["seed"] for result in results}) == 3
    again = bench("--out", "again", "--json", "--check")
    assert (again.returncode, "missing" in again.stderr) == (0, False), again.stderr
    assert len(json.loads(again.stdout)["totals"]) == 8
    told = blockyard("report", "out")
    assert told.returncode == 0, told.stderr
    assert told.stdout.startswith("mixed: 3 hosts, started within")
    assert "clients read data\n   db1 " in told.stdout
    page = blockyard("report", "out", "-o", "out.html", "--static")
    assert page.returncode == 0, page.stderr
    assert "All hosts" in (tmp_path / "out.html").read_text()


def test_what_one_host_refuses_is_written_nowhere(bench: Blockyard, tmp_path: Path) -> None:
    """All refusals are told, and no target is made on hosts that would not refuse."""
    for name in ("db1", "db3"):
        (tmp_path / f"{name}.dat").write_text("somebody's")
    before = _everything(tmp_path)
    done = bench("--out", "out")
    assert done.returncode == 2
    first, second, last = done.stderr.splitlines()
    assert first.startswith(f"blockyard: db1: {tmp_path}/db1.dat is not empty")
    assert second.startswith(f"blockyard: db3: {tmp_path}/db3.dat is not empty")
    assert last == "blockyard: nothing was written on any host"
    assert _everything(tmp_path) == before
    assert not (tmp_path / "out").exists()


def test_a_host_that_is_killed_is_named_and_the_rest_kept(fleet: Hosts, tmp_path: Path) -> None:
    """And Ctrl-C ends the others, which keep what they measured."""
    (tmp_path / "mixed.yaml").write_text(MIXED)
    _write_hosts(tmp_path)
    words = ["mixed.yaml", "--hosts", "hosts.yaml", "--ssh", fleet.ssh, "--out", "out"]
    command = [sys.executable, "-m", "blockyard", "bench", *words, "--set", "duration=10m"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=tmp_path, stderr=pipe, stdout=pipe, text=True) as process:
        assert process.stderr
        try:
            assert "3 hosts started within" in process.stderr.readline()
            fleet.kill("db2")
            assert "db2: lost in the middle of its run" in process.stderr.readline()
            process.send_signal(signal.SIGINT)
            stdout, _ = process.communicate(timeout=PATIENCE_S)
        finally:
            process.kill()
    assert process.returncode == 4
    assert "mixed: 2 of 3 hosts" in stdout
    statuses = {host["name"]: host["status"] for host in _about(tmp_path / "out")["hosts"]}
    assert statuses == {"db1": "interrupted", "db2": "failed", "db3": "interrupted"}
    kept = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert kept == ["db1", "db3", "hosts.json"]
    totals = _about(tmp_path / "out")["totals"]
    assert {total["host"] for total in totals} == {"db1", "db3", None}


def test_a_host_that_hangs_is_told_of(fleet: Hosts, tmp_path: Path) -> None:
    """And one that only waits for it is not."""
    (tmp_path / "mixed.yaml").write_text(MIXED)
    _write_hosts(tmp_path)
    words = ["mixed.yaml", "--hosts", "hosts.yaml", "--ssh", fleet.ssh, "--out", "out"]
    command = [sys.executable, "-m", "blockyard", "bench", *words, "--set", "duration=5s"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=tmp_path, stderr=pipe, stdout=pipe, text=True) as process:
        assert process.stderr
        try:
            assert "3 hosts started within" in process.stderr.readline()
            fleet.kill("db2", signal.SIGSTOP)
            assert process.stderr.readline().startswith("blockyard: db2: no answer for 1")
            fleet.kill("db2", signal.SIGCONT)
            stdout, stderr = process.communicate(timeout=PATIENCE_S)
        finally:
            fleet.kill("db2", signal.SIGCONT)
            process.kill()
    assert stderr == ""
    assert "mixed: 3 hosts" in stdout


def test_a_host_that_is_not_reached_is_named_and_the_rest_kept(
    bench: Blockyard, tmp_path: Path
) -> None:
    """What is left has no Blockyard, and gets that of a wheel."""
    listed = json.loads((tmp_path / "hosts.yaml").read_text())["hosts"]
    listed[0]["ssh"], listed[0]["port"] = "nobody@127.0.0.1", 1
    listed[1]["python"] = "/nonexistent/python3"
    listed[2]["python"] = BARE
    wheel = tmp_path / f"blockyard-0.1.0-cp311-abi3-linux_{platform.machine()}.whl"
    wheel.write_bytes(Package().packed)
    (tmp_path / "hosts.yaml").write_text(json.dumps({"hosts": listed}))
    done = bench("--out", "out", "--wheel", wheel)
    assert done.returncode == 4
    assert "db3: blockyard 0.1.0 was missing and is copied" in done.stderr
    reasons = {host["name"]: host["reason"] for host in _about(tmp_path / "out")["hosts"]}
    assert reasons["127.0.0.1"].startswith("not reached: ssh: connect to host 127.0.0.1 port 1:")
    assert reasons["db2"].startswith("`/nonexistent/python3` does not start there: ")
    assert reasons["db3"] is None
    assert f"127.0.0.1 failed and is not counted: {reasons['127.0.0.1']}" in done.stdout


def test_what_is_wrong_is_said_in_one_line(bench: Blockyard, tmp_path: Path) -> None:
    (tmp_path / "hosts.yaml").write_text("hosts:\n- ssh: db1\n- ssh: root@db1\n")
    assert one_line(bench()).startswith("blockyard: hosts.yaml:3: hosts.1.name: two hosts are ")
    _write_hosts(tmp_path)
    assert "mixed.yaml: repeats: 3; expected 1" in one_line(bench("--set", "repeats=3"))
    assert one_line(bench("--io-log")) == "blockyard: --io-log: not with --hosts"
    assert "not a wheel of blockyard" in one_line(bench("--wheel", "mixed.yaml"))
