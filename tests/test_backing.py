"""The files beneath emulated disks: who else uses them, and what happens to them."""

import contextlib
import errno
import json
import mmap
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import Blockyard, one_line
from nbdclient import Client
from serving import Served, serve
from undoing import loop_device, mounted

pytestmark = pytest.mark.slow

DISK = "{name: disk, interval: 1s, storage: {data: {type: unlimited, size: 16MiB}}}"
SIZE = 16 << 20
BLOCK = 4096

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="takes root")
needs_loop = pytest.mark.skipif(
    os.geteuid() != 0 or not Path("/dev/loop-control").exists(), reason="no loop devices here"
)


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """An image of the disk's size."""
    image = tmp_path / "image"
    with image.open("wb") as file:
        file.truncate(SIZE)
    return image


def _nbd(folder: Path, backing: Path, *options: str) -> contextlib.AbstractContextManager[Served]:
    front = ["--as", f"nbd={folder / 'nbd'}", "--backing", str(backing)]
    return serve(DISK, *front, *options, folder=folder)


def _client(served: Served) -> Client:
    return Client(served.paths["data"].partition("socket=")[2], "data")


def _refusal(blockyard: Blockyard, folder: Path, backing: Path) -> str:
    scenario = folder / "disk.yaml"
    scenario.write_text(DISK)
    front = f"nbd={folder / 'nbd'}"
    finished = blockyard("emulate", scenario, "--as", front, "--backing", backing)
    assert finished.returncode == 2
    return one_line(finished)


@needs_loop
def test_an_image_that_is_mounted_is_refused_by_any_name(
    blockyard: Blockyard, tmp_path: Path, image: Path
) -> None:
    subprocess.run(["mkfs.ext4", "-q", image], check=True)
    other = tmp_path / "other"
    with loop_device(image) as device:
        assert f"{image}: in use by {device}" in _refusal(blockyard, tmp_path, image)
        with mounted(device, tmp_path / "mounted") as place:
            os.link(image, other)
            image.unlink()
            message = f"{other}: in use by {device}, mounted on {place}"
            assert message in _refusal(blockyard, tmp_path, other)
            # So is a file in a folder.
            folder = tmp_path / "folder"
            folder.mkdir()
            os.link(other, folder / "data.img")
            assert f"in use by {device}" in _refusal(blockyard, tmp_path, folder)
    with _nbd(tmp_path, other):
        pass


# Each says that it is ready, and then waits.
_READY = "print('ready', flush=True); input()"
_HOLDERS = {
    "a descriptor": f"file = open(path, 'r+b'); {_READY}",
    "a mapping": (
        "file = open(path, 'r+b'); whole = mmap.mmap(file.fileno(), 0); file.close(); " + _READY
    ),
    "a thread's own descriptor": f"""
def own():
    assert ctypes.CDLL(None).unshare({0x400}) == 0
    file = open(path, 'r+b')
    {_READY}
thread = threading.Thread(target=own)
thread.start()
thread.join()
""",
}


@pytest.mark.parametrize("how", _HOLDERS)
def test_an_image_that_another_process_writes_is_refused(
    blockyard: Blockyard, tmp_path: Path, image: Path, how: str
) -> None:
    script = "import ctypes, mmap, sys, threading\npath = sys.argv[1]\n" + _HOLDERS[how]
    with subprocess.Popen(
        [sys.executable, "-c", script, image], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        try:
            assert holder.stdout
            assert holder.stdout.readline() == b"ready\n"
            message = _refusal(blockyard, tmp_path, image)
        finally:
            holder.communicate(b"\n")
    assert f"{image}: in use by " in message
    assert f"(process {holder.pid})" in message


def test_an_image_that_others_only_read_is_served(tmp_path: Path, image: Path) -> None:
    with (
        image.open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ),
        _nbd(tmp_path, image),
    ):
        pass


def test_an_image_that_is_served_is_refused(
    blockyard: Blockyard, tmp_path: Path, image: Path
) -> None:
    with _nbd(tmp_path, image) as served:
        message = _refusal(blockyard, tmp_path, image)
    assert f"(process {served.process.pid})" in message


# Neither can be written to, by root either.
@pytest.mark.parametrize("backing", ["/sys/kernel/uevent_seqnum", "/sys/kernel"])
def test_a_backing_that_cannot_be_written_to_is_refused(
    blockyard: Blockyard, tmp_path: Path, backing: str
) -> None:
    said = (
        re.escape(backing) + r"(/data\.img)?: (Permission|Operation not).*; a disk is written to: "
    )
    assert re.match(
        f"blockyard: {said}expected a backing that may be, as a copy, or ram$",
        _refusal(blockyard, tmp_path, Path(backing)),
    )


def test_new_files_are_their_owners_alone(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    before = os.umask(0)
    try:
        with _nbd(tmp_path, folder):
            pass
        file = folder / "data.img"
        assert file.stat().st_mode & 0o777 == 0o600
        # An existing file keeps its permissions.
        file.chmod(0o640)
        with _nbd(tmp_path, folder):
            pass
        assert file.stat().st_mode & 0o777 == 0o640
    finally:
        os.umask(before)


def test_a_deleted_file_fails_flushes_and_is_told_of(
    blockyard: Blockyard, tmp_path: Path, image: Path
) -> None:
    control = tmp_path / "control"
    with _nbd(tmp_path, image, "--control", str(control)) as served:
        client = _client(served)
        client.write(0, b"\1" * BLOCK)
        client.flush()
        image.unlink()
        with pytest.raises(OSError, match="answer") as raised:
            client.flush()
        assert raised.value.errno == errno.EIO
        with pytest.raises(OSError, match="answer"):
            client.write(0, b"\2" * BLOCK, fua=True)
        # The data is still there and can be saved.
        assert client.read(0, BLOCK) == b"\2" * BLOCK
        client.close()
        status = blockyard("steer", control, "status")
        expected = f"data: backing {image}: 2 flushes failed: the file was deleted"
        assert f"warning: {expected}" in status.stdout
        assert json.loads(blockyard("steer", control, "status", "--json").stdout)["warnings"] == [
            expected
        ]
        assert served.stop() == 4
    first, last, ended = served.errors.splitlines()
    assert first.startswith(f"blockyard: data: backing {image}: the file was deleted; all flushes")
    assert f"can be copied from /proc/{served.process.pid}/fd/" in first
    assert last == f"blockyard: {expected}"
    reason = f"data: backing {image}: the file was deleted, and its data with it"
    assert ended == f"blockyard: {served.run}: {reason}"
    assert (served.result()["status"], served.result()["reason"]) == ("failed", reason)
    events = [event["what"] for event in served.result()["events"]]
    assert [f"blockyard: {event}" for event in events] == [first, last]


@needs_root
def test_a_full_file_system_is_told_of_once_and_counted(tmp_path: Path) -> None:
    tmpfs = mounted("none", tmp_path / "small", "-t", "tmpfs", "-o", "size=4m")
    with tmpfs as small, _nbd(tmp_path, small) as served:
        client = _client(served)
        refused = 0
        for place in range(0, SIZE, 1 << 20):
            try:
                client.write(place, b"\1" * (1 << 20))
            except OSError:
                refused += 1
        client.close()
        assert refused > 10
        assert served.stop() == 130
    why = "No space left on device"
    assert served.errors.splitlines() == [
        f"blockyard: data: backing {small}: a write failed: {why}",
        f"blockyard: data: backing {small}: {refused} writes failed: {why}",
    ]
