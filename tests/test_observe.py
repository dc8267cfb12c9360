"""`blockyard observe`: a real load on a loop device, held to the kernel's own counters."""

import csv
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import blockyard as by
from blockyard._core import Interval
from blockyard.runs.execution.observe import observe
from blockyard.runs.new_folder import NewFolder
from blockyard.runs.observer import Observer
from blockyard.service.metrics import Metrics
from conftest import PATIENCE_S, Blockyard, folder, one_line
from serving import serve
from undoing import loop_device, undone

MIB = 1 << 20
TESTS = Path(__file__).parent
# How often a load is carried out.
TIMES = 3
# The numbers of /sys/block/DEVICE/stat: IOs and sectors of reads, of writes.
COUNTS = {"read": (0, 2), "write": (4, 6)}


@pytest.fixture
def device(tmp_path: Path) -> Iterator[str]:
    """A loop device of 64 MiB that nobody else uses, or none."""
    image = tmp_path / "image"
    with image.open("xb") as file:
        file.truncate(64 * MIB)
    if os.geteuid() != 0 or not shutil.which("losetup"):
        pytest.skip("loop devices are root's")
    try:
        with loop_device(image) as node:
            yield node
    except RuntimeError as error:
        pytest.skip(f"no loop device: {error}")


class Loads(Observer):
    """Carries out a load in some intervals, each after a sample and before the next."""

    def __init__(self, load: Callable[[], None]) -> None:
        self.stop = threading.Event()
        self.warnings: list[str] = []
        self._load, self._left = load, TIMES

    def interval(self, interval: Interval) -> None:  # noqa: ARG002 - only that there is one
        if self._left == 0:
            self.stop.set()
            return
        self._load()
        self._left -= 1

    def warn(self, message: str) -> None:
        self.warnings.append(message)


def observed(
    out: Path,
    load: Callable[[], None],
    *,
    io_log: bool = False,
    calls: bool = False,
    **arguments: object,
) -> by.RunView:
    """Observe a load, and read back the run."""
    loads = Loads(load)
    with NewFolder(out) as made:
        asked = {"interval": "100ms", **arguments}
        kept = observe(
            out.name, made, asked, io_log=io_log, calls=calls, stop=loads.stop, view=loads
        )
        assert kept
    return by.load(out)


def copied(*words: str) -> None:
    """Carry out `dd`, past the page cache."""
    subprocess.run(["dd", "status=none", *words], check=True)


def load_on(device: str) -> Callable[[], None]:
    """Writes and reads of known numbers and sizes."""

    def load() -> None:
        copied("if=/dev/zero", f"of={device}", "bs=8k", "count=100", "oflag=direct", "conv=notrunc")
        copied(f"if={device}", "of=/dev/null", "bs=16k", "count=50", "iflag=direct")

    return load


def stat(device: str) -> list[int]:
    """The kernel's counters."""
    return [int(word) for word in Path(f"/sys/block/{Path(device).name}/stat").read_text().split()]


def test_counts_are_the_kernels_to_the_last_io(device: str, tmp_path: Path) -> None:
    before = stat(device)
    run = observed(tmp_path / "run", load_on(device), device=[device], counters=True)
    made = [new - old for old, new in zip(before, stat(device), strict=True)]
    totals = {str(total["op"]): total for total in run.result["totals"]}
    for op, (ios, sectors) in COUNTS.items():
        assert (totals[op]["ios"], totals[op]["bytes"]) == (made[ios], made[sectors] * 512)
    # And the kernel's are those of the load.
    assert (totals["write"]["ios"], totals["write"]["bytes"]) == (TIMES * 100, TIMES * 100 * 8192)
    assert (totals["read"]["ios"], totals["read"]["bytes"]) == (TIMES * 50, TIMES * 50 * 16384)
    # Rows add up to totals; what counters do not know is not there.
    rows = run.intervals.to_pylist()
    assert sum(row["ios"] for row in rows) == TIMES * 150
    assert {row["latency_p99_us"] for row in rows} == {None}
    assert all(total["latency_us"] is None for total in run.result["totals"])
    assert run.scenario is None
    assert run.interval_s == pytest.approx(0.1)


