"""`blockyard bench` as a user runs it, on files."""

import csv
import json
import os
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from conftest import PATIENCE_S, Blockyard, folder, one_line

pytestmark = pytest.mark.slow

MIB = 1 << 20

READS = """\
name: reads
duration: 1s
interval: 500ms
storage:
  data: {type: gp3, size: 1GiB}
workload:
  readers: {kind: ranread, on: data, file_size: 16MiB, processes: [1, 4]}
"""

MIXED = """\
name: mixed
duration: 2s
storage:
  data: {type: gp3, size: 1GiB}
  wij: {type: gp3, size: 1GiB}
workload:
  clients:
    {kind: access_spec, on: data, file_size: 8MiB, outstanding: 8, processes: 2,
     pattern: {size: 8KiB, read: 50%, random: 100%}}
  writers:
    {kind: ranwrite, on: {data: data, wij: wij, journal: wij}, file_size: 16MiB, cache: 8MiB,
     processes: 4, cycle: 100ms, wij: {file_size: 8MiB}, journal: {file_size: 8MiB}}
"""

ENGINES = ["io_uring", "threads"]


@pytest.fixture
def bench(blockyard: Blockyard, tmp_path: Path) -> Blockyard:
    """Run `blockyard bench` beside reads.yaml and mixed.yaml."""
    (tmp_path / "reads.yaml").write_text(READS)
    (tmp_path / "mixed.yaml").write_text(MIXED)

    def run(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
        return blockyard("bench", *arguments, **options)

    return run


def _result(directory: Path) -> dict[str, Any]:
    return dict(json.loads((directory / "result.json").read_text()))


def _total(result: dict[str, Any], job: str, device: str, op: str) -> dict[str, Any]:
    return next(
        total
        for total in result["totals"]
        if (total["job"], total["device"], total["op"]) == (job, device, op)
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_reads_are_measured_as_a_simulation_is(
    bench: Blockyard, tmp_path: Path, engine: str
) -> None:
    """The run directory has the same files, and the result also describes the machine."""
    target = ["--map", "data=t.dat", "--engine", engine]
    done = bench("reads.yaml", *target, "--io-log", "--out", "run")
    assert done.returncode == 0, done.stderr
    assert done.stderr == "", "no progress where there is no terminal"
    assert folder(tmp_path / "run") == [
        "findings.json",
        "intervals.parquet",
        "ios.csv",
        "latency.hlog",
        "result.json",
        "scenario.yaml",
        "volumes.parquet",
    ]
    result = _result(tmp_path / "run")
    assert (result["mode"], result["status"]) == ("bench", "complete")
    machine = result["machine"]
    assert machine["engine"] == engine
    assert machine["kernel"] == os.uname().release
    assert machine["targets"][0]["size_bytes"] == 16 * MIB
    assert machine["targets"][0]["file_system"]
    assert (tmp_path / "t.dat").stat().st_size == 16 * MIB
    reads = _total(result, "readers", "data", "read")
    assert reads["ios"] > 0
    assert reads["errors"] == 0
    assert [step["processes"] for step in result["steps"]] == [1, 4]
    rows = pq.read_table(tmp_path / "run" / "intervals.parquet").to_pylist()
    assert [row["t_s"] for row in rows] == [0.0, 0.5]
    assert sum(row["ios"] for row in rows) == reads["ios"]
    # However fast the storage and the machine are, they count what happened.
    log = list(csv.DictReader((tmp_path / "run" / "ios.csv").read_text().splitlines()))
    for row, processes in zip(rows, (1, 4), strict=True):
        begins = row["t_s"] * 1e9
        ends = begins + 5e8
        times = [(int(io["issued_ns"]), int(io["completed_ns"] or 1e9)) for io in log]
        latencies = [done - issued for issued, done in times if begins <= done < ends]
        assert row["ios"] == len(latencies)
        assert row["latency_mean_us"] == pytest.approx(statistics.mean(latencies) / 1e3, rel=0.01)
        flight = sum(max(0, min(done, ends) - max(issued, begins)) for issued, done in times)
        assert row["queue_depth"] == pytest.approx(flight / 5e8, abs=0.02 * processes)
        assert row["queue_depth"] <= processes * 1.001
        slots = {io["slot"] for io in log if begins <= int(io["issued_ns"]) < ends}
        assert len(slots) == processes


def test_a_new_file_is_fully_written_and_used_again(bench: Blockyard, tmp_path: Path) -> None:
    """No byte of it is a hole, and a second run does not rewrite it."""
    assert bench("reads.yaml", "--map", "data=.", "--out", "one").returncode == 0
    file = tmp_path / "data.dat"
    content = file.read_bytes()
    assert all(any(content[at : at + 4096]) for at in range(0, len(content), 4096))
    before = file.stat().st_mtime_ns
    assert bench("reads.yaml", "--map", "data=data.dat", "--out", "two").returncode == 0
    assert file.stat().st_mtime_ns == before
    assert file.read_bytes() == content


def test_a_file_that_was_not_filled_is_not_read(bench: Blockyard, tmp_path: Path) -> None:
    """A run that is killed meanwhile leaves space without content, which reads in no time."""
    file = tmp_path / "t.dat"
    file.write_bytes(bytes(16 * MIB))
    os.setxattr(file, "user.blockyard", b"filling")
    says = _refused(bench, tmp_path, "reads.yaml", "--map", "data=t.dat")
    assert says == (
        "blockyard: t.dat: an earlier run did not finish filling it; "
        "to have it written anew: --overwrite 't.dat'"
    )
    anew = ["--overwrite", "t.dat", "--out", "run"]
    assert bench("reads.yaml", "--map", "data=t.dat", *anew).returncode == 0
    content = file.read_bytes()
    assert all(any(content[at : at + 4096]) for at in range(0, len(content), 4096))
    assert bench("reads.yaml", "--map", "data=t.dat", "--out", "again").returncode == 0


def test_preconditioning_writes_through_what_is_there(bench: Blockyard, tmp_path: Path) -> None:
    """As often as requested, although the file already exists and is only read."""
    assert bench("reads.yaml", "--map", "data=t.dat", "--out", "one").returncode == 0
    with (tmp_path / "t.dat").open("r+b") as file:
        file.write(bytes(16 * MIB))
    again = ["--precondition", "1", "--overwrite", "t.dat", "--out", "two"]
    assert bench("reads.yaml", "--map", "data=t.dat", *again).returncode == 0
    content = (tmp_path / "t.dat").read_bytes()
    assert all(any(content[at : at + 4096]) for at in range(0, len(content), 4096))


def test_reads_never_write(bench: Blockyard, tmp_path: Path) -> None:
    """Another user's file can be read, even one that cannot be written."""
    file = tmp_path / "theirs.dat"
    content = b"some old content" * MIB
    file.write_bytes(content)
    file.chmod(0o444)
    assert bench("reads.yaml", "--map", "data=theirs.dat", "--out", "run").returncode == 0
    assert file.read_bytes() == content


def test_a_file_with_holes_is_told(bench: Blockyard, tmp_path: Path) -> None:
    """Blocks that were never written are not read from storage, and look faster than any."""
    (tmp_path / "holes").touch()
    os.truncate(tmp_path / "holes", 16 * MIB)
    done = bench("reads.yaml", "--map", "data=holes", "--out", "run")
    assert done.returncode == 0
    assert "holes: it has holes; reading them reaches no storage" in done.stderr


def test_size_scales_the_files(bench: Blockyard, tmp_path: Path) -> None:
    """All files together take the requested size."""
    done = bench(
        "mixed.yaml", "--map", "data=d", "--map", "wij=w", "--size", "4MiB", "--out", "run"
    )
    assert done.returncode == 0, done.stderr
    assert 3 * MIB <= (tmp_path / "d").stat().st_size <= 4 * MIB
    assert (tmp_path / "w").stat().st_size < 4 * MIB


@pytest.mark.parametrize("engine", ENGINES)
def test_writes_are_what_was_written(bench: Blockyard, tmp_path: Path, engine: str) -> None:
    """With --verify every block is checked; cycles and flushes are real."""
    maps = ["--map", "data=d", "--map", "wij=w"]
    done = bench("mixed.yaml", *maps, "--verify", "--engine", engine, "--out", "run")
    assert done.returncode == 0, done.stderr
    result = _result(tmp_path / "run")
    verified = result["machine"]["verified"]
    reads = _total(result, "clients", "data", "read")["ios"]
    assert verified["bad"] == 0
    assert verified["blocks"] > reads, "what was written is read back as well"
    # A cycle begins every 100 ms, or as late as a busy machine makes it.
    assert result["cycles"]
    assert _total(result, "writers", "wij", "flush")["ios"] >= 2
    assert _total(result, "writers", "data", "write")["ios"] > 0


@pytest.mark.parametrize(
    ("damage", "what"),
    [
        (lambda block, _: bytes([block[0] ^ 1]) + block[1:], "damaged"),
        (lambda _, other: other, "misplaced"),
        (lambda block, _: bytes(len(block)), "damaged"),
    ],
    ids=["flipped bit", "another's block", "zeros"],
)
def test_a_bad_block_is_found(bench: Blockyard, tmp_path: Path, damage: Any, what: str) -> None:
    """The block is named with its offset, and the status is 4."""
    maps = ["--map", "data=d", "--map", "wij=w"]
    only_clients = ["--set", "duration=1s"]
    assert bench("mixed.yaml", *maps, *only_clients, "--verify", "--out", "one").returncode == 0
    with (tmp_path / "d").open("r+b") as file:
        first, second = file.read(8192), file.read(8192)
        file.seek(0)
        file.write(damage(first, second))
    reads = ["--set", "workload.readers.file_size=8MiB", "--set", "workload.readers.processes=8"]
    done = bench("reads.yaml", "--map", "data=d", *reads, "--verify", "--out", "two")
    assert done.returncode == 4
    assert "block at offset 0: " + what in done.stderr
    result = _result(tmp_path / "two")
    assert result["status"] == "failed"
    assert result["machine"]["verified"]["bad"] > 0
    assert result["reason"] in done.stderr.replace("blockyard: ", "")


def test_null_takes_everything(bench: Blockyard, tmp_path: Path) -> None:
    """`null:` needs no storage; an open loop keeps its schedule on it."""
    rate = ["--set", "workload.readers.rate=20000/s", "--set", "duration=2s"]
    (tmp_path / "open.yaml").write_text(READS.replace("processes: [1, 4]", "rate: 1/s"))
    done = bench("open.yaml", "--map", "data=null:", *rate, "--out", "run")
    assert done.returncode == 0, done.stderr
    result = _result(tmp_path / "run")
    (loop,) = result["open_loop"]
    # Poisson: the standard deviation of 40,000 arrivals is 200.
    assert loop["offered"] == pytest.approx(40_000, abs=1_000)
    assert loop["served"] + loop["backlog"] == loop["offered"]
    assert loop["skipped"] == 0
    assert result["machine"]["targets"][0]["kind"] == "null"


def test_late_ios_are_skipped_and_counted(bench: Blockyard, tmp_path: Path) -> None:
    """IOs that lag by more than the limit are not issued, but all are counted."""
    (tmp_path / "open.yaml").write_text(
        READS.replace(
            "processes: [1, 4]", "rate: 2000000/s, max_outstanding: 1, latency_limit: 10us"
        )
    )
    done = bench("open.yaml", "--map", "data=t.dat", "--out", "run")
    assert done.returncode == 0, done.stderr
    (loop,) = _result(tmp_path / "run")["open_loop"]
    assert loop["skipped"] > 0
    assert loop["late"] > 0
    total = loop["served"] + loop["backlog"] + loop["skipped"]
    assert total == loop["offered"]


def test_a_steady_run_ends_early(bench: Blockyard, tmp_path: Path) -> None:
    """A rate that its schedule makes constant is steady as soon as the window is full."""
    (tmp_path / "open.yaml").write_text(
        READS.replace("processes: [1, 4]", "rate: 1000/s, arrivals: even")
    )
    more = ["--set", "duration=60s", "--steady-stop", "2s:20%"]
    done = bench("open.yaml", "--map", "data=null:", *more, "--out", "run")
    assert done.returncode == 0, done.stderr
    result = _result(tmp_path / "run")
    assert result["status"] == "complete"
    assert result["machine"]["steady_s"] == result["duration_s"] < 30


@pytest.mark.parametrize("delay", [0.0, 0.3, 0.6, 0.9, 1.5])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_run_whole(tmp_path: Path, number: int, delay: float) -> None:
    """Whenever the signal comes, what was measured is kept and marked, or nothing is left."""
    (tmp_path / "mixed.yaml").write_text(MIXED.replace("duration: 2s", "duration: 60s"))
    command = [sys.executable, "-m", "blockyard", "bench", "mixed.yaml"]
    command += ["--map", "data=d", "--map", "wij=w", "--out", "run"]
    running = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    while not any(entry.name.startswith(".run.partial") for entry in tmp_path.iterdir()):
        time.sleep(0.01)
    time.sleep(delay)
    running.send_signal(number)
    _, errors = running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 130, errors
    assert "Traceback" not in errors
    left = set(folder(tmp_path)) - {"mixed.yaml", "d", "w"}
    assert left <= {"run"}
    if left:
        result = _result(tmp_path / "run")
        assert result["status"] == "interrupted"
        assert result["duration_s"] < 30


def _refused(bench: Blockyard, tmp_path: Path, *arguments: object) -> str:
    """The line that a refused call prints; nothing was created."""
    before = folder(tmp_path)
    done = bench(*arguments)
    assert done.returncode == 2, done.stderr
    assert folder(tmp_path) == before
    return one_line(done)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--map", "data"], "--map: `data`; expected DEVICE=PATH"),
        (["--map", "dat=t"], "--map: no device is called `dat`; did you mean `data`?"),
        (["--map", "data=a", "--map", "data=b"], "--map: `data` is mapped twice"),
        (["--map", "data=missing/t"], "missing/t: No such file or directory"),
        (["--map", "data=/dev/zero"], "neither a file nor a folder nor a block device"),
        (["--map", "data=t", "--size", "8XB"], "--size: "),
        (["--map", "data=t", "--size", "4KiB"], "no block of 8192 bytes"),
        (["--map", "data=t", "--steady-stop", "5%"], "expected WINDOW:TOLERANCE"),
        (
            ["--map", "data=t", "--steady-stop", "2h:5%"],
            "--steady-stop: a window of 2h; the run measures for ",
        ),
        (["--map", "data=t", "--precondition", "9" * 23], "a whole number from 0 to 1000"),
        (["--map", "data=reads.yaml/t"], "data=reads.yaml/t: Not a directory"),
        (
            ["--map", "data=t", "--steady-stop", "0s:5%"],
            "expected a window and a tolerance above 0",
        ),
        (["--map", "data=t", "--overwrite", "u"], "--overwrite: u is not a target of this run"),
    ],
)
def test_bad_input_is_refused(
    bench: Blockyard, tmp_path: Path, arguments: list[str], says: str
) -> None:
    """One line names the place, and nothing is done."""
    assert says in _refused(bench, tmp_path, "reads.yaml", *arguments)


