"""`blockyard emulate --as block`: disks as block devices, here as loop devices.

`test_machine.py` covers kernels with an NBD client.
"""

import contextlib
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import PATIENCE_S, Blockyard
from serving import Served, serve, served_ios
from undoing import loop_device, mounted

# mkfs.xfs requires at least 300 MiB.
DISK = "{name: disk, storage: {data: {type: unlimited, size: 512MiB}}}"

# Without credits: 100 IOPS.
SLOW = "{name: slow, storage: {data: {type: gp2, size: 1GiB, burst_balance: 0%, tokens: 0%}}}"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0, reason="block devices take root"),
    pytest.mark.skipif(not Path("/dev/loop-control").exists(), reason="no loop devices here"),
    pytest.mark.skipif(not Path("/dev/fuse").exists(), reason="no FUSE here"),
]
needs_fio = pytest.mark.skipif(not shutil.which("fio"), reason="fio is not installed")


def _run(*command: str | Path) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"


def _is_free(device: str) -> bool:
    """Whether a device is free, or already used by somebody else."""
    file = Path("/sys/class/block", Path(device).name, "loop/backing_file")
    try:
        # The backing file of a service that has ended no longer exists.
        return Path(file.read_text().strip()).exists()
    except FileNotFoundError:
        return True


def _serve(folder: Path, backing: str = "ram") -> contextlib.AbstractContextManager[Served]:
    return serve(DISK, "--as", "block", "--backing", backing, folder=folder)


@pytest.mark.parametrize(
    ("make", "check"),
    [
        (["mkfs.xfs", "-q"], ["xfs_repair", "-n"]),
        (["mkfs.ext4", "-q"], ["e2fsck", "-fn"]),
    ],
    ids=["xfs", "ext4"],
)
def test_a_file_system_lives_on_it(tmp_path: Path, make: list[str], check: list[str]) -> None:
    if not (shutil.which(make[0]) and shutil.which(check[0])):
        pytest.skip(f"{make[0]} is not installed")
    contents = {str(number): os.urandom(200_000 + number) for number in range(20)}
    (tmp_path / "backing").mkdir()
    with _serve(tmp_path, str(tmp_path / "backing")) as served:
        device = served.paths["data"]
        _run(*make, device)
        with mounted(device, tmp_path / "mounted") as place:
            for name, content in contents.items():
                (place / name).write_bytes(content)
            (place / "0").unlink()
            _run("fstrim", place)
        _run(*check, device)
        assert served.stop() == 130
    assert served.errors == ""
    assert _is_free(device)
    with _serve(tmp_path, str(tmp_path / "backing")) as again:
        with mounted(again.paths["data"], tmp_path / "mounted") as place:
            del contents["0"]
            found = {file.name: file.read_bytes() for file in place.iterdir() if file.is_file()}
            digests = {name: hashlib.sha256(data).hexdigest() for name, data in found.items()}
        expected = {name: hashlib.sha256(data).hexdigest() for name, data in contents.items()}
        assert digests == expected


def test_it_flushes_though_somebody_had_the_kernel_pass_on_no_flushes(tmp_path: Path) -> None:
    """The kernel keeps the setting for whoever has the device next."""
    settings: set[Path] = set()
    try:
        # Another test may take the device in between.
        for _ in range(20):
            with _serve(tmp_path) as served:
                name = Path(served.paths["data"]).name
                setting = Path("/sys/class/block", name, "queue/write_cache")
                assert setting.read_text() == "write back\n"
                if setting in settings:
                    return
                setting.write_text("write through")
                settings.add(setting)
        pytest.fail(f"twenty times another device: {settings}")
    finally:
        for setting in settings:
            setting.write_text("write back")


@needs_fio
def test_what_fio_writes_it_reads(tmp_path: Path) -> None:
    with _serve(tmp_path) as served:
        command = ["fio", "--name=load", f"--filename={served.paths['data']}", "--direct=1"]
        command += ["--ioengine=libaio", "--iodepth=16", "--bs=4k", "--size=64m", "--rw=randrw"]
        _run(*command, "--verify=crc32c", "--verify_state_save=0", "--fsync=64")