def test_what_was_observed_outlives_storage_that_it_cannot_be(device: str, tmp_path: Path) -> None:
    def known(_: object) -> str:
        raise by.ScenarioError("--volume: nvme9n1=gp3: no such device had IO")

    loads = Loads(load_on(device))
    with NewFolder(tmp_path / "run") as made:
        asked = {"interval": "100ms", "device": [device], "counters": True}
        assert observe("run", made, asked, storage=known, stop=loads.stop, view=loads)
    run = by.load(tmp_path / "run")
    assert "--volume: nvme9n1=gp3: no such device had IO" in run.result["notices"]
    assert run.storage is None


class Served(Loads):
    """Passes on what `--metrics` serves."""

    def __init__(self, load: Callable[[], None]) -> None:
        super().__init__(load)
        self.sink = Metrics()

    def interval(self, interval: Interval) -> None:
        self.sink.update(interval.done_s, interval.so_far())
        super().interval(interval)


def test_metrics_are_the_kernels_counts(device: str, tmp_path: Path) -> None:
    served = Served(load_on(device))
    with NewFolder(tmp_path / "run") as made:
        asked = {"interval": "100ms", "device": [device], "counters": True}
        assert observe("run", made, asked, stop=served.stop, view=served)
    name = Path(device).name
    samples = {
        sample.name: sample.value
        for family in served.sink.collect()
        for sample in family.samples
        if sample.labels == {"volume": name}
    }
    assert samples["VolumeWriteOps_total"] == TIMES * 100
    assert samples["VolumeWriteBytes_total"] == TIMES * 100 * 8192
    assert samples["VolumeReadOps_total"] == TIMES * 50
    assert samples["VolumeReadBytes_total"] == TIMES * 50 * 16384
    assert samples["VolumeQueueLength"] == samples["VolumeStalledIOCheck"] == 0
    # Of limits nothing is known.
    assert not [sample for sample in samples if "Exceeded" in sample]


def traced(
    device: str, out: Path, load: str, buffer: str = "4MiB", *, calls: bool = False
) -> by.RunView:
    """Observe a load by tracepoints, in a process with mounts of its own; keep each IO.

    With `calls` also those of that process and of what it starts.
    """
    whose = "pid=[os.getpid()], calls=True, " if calls else ""
    script = (
        "import os, sys, test_observe as own; from pathlib import Path; "
        "device, out, load, buffer = sys.argv[1:]; load = getattr(own, load)(device); "
        f"own.observed(Path(out), load, io_log=True, {whose}device=[device], buffer=buffer)"
    )
    done = subprocess.run(
        ["unshare", "--mount", sys.executable, "-c", script, device, out, load, buffer],
        cwd=out.parent,
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join(map(str, (TESTS, TESTS.parent / "scripts")))},
        capture_output=True,
        text=True,
        check=False,
    )
    if "Operation not permitted" in done.stderr:
        pytest.skip(f"no mounts: {done.stderr}")
    if "MachineError: --io-log: " in done.stderr or "MachineError: --calls: " in done.stderr:
        pytest.skip(done.stderr.splitlines()[-1])
    assert done.returncode == 0, done.stderr
    return by.load(out)


def file_load_on(device: str) -> Callable[[], None]:
    """Files that are written and made durable: merges, a journal, flushes before and after."""
    place = Path("mounted")
    place.mkdir()
    options = "lazy_itable_init=0,lazy_journal_init=0"
    subprocess.run(["mkfs.ext4", "-q", "-F", "-E", options, device], check=True)
    # Its mount is gone with this process, as is its namespace.
    subprocess.run(["mount", device, place], check=True)
    os.sync()

    def load() -> None:
        copied("if=/dev/zero", f"of={place}/one", "bs=8k", "count=40", "conv=fsync")
        copied("if=/dev/zero", f"of={place}/two", "bs=4k", "count=10", "oflag=dsync")

    return load


