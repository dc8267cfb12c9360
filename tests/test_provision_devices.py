"""What the script of `blockyard provision --format lvm` takes for empty, on loop devices.

LVM itself needs device-mapper: the test machine runs the script with it (`test_machine.py`).
"""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import blockyard
from undoing import loop_device

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0, reason="loop devices need root"),
]

MIB = 1 << 20
SIZE = 1100 * MIB
ONE = {"name": "one", "storage": {"data": {"type": "gp3", "size": "1GiB"}}}


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A loop device; its bytes are the file `image`."""
    image = tmp_path / "image"
    with image.open("wb") as made:
        made.truncate(SIZE)
    with contextlib.ExitStack() as stack:
        try:
            device = stack.enter_context(loop_device(image))
        except RuntimeError as reason:
            pytest.skip(f"no loop device: {reason}")
        yield Path(device)


def written(device: Path, offset: int, data: bytes) -> None:
    with device.open("r+b") as opened:
        opened.seek(offset)
        opened.write(data)


def tool(device: Path, *command: str) -> None:
    if shutil.which(command[0], path="/usr/sbin:/usr/bin") is None:
        pytest.skip(f"{command[0]} is not installed")
    subprocess.run([*command, device], check=True, capture_output=True)


def byte_at(offset: int) -> Callable[[Path], None]:
    return lambda device: written(device, offset, b"x")


def bytes_from(offset: int, length: int) -> Callable[[Path], None]:
    return lambda device: written(device, offset, b"precious" * (length // 8))


def file_system_without_its_start(device: Path) -> None:
    """A disk under rescue."""
    tool(device, "mkfs.ext4", "-q", "-F")
    written(device, 0, bytes(8 * MIB))


def volume_whose_group_is_lost(device: Path) -> None:
    tool(device, "pvcreate", "-q")
    written(device, MIB, b"precious")


def tried(device: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """What the script says that it would do."""
    script = folder / "script"
    script.write_text(blockyard.provision(ONE, "lvm"))
    command = ["bash", str(script), "--wait", "1", "--dry-run", f"data={device}"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "fill",
    [
        pytest.param(byte_at(0), id="first byte"),
        pytest.param(byte_at(3_000_000), id="within 4 MiB"),
        pytest.param(byte_at(SIZE - 1), id="last byte"),
        # Where no other place is read: superblocks' copies of file systems from 0 and 1 MiB on.
        pytest.param(byte_at(128 * MIB), id="copy"),
        pytest.param(byte_at(129 * MIB), id="copy in a partition"),
        pytest.param(byte_at(SIZE // 4), id="quarter"),
        pytest.param(bytes_from(16 * MIB, 512 * MIB), id="most of it"),
        pytest.param(bytes_from(500 * MIB, 3 * MIB), id="a little of it"),
        pytest.param(file_system_without_its_start, id="rescue"),
        pytest.param(volume_whose_group_is_lost, id="lost group"),
    ],
)
def test_a_volume_that_holds_data_is_refused(
    disk: Path, tmp_path: Path, fill: Callable[[Path], None]
) -> None:
    fill(disk)
    said = tried(disk, tmp_path)
    assert (said.returncode, said.stdout) == (1, ""), said.stdout
    assert said.stderr.startswith(f"script: {disk} is not zero in the "), said.stderr
    assert said.stderr.endswith(" on; it is not overwritten\n")


@pytest.mark.parametrize("spare", [False, True])
def test_an_empty_volume_is_taken(disk: Path, tmp_path: Path, spare: bool) -> None:
    if spare:
        tool(disk, "pvcreate", "-q")
    said = tried(disk, tmp_path)
    assert said.returncode == 0, said.stderr
    assert (f"pvcreate {disk}" in said.stdout) == (not spare)
    assert "mkfs.xfs" in said.stdout