@needs_fio
def test_a_signal_under_load_ends_it(blockyard: Blockyard, tmp_path: Path) -> None:
    control = tmp_path / "control"
    options = ["--as", "block", "--backing", "ram", "--control", str(control)]
    with serve(DISK, *options, folder=tmp_path) as served:
        device = served.paths["data"]
        command = ["fio", "--name=load", f"--filename={device}", "--direct=1", "--rw=randrw"]
        load = subprocess.Popen(
            [*command, "--ioengine=libaio", "--iodepth=16", "--time_based", "--runtime=600"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        before = served_ios(blockyard, control)
        # A look for partitions reads a little, fio goes on.
        while served_ios(blockyard, control) < before + 100:
            assert load.poll() is None, "fio is to be at work"
        assert served.stop() == 130
        load.wait(PATIENCE_S)
    assert f"{device}: was in use: fio (process " in served.errors
    deadline = time.monotonic() + PATIENCE_S
    while not _is_free(device) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert _is_free(device)


def test_a_mounted_device_is_named_and_taken_away(tmp_path: Path) -> None:
    with _serve(tmp_path) as served:
        device = served.paths["data"]
        _run("mkfs.ext4", "-q", device)
        with mounted(device, tmp_path / "mounted") as place:
            assert served.stop() == 130
            assert f"{device}: was in use: mounted on {place}" in served.errors
    # It was released by its last user.
    assert _is_free(device)


@pytest.mark.parametrize("make", [["mkfs.ext4", "-q"], ["mkfs.xfs", "-q"]], ids=["ext4", "xfs"])
def test_what_was_written_just_before_a_stop_is_on_the_backing(
    tmp_path: Path, make: list[str]
) -> None:
    if not shutil.which(make[0]):
        pytest.skip(f"{make[0]} is not installed")
    backing = tmp_path / "backing"
    backing.mkdir()
    content = os.urandom(8 << 20)
    with _serve(tmp_path, str(backing)) as served:
        device = served.paths["data"]
        _run(*make, device)
        with mounted(device, tmp_path / "mounted") as place:
            (place / "new").write_bytes(content)
            assert served.stop() == 130
    in_use = f"{device}: was in use: mounted on {place}"
    assert f"{in_use}; synced, then detached" in served.errors
    events = [event["what"] for event in served.result()["events"]]
    assert any(event.startswith(in_use) for event in events)
    with mounted(backing / "data.img", tmp_path / "mounted") as place:
        assert (place / "new").read_bytes() == content


def test_a_stop_is_not_as_slow_as_the_model(tmp_path: Path) -> None:
    backing = tmp_path / "backing"
    backing.mkdir()
    control = tmp_path / "control"
    options = ["--as", "block", "--backing", str(backing), "--control", str(control)]
    files = {str(number): os.urandom(4096) for number in range(50)}
    with serve(SLOW, *options, folder=tmp_path) as served:
        device = served.paths["data"]
        _run("mkfs.ext4", "-q", "-E", "lazy_itable_init=1,lazy_journal_init=1", device)
        with mounted(device, tmp_path / "mounted") as place:
            for name, content in files.items():
                (place / name).write_bytes(content)
            # Not even a paused volume prevents it.
            _run(sys.executable, "-m", "blockyard", "steer", control, "pause")
            assert served.stop() == 130
    assert "; synced, then detached" in served.errors
    with mounted(backing / "data.img", tmp_path / "mounted") as place:
        assert {name: (place / name).read_bytes() for name in files} == files


def test_a_file_system_over_a_fuse_file_is_synced_too(tmp_path: Path) -> None:
    backing, files = tmp_path / "backing", tmp_path / "files"
    backing.mkdir()
    files.mkdir()
    content = os.urandom(1 << 20)
    options = ["--as", f"fuse={files}", "--backing", str(backing)]
    with (
        serve(DISK, *options, folder=tmp_path) as served,
        loop_device(Path(served.paths["data"])) as device,
    ):
        _run("mkfs.ext4", "-q", device)
        with mounted(device, tmp_path / "mounted") as place:
            (place / "new").write_bytes(content)
            assert served.stop() == 130
    assert f"was in use by {device}" in served.errors
    assert not Path("/sys/block", Path(device).name, "loop/backing_file").exists()
    with mounted(backing / "data.img", tmp_path / "mounted") as place:
        assert (place / "new").read_bytes() == content


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("front", ["block", "fuse", "nbd"])
def test_a_signal_leaves_nothing_behind(tmp_path: Path, front: str, number: signal.Signals) -> None:
    place, temporary = tmp_path / "place", tmp_path / "temporary"
    temporary.mkdir()
    if front == "fuse":
        place.mkdir()
    how = {"block": "block", "fuse": f"fuse={place}", "nbd": f"nbd={place}"}[front]
    options = ["--as", how, "--control", str(tmp_path / "control")]
    environment = {"TMPDIR": str(temporary)}
    with serve(DISK, *options, folder=tmp_path, environment=environment) as served:
        where = served.paths["data"]
        assert served.stop(number) == 130
    assert served.errors == ""
    assert served.result()["status"] == "interrupted"
    assert not place.is_mount()
    if front == "block":
        assert _is_free(where)
    left = {path.name for path in tmp_path.iterdir()} - {"place"}
    assert left == {"temporary", "scenario-0.yaml", served.run.name}
    assert not any(temporary.iterdir())
    assert place.exists() == (front == "fuse")
    assert str(tmp_path) not in Path("/proc/self/mounts").read_text()