def test_every_device_needs_a_target_of_its_own(bench: Blockyard, tmp_path: Path) -> None:
    """A device without a target is named, and so are two devices with the same one."""
    says = _refused(bench, tmp_path, "mixed.yaml", "--map", "data=d")
    assert "the device `wij` has no target; expected --map wij=PATH" in says
    (tmp_path / "same").write_bytes(b"")
    says = _refused(bench, tmp_path, "mixed.yaml", "--map", "data=same", "--map", "wij=same")
    assert "`data` and `wij` are both" in says


def test_a_file_that_is_too_small_is_refused(bench: Blockyard, tmp_path: Path) -> None:
    """The message says what to do."""
    (tmp_path / "small").write_bytes(bytes(MIB))
    says = _refused(bench, tmp_path, "reads.yaml", "--map", "data=small")
    assert says.endswith("has 1MiB, and the files on `data` take 16MiB; --size 1MiB scales them")
    assert (tmp_path / "small").read_bytes() == bytes(MIB)


def test_somebodys_file_is_not_written_to(bench: Blockyard, tmp_path: Path) -> None:
    """Refused, unless that very file is named."""
    theirs = tmp_path / "theirs"
    theirs.write_bytes(b"not empty")
    maps = ["--map", "data=theirs", "--map", "wij=w"]
    says = _refused(bench, tmp_path, "mixed.yaml", *maps)
    assert "theirs is not empty and was not made by blockyard; expected a new file" in says
    assert "--overwrite" not in says
    assert theirs.read_bytes() == b"not empty"
    done = bench("mixed.yaml", *maps, "--overwrite", "theirs", "--out", "run")
    assert done.returncode == 0, done.stderr


def test_goals_hold_on_real_storage(bench: Blockyard) -> None:
    """A missed goal exits with 1."""
    goal = ["--set", "goals=readers.latency.p99 < 1ns", "--check"]
    done = bench("reads.yaml", "--map", "data=t.dat", *goal, "--out", "run")
    assert done.returncode == 1
    assert "MISSED" in done.stdout