@pytest.mark.parametrize("load", ["load_on", "file_load_on"])
def test_each_io_is_seen_and_counted_once(load: str, device: str, tmp_path: Path) -> None:
    if load == "file_load_on" and not shutil.which("mkfs.ext4"):
        pytest.skip("no mkfs.ext4")
    run = traced(device, tmp_path / "run", load)
    seen = run.result["observed"]
    assert seen
    assert seen["source"] == "tracepoints"
    assert "lost" not in seen
    [watched] = seen["devices"]
    totals = {total["op"]: total for total in run.result["totals"]}
    for op in watched["ops"]:
        # A request's place may not tell which one it is, which must be said then.
        assert op["ios"] == totals[op["op"]]["ios"]
        assert op["seen"]
        assert op["seen"] <= op["ios"]
        tag = f"observed.{watched['name']}.{op['op']}"
        assert run.latencies.merged([tag]).count == op["seen"]
        figures = totals[op["op"]]["latency_us"]
        assert figures
        assert figures["p50"] <= figures["p99"] <= figures["max"]
    unseen = sum(op["ios"] - (op["seen"] or 0) for op in watched["ops"])
    said = [said for said in run.result["notices"] if "have no latency" in said]
    assert len(said) == (unseen > 0)
    assert all(f": {unseen} of " in one for one in said)
    if load == "load_on":
        for op in watched["ops"]:
            assert op["seen"] == op["ios"]
            # What is not queued here is in the device.
            whole = totals[op["op"]]["latency_us"]
            assert whole
            queue, device_us = op["queue_us"], op["device_us"]
            assert queue
            assert device_us
            assert queue["mean"] + device_us["mean"] == pytest.approx(whole["mean"], rel=1e-9)
    else:
        assert totals["flush"]["ios"] >= TIMES * 10
    assert run.intervals["latency_p99_us"].null_count < len(run.intervals)


