"""`blockyard emulate --as block`: disks as block devices, here with loop devices.

Where the kernel has an NBD client: `test_machine_emulate.py`.
"""

import contextlib
import hashlib
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from serving import Served, serve

# The least that mkfs.xfs takes is 300 MiB.
DISK = "{name: disk, storage: {data: {type: unlimited, size: 512MiB}}}"

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="block devices take root"),
    pytest.mark.skipif(not Path("/dev/loop-control").exists(), reason="no loop devices here"),
    pytest.mark.skipif(not Path("/dev/fuse").exists(), reason="no FUSE here"),
]
needs_fio = pytest.mark.skipif(not shutil.which("fio"), reason="fio is not installed")


def _run(*command: str | Path) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"


@contextlib.contextmanager
def _mounted(device: str, place: Path) -> Iterator[Path]:
    place.mkdir(exist_ok=True)
    _run("mount", device, place)
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=False, capture_output=True)


def _is_free(device: str) -> bool:
    return Path(f"/sys/class/block/{Path(device).name}/size").read_text().strip() == "0"


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
        with _mounted(device, tmp_path / "mounted") as place:
            for name, content in contents.items():
                (place / name).write_bytes(content)
            (place / "0").unlink()
            _run("fstrim", place)
        _run(*check, device)
        assert served.stop() == 130
    assert served.errors == ""
    assert _is_free(device)
    with _serve(tmp_path, str(tmp_path / "backing")) as again:
        with _mounted(again.paths["data"], tmp_path / "mounted") as place:
            del contents["0"]
            found = {file.name: file.read_bytes() for file in place.iterdir() if file.is_file()}
            digests = {name: hashlib.sha256(data).hexdigest() for name, data in found.items()}
        expected = {name: hashlib.sha256(data).hexdigest() for name, data in contents.items()}
        assert digests == expected


@needs_fio
def test_what_fio_writes_it_reads(tmp_path: Path) -> None:
    with _serve(tmp_path) as served:
        command = ["fio", "--name=load", f"--filename={served.paths['data']}", "--direct=1"]
        command += ["--ioengine=libaio", "--iodepth=16", "--bs=4k", "--size=64m", "--rw=randrw"]
        _run(*command, "--verify=crc32c", "--verify_state_save=0", "--fsync=64")


@needs_fio
def test_a_signal_under_load_ends_it(tmp_path: Path) -> None:
    with _serve(tmp_path) as served:
        device = served.paths["data"]
        command = ["fio", "--name=load", f"--filename={device}", "--direct=1", "--rw=randrw"]
        load = subprocess.Popen(
            [*command, "--ioengine=libaio", "--iodepth=16", "--time_based", "--runtime=60"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(2)
        assert load.poll() is None, "fio is to be at work"
        assert served.stop() == 130
        load.wait(30)
    assert f"{device}: was in use: fio (process " in served.errors
    time.sleep(1)
    assert _is_free(device)


def test_a_mounted_device_is_named_and_taken_away(tmp_path: Path) -> None:
    with _serve(tmp_path) as served:
        device = served.paths["data"]
        _run("mkfs.ext4", "-q", device)
        with _mounted(device, tmp_path / "mounted") as place:
            assert served.stop() == 130
            assert f"{device}: was in use: mounted on {place}" in served.errors
    # It went with its last user.
    assert _is_free(device)
