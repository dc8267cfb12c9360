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


def tried(device: Path, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """What the script says that it would do."""
    script = folder / "script"
    script.write_text(blockyard.provision(ONE, "lvm"))
    command = ["bash", str(script), "--wait", "1", "--dry-run", *options, f"data={device}"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


# Within the first 4 MiB, the last MiB and copies of superblocks samples find anything.
SAMPLED = [
    pytest.param(byte_at(0), 0, id="first byte"),
    pytest.param(byte_at(3_000_000), 3_000_000, id="within 4 MiB"),
    pytest.param(byte_at(SIZE - 1), SIZE - 1, id="last byte"),
    pytest.param(byte_at(128 * MIB), 128 * MIB, id="copy"),
    pytest.param(byte_at(129 * MIB), 129 * MIB, id="copy in a partition"),
    pytest.param(byte_at(SIZE // 4), SIZE // 4, id="quarter"),
    pytest.param(file_system_without_its_start, None, id="rescue"),
    pytest.param(volume_whose_group_is_lost, MIB, id="lost group"),
]


@pytest.mark.parametrize(
    ("fill", "at"),
    [
        *SAMPLED,
        pytest.param(bytes_from(16 * MIB, 512 * MIB), 16 * MIB, id="512 MiB"),
        pytest.param(byte_at(777_777_777), 777_777_777, id="any one byte"),
        pytest.param(byte_at(256 * MIB - 1), 256 * MIB - 1, id="a piece's last byte"),
    ],
)
def test_a_volume_that_holds_data_is_refused(
    disk: Path, tmp_path: Path, fill: Callable[[Path], None], at: int | None
) -> None:
    fill(disk)
    said = tried(disk, tmp_path)
    assert (said.returncode, said.stdout) == (1, ""), said.stdout
    announced, *progress, refused = said.stderr.splitlines()
    assert all(line.startswith("Read ") for line in progress)
    length = SIZE - MIB if fill is volume_whose_group_is_lost else SIZE
    assert announced == (
        f"Reading {length // MIB} MiB, all of {disk}, to see that nothing is there, about "
        f"{length // (125 * MIB)} s by what the layout sustains."
    )
    assert refused.startswith(f"script: {disk} is not zero at byte {'' if at is None else at}")
    assert refused.endswith("; it is not overwritten")


@pytest.mark.parametrize(("fill", "at"), SAMPLED)
def test_samples_find_what_lies_where_they_are(
    disk: Path, tmp_path: Path, fill: Callable[[Path], None], at: int | None
) -> None:
    fill(disk)
    said = tried(disk, tmp_path, "--quick")
    assert (said.returncode, said.stdout) == (1, ""), said.stdout
    assert f"is not zero at byte {'' if at is None else at}" in said.stderr


def test_samples_say_what_they_miss(disk: Path, tmp_path: Path) -> None:
    written(disk, 777_777_777, b"x")
    said = tried(disk, tmp_path, "--quick")
    assert said.returncode == 0
    assert said.stderr == (
        f"--quick: {disk} is read at some 560 places; data between two, up to 2200 KiB in one "
        "piece, is missed.\n"
    )


def test_what_cannot_be_read_is_not_taken_for_empty(disk: Path, tmp_path: Path) -> None:
    # The image ends before the device does: what is behind gives errors.
    os.truncate(tmp_path / "image", SIZE // 2)
    said = tried(disk, tmp_path)
    assert (said.returncode, said.stdout) == (1, "")
    assert said.stderr.splitlines()[-1] == "script: not all could be read"


@pytest.mark.parametrize("spare", [False, True])
def test_an_empty_volume_is_taken(disk: Path, tmp_path: Path, spare: bool) -> None:
    if spare:
        tool(disk, "pvcreate", "-q")
    said = tried(disk, tmp_path)
    assert said.returncode == 0, said.stderr
    assert (f"pvcreate {disk}" in said.stdout) == (not spare)
    assert "mkfs.xfs" in said.stdout