def ios(run: Path) -> list[dict[str, str]]:
    """The lines of a run's `ios.csv`."""
    with (run / "ios.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def merging_load_on(device: str) -> Callable[[], None]:
    """The same, and writes of which EBS merges two into one."""
    small = load_on(device)

    def load() -> None:
        small()
        copied("if=/dev/zero", f"of={device}", "bs=128k", "count=8", "oflag=direct", "conv=notrunc")

    return load


# What other tests run, as `blkid`, reads all devices of the machine.
@pytest.mark.realtime
def test_each_io_is_kept_and_counted_as_ebs_does(device: str, tmp_path: Path) -> None:
    run = traced(device, tmp_path / "run", "merging_load_on")
    kept = ios(tmp_path / "run")
    assert pc.sum(run.volumes["ios"]).as_py() == TIMES * (100 + 50 + 8 // 2)
    assert {(io["job"], io["device"]) for io in kept} == {("dd", Path(device).name)}
    # Each `dd` is a thread, and goes from the beginning on.
    threads: dict[str, list[dict[str, str]]] = {}
    for io in kept:
        assert int(io["due_ns"]) <= int(io["issued_ns"]) < int(io["completed_ns"])
        threads.setdefault(io["slot"], []).append(io)
    done = [
        (own[0]["op"], int(own[0]["bytes"]), [int(io["offset"]) for io in own])
        for own in threads.values()
    ]
    writes = ("write", 8 << 10, [place << 13 for place in range(100)])
    reads = ("read", 16 << 10, [place << 14 for place in range(50)])
    large = ("write", 128 << 10, [place << 17 for place in range(8)])
    assert done == [writes, reads, large] * TIMES


def test_each_call_is_kept_with_its_ios(device: str, tmp_path: Path) -> None:
    run = traced(device, tmp_path / "run", "load_on", calls=True)
    table = pq.read_table(tmp_path / "run/calls.parquet").to_pylist()
    done = [call for call in table if call["name"] == "dd" and call["ios"]]
    assert len(done) == TIMES * 150
    assert {(call["call"], call["result"]) for call in done} == {
        ("write", 8 << 10),
        ("read", 16 << 10),
    }
    for call in done:
        assert (call["ios"], call["waited"]) == (1, 1)
        assert 0 < call["io_ns"] <= call["end_ns"] - call["start_ns"]
    # What comes through a pipe or a socket is no call of a file.
    assert not any(call["ios"] for call in table if call["fd"] < 0)
    seen = run.result["observed"]
    assert seen
    found = seen["calls"]
    assert found
    [caller] = [caller for caller in found["callers"] if caller["name"] == "dd"]
    assert (caller["threads"], caller["waits"], caller["left"]) == (2 * TIMES, TIMES * 150, 0)
    assert caller["think_us"]
    assert sum(found["at_once"]) == pytest.approx(1)
    waiting = sum(number * share for number, share in enumerate(found["at_once"]))
    waited_s = sum(caller["waiting_s"] for caller in found["callers"])
    assert waiting * run.result["duration_s"] == pytest.approx(waited_s, rel=0.01)


def test_calls_of_nobody_are_refused(blockyard: Blockyard) -> None:
    refused = blockyard("observe", "--calls")
    assert refused.returncode == 2
    assert "--calls: of all processes they are too many; expected --pid or" in one_line(refused)


@pytest.mark.slow
@pytest.mark.realtime
@pytest.mark.skipif(not shutil.which("fio"), reason="no fio here")
def test_an_emulated_volume_comes_back(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("block devices are root's")
    volume = {"type": "gp3", "size": "1GiB"}
    emulated = json.dumps({"name": "emulated", "storage": {"data": volume}})
    with serve(emulated, "--as", "block", folder=tmp_path) as served:
        command = [sys.executable, "-m", "blockyard", "observe", "--io-log", "--duration", "9s"]
        path = served.paths["data"]
        with subprocess.Popen([*command, "--device", path, "--out", "run"], cwd=tmp_path) as seen:
            load = ["fio", "--name=load", f"--filename={path}", "--rw=randread", "--bs=8k"]
            load += ["--direct=1", "--ioengine=libaio", "--time_based"]
            # Latency without a limit first, then the limit: the bucket, and its rate.
            for flying, seconds in ((1, 1), (16, 7)):
                words = [*load, f"--iodepth={flying}", f"--runtime={seconds}"]
                subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        assert seen.returncode == 0
        served.stop()
    served.skip_if_late()
    (limit,) = by.fit(tmp_path / "run").figures["limits"]
    assert limit["rate"]["value"] == pytest.approx(3000, rel=0.01)
    assert (limit["depth"]["low"] or 0) <= 3000 * 1.02
    assert limit["depth"]["high"] is None or limit["depth"]["high"] >= 3000 * 0.98


def heavy_load_on(device: str) -> Callable[[], None]:
    """More writes than a small ring has room for between two looks."""
    return lambda: copied("if=/dev/zero", f"of={device}", "bs=512", "count=2000", "oflag=direct")


def limited_load_on(device: str) -> Callable[[], None]:
    """The same, where no file may grow beyond 64 KiB: `ios.csv` would."""
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 << 10, 64 << 10))
    return heavy_load_on(device)


def test_a_full_disk_ends_the_log_alone(device: str, tmp_path: Path) -> None:
    run = traced(device, tmp_path / "run", "limited_load_on")
    [total] = run.result["totals"]
    assert total["ios"] == TIMES * 2000
    kept = ios(tmp_path / "run")
    assert 0 < len(kept) < total["ios"]
    assert None not in kept[-1].values()
    [said] = [one for one in run.result["notices"] if one.startswith("ios.csv ends at ")]
    assert said.endswith(" s: file too large")


def test_events_without_room_are_counted(device: str, tmp_path: Path) -> None:
    run = traced(device, tmp_path / "run", "heavy_load_on", buffer="8KiB")
    seen = run.result["observed"]
    assert seen
    [writes] = seen["devices"][0]["ops"]
    lost = sum(one["events"] for one in seen["lost"])
    assert lost > 0
    # An arrival, an issue and a completion of each, read or lost.
    assert writes["ios"] == TIMES * 2000
    assert (seen["events"] or 0) + lost == 3 * writes["ios"]
    said = run.result["notices"]
    assert any(one.startswith(f"{lost} events were lost between ") for one in said)
    unseen = writes["ios"] - (writes["seen"] or 0)
    assert any(f": {unseen} of {writes['ios']} IOs have no latency" in one for one in said)


def traces() -> list[str]:
    """The traces that this machine has."""
    folder = "/sys/kernel/tracing"
    shown = f"mountpoint -q {folder} || mount -t tracefs nodev {folder} && ls {folder}/instances"
    command = ["unshare", "--mount", "sh", "-c", shown]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"no tracefs: {done.stderr}")
    return done.stdout.split()


def test_what_a_killed_one_leaves_is_removed_by_the_next(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "blockyard", "observe", "--interval", "100ms"]
    with subprocess.Popen([*command, "--out", "killed"], cwd=tmp_path) as process:
        try:
            until = time.monotonic() + PATIENCE_S
            left = f"blockyard-{process.pid}-0"
            while left not in traces():
                assert process.poll() is None
                assert time.monotonic() < until
                time.sleep(0.01)
        finally:
            process.kill()
    assert left in traces()
    subprocess.run([*command, "--duration", "100ms", "--out", "next"], cwd=tmp_path, check=True)
    assert left not in traces()


@pytest.fixture
def memory() -> Iterator[str]:
    """A device that takes bios, not requests: 64 MiB of compressed memory."""
    control = Path("/sys/class/zram-control")
    try:
        number = int((control / "hot_add").read_text())
    except OSError as error:
        pytest.skip(f"no zram: {error}")
    with undone("zram", str(number)):
        Path(f"/sys/block/zram{number}/disksize").write_text("64M")
        Path(f"/sys/block/zram{number}/queue/iostats").write_text("1")
        yield f"/dev/zram{number}"


def test_bios_have_latencies_as_a_whole(memory: str, tmp_path: Path) -> None:
    run = traced(memory, tmp_path / "run", "load_on")
    seen = run.result["observed"]
    assert seen
    [watched] = seen["devices"]
    assert {op["op"]: op["ios"] for op in watched["ops"]} == {
        "read": TIMES * 50,
        "write": TIMES * 100,
    }
    for op in watched["ops"]:
        assert op["seen"] == op["ios"]
        assert "device_us" not in op
    assert all(total["latency_us"] for total in run.result["totals"])


def test_questions_take_its_run(device: str, blockyard: Blockyard, tmp_path: Path) -> None:
    run = observed(tmp_path / "run", load_on(device), device=[device])
    name = Path(device).name
    said = blockyard("report", "run")
    assert said.returncode == 0, said.stderr
    assert "reads of 16 KiB at" in said.stdout
    assert f"MiB/s on {name}: " in said.stdout
    for words in (
        ("report", "run", "-o", "run.html"),
        ("compare", "run", "run"),
        ("what-if", "gp3.yaml", "--workload", "run", "--most-ios", "20000"),
        ("describe", "run", "-o", "load.yaml"),
        ("simulate", "load.yaml", "--seeds", "1", "--no-advice"),
    ):
        done = blockyard(*words)
        assert done.returncode == 0, done.stderr
    assert run.told.headline()
    assert run._repr_html_()


def test_a_process_that_ends_ends_the_observation(device: str, tmp_path: Path) -> None:
    def load() -> None:
        if child.returncode is not None:
            return
        child.communicate(b"go")

    writes = f"""
import os, sys, mmap
block = mmap.mmap(-1, 1 << 20)
sys.stdin.read()
os.write(os.open({device!r}, os.O_WRONLY | os.O_DIRECT), block)
"""
    child = subprocess.Popen([sys.executable, "-c", writes], stdin=subprocess.PIPE)
    run = observed(tmp_path / "named", load, device=[device], pid=[child.pid])
    # It ended, and the observation with it.
    assert run.result["status"] == "complete"
    seen = run.result["observed"]
    assert seen
    [process] = seen["processes"]
    assert (process["pid"], process["ended"]) == (child.pid, True)
    assert any("ended before the observation did" in said for said in run.result["notices"])


def test_a_device_that_vanishes_ends_it_and_what_was_seen_is_kept(tmp_path: Path) -> None:
    number = 77
    if os.geteuid() != 0 or not Path("/dev/loop-control").exists():
        pytest.skip("loop devices are root's")
    with Path("/dev/loop-control").open("rb") as control:
        try:
            # LOOP_CTL_ADD
            fcntl.ioctl(control, 0x4C80, number)
        except OSError as error:
            pytest.skip(f"no new loop device: {error}")
        gone = threading.Event()

        def remove() -> None:
            # LOOP_CTL_REMOVE
            fcntl.ioctl(control, 0x4C81, number)
            gone.set()

        run = observed(
            tmp_path / "run",
            lambda: None if gone.is_set() else remove(),
            device=[f"loop{number}"],
        )
    assert run.result["status"] == "failed"
    assert (run.result["reason"] or "").startswith(f"loop{number} vanished after ")


def test_ctrl_c_keeps_what_is_there(tmp_path: Path) -> None:
    for words, status in ((["--duration", "1h"], 130), ([], 0)):
        process = subprocess.Popen(
            [sys.executable, "-m", "blockyard", "observe", "--out", f"run{status}", *words],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        until = time.monotonic() + PATIENCE_S
        while not list(tmp_path.glob(".run*/latency.hlog")):
            assert process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.01)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=PATIENCE_S)
        assert (process.returncode, stderr) == (status, b"")
        result = json.loads((tmp_path / f"run{status}/result.json").read_text())
        assert result["status"] == ("interrupted" if status else "complete")


REFUSED = [
    (["--device", "no-such-disk"], 2, "--device: `no-such-disk`: no such block device"),
    (["--device", "/proc"], 2, "--device: `/proc`: its file system lies on no block device"),
    (["--pid", "4294967295"], 2, "--pid: `4294967295`: no such process"),
    (["--unit", "no-such-unit"], 2, "--unit: `no-such-unit`: no such unit runs"),
    (["--unit", "a", "--pid", "1"], 2, "--unit and --pid: both choose processes"),
    (["--duration", "0s"], 2, "--duration: `0s`; expected at least one interval of 1s"),
    (["--duration", "soon"], 2, "--duration: `soon` is not a duration"),
    (["--interval", "1ms"], 2, "--interval: `1ms`; expected 100ms to 1m"),
    (["--buffer", "4KiB"], 2, "--buffer: `4KiB`; expected 8KiB to 1GiB"),
    (["--io-log", "--counters"], 2, "--io-log and --counters: counters know no single IO"),
    (["--out", "gp3.yaml"], 2, "gp3.yaml: exists already"),
]


@pytest.mark.parametrize(("words", "status", "said"), REFUSED)
def test_what_cannot_be_is_refused_in_one_line(
    words: list[str], status: int, said: str, blockyard: Blockyard, tmp_path: Path
) -> None:
    done = blockyard("observe", *words)
    assert done.returncode == status
    assert one_line(done).startswith(f"blockyard: {said}")
    assert folder(tmp_path) == ["gp3.yaml"]


def test_a_volume_of_a_device_that_is_not_observed_is_refused(
    blockyard: Blockyard, tmp_path: Path
) -> None:
    done = blockyard("observe", "--interval", "100ms", "--duration", "1h", "--volume", "zzz=gp3")
    assert done.returncode == 2
    said = "blockyard: --volume: zzz=gp3: no such device is observed; expected "
    assert one_line(done).startswith(said)
    assert folder(tmp_path) == ["gp3.yaml"]


def test_a_full_disk_is_said(blockyard: Blockyard, tmp_path: Path) -> None:
    def before() -> None:
        import resource

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (256, 256))

    done = blockyard("observe", "--interval", "100ms", "--duration", "100ms", before=before)
    assert done.returncode == 4
    assert re.fullmatch(r"blockyard: runs/\S+: nothing kept: File too large\n", done.stderr)
    assert "s observed" in done.stdout
    assert not list(tmp_path.glob("runs/*"))
