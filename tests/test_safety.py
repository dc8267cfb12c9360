"""Which files bench refuses to write to, and how the user overrides that.

Each reason for refusing a device is tested beside the code, on loop devices, and in the test
machine.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Blockyard, folder, one_line

pytestmark = pytest.mark.slow

WRITES = """\
name: writes
duration: 1s
storage:
  data: {type: gp3, size: 1GiB}
workload:
  writers:
    kind: access_spec
    on: data
    file_size: 1MiB
    pattern: {size: 4KiB, read: 0%, random: 100%}
    outstanding: 1
    processes: 1
"""


READS = WRITES.replace("read: 0%", "read: 100%")

MIB = 1 << 20
SHORT = ("--set", "duration=100ms", "--set", "interval=100ms")


def bench(blockyard: Blockyard, *more: object, scenario: str = "writes") -> str:
    """What a run on the file `disk` prints, if it is refused."""
    finished = blockyard("bench", f"{scenario}.yaml", "--map", "data=disk", *SHORT, *more)
    assert finished.returncode in (0, 2), finished.stderr
    return one_line(finished) if finished.returncode else ""


@pytest.fixture
def made(blockyard: Blockyard, tmp_path: Path) -> Path:
    """A file that an earlier run made."""
    (tmp_path / "writes.yaml").write_text(WRITES)
    (tmp_path / "reads.yaml").write_text(READS)
    assert not bench(blockyard)
    return tmp_path / "disk"


@pytest.fixture
def precious(tmp_path: Path) -> Path:
    """A file that an earlier run did not make, and a scenario that would write to it."""
    (tmp_path / "writes.yaml").write_text(WRITES)
    file = tmp_path / "disk/data.dat"
    file.parent.mkdir()
    file.write_text("precious")
    return file


@pytest.mark.parametrize("target", ["disk/data.dat", "disk"])
def test_a_foreign_file_is_kept(blockyard: Blockyard, precious: Path, target: str) -> None:
    finished = blockyard("bench", "writes.yaml", "--map", f"data={target}", "--out", "run")
    assert finished.returncode == 2
    assert one_line(finished) == (
        "blockyard: disk/data.dat is not empty and was not made by blockyard; "
        "expected a new file, an empty one, or one as an earlier run left it"
    )
    assert precious.read_text() == "precious"
    assert folder(precious.parent.parent) == ["disk", "gp3.yaml", "writes.yaml"]


@pytest.mark.parametrize("content", ["x", "precious" * 1000])
def test_no_hint_would_destroy_somebodys_file(
    blockyard: Blockyard, precious: Path, content: str
) -> None:
    """One that is read only, and too small for the job."""
    (precious.parent.parent / "reads.yaml").write_text(READS)
    precious.write_text(content)
    line = bench(blockyard, scenario="reads")
    assert "and the files on `data` take 1MiB" in line
    assert "--overwrite" not in line
    assert ("--size 7KiB scales them" in line) == (len(content) > 1)
    assert "--size 0B" not in line
    assert precious.read_text() == content


def test_a_file_named_by_overwrite_is_written_to(blockyard: Blockyard, precious: Path) -> None:
    arguments = ["bench", "writes.yaml", "--map", "data=disk", "--out"]
    named = blockyard(*arguments, "run", "--overwrite", precious)
    assert named.returncode == 0, named.stderr
    assert precious.stat().st_size == 1 << 20
    # From now on it counts as made by a run.
    assert blockyard(*arguments, "again").returncode == 0


def test_an_override_must_name_a_target(blockyard: Blockyard, precious: Path) -> None:
    precious.unlink()
    finished = blockyard(
        "bench", "writes.yaml", "--map", "data=disk", "--out", "run", "--overwrite", "gp3.yaml"
    )
    assert finished.returncode == 2
    assert one_line(finished) == (
        "blockyard: --overwrite: gp3.yaml is not a target of this run; "
        "expected the file or block device that --map leads to"
    )


def copied_over(file: Path) -> None:
    """`cp mydata disk`: the same file, with its marks."""
    file.write_bytes(b"precious" * (MIB // 4))


def copied_over_with_its_time(file: Path) -> None:
    """`cp -p mydata disk`, of data that is as old as what the run left."""
    before = file.stat().st_mtime_ns
    file.write_bytes(b"precious" * (MIB // 8))
    os.utime(file, ns=(before, before))


def emptied_and_filled(file: Path) -> None:
    """A database that begins with an empty file."""
    os.truncate(file, 0)
    file.write_bytes(b"SQLite format 3")


def formatted(file: Path) -> None:
    """A file system."""
    subprocess.run(["mkfs.ext4", "-q", "-F", file], check=True)


def copied(file: Path) -> None:
    """`cp -a disk copy`, whose mark says that blockyard made it, and data in the copy."""
    copy = file.with_name("copy")
    subprocess.run(["cp", "-a", file, copy], check=True)
    with copy.open("r+b") as opened:
        opened.seek(MIB // 2)
        opened.write(b"precious" * 1024)
    copy.rename(file)


@pytest.mark.parametrize(
    "change",
    [copied_over, copied_over_with_its_time, emptied_and_filled, formatted, copied],
)
def test_what_somebody_put_in_a_file_that_was_made_here_is_kept(
    blockyard: Blockyard, made: Path, change: Callable[[Path], None]
) -> None:
    change(made)
    content = made.read_bytes()
    assert bench(blockyard) == (
        "blockyard: disk was made by blockyard, but something else has written to it since; "
        "expected a new file, an empty one, or one as an earlier run left it"
    )
    # Jobs that only read do so, if there is enough to read.
    said = bench(blockyard, scenario="reads")
    assert ("has" in said) == (len(content) < MIB)
    assert made.read_bytes() == content


def test_a_file_that_was_made_here_is_used_again(blockyard: Blockyard, made: Path) -> None:
    for more in [(), ("--verify",), ("--size", "512KiB"), ("--size", "2MiB"), ()]:
        assert not bench(blockyard, *more)
    assert made.stat().st_size == 2 * MIB


def test_a_smaller_file_that_was_made_here_is_not_written_to_for_reads(
    blockyard: Blockyard, made: Path
) -> None:
    content = made.read_bytes()
    assert bench(blockyard, "--size", "2MiB", scenario="reads") == (
        "blockyard: disk: it has 1MiB, and the files on `data` take 2MiB; --size 1MiB scales "
        "them; to have it written anew: --overwrite 'disk'"
    )
    assert made.read_bytes() == content


def test_a_run_that_is_killed_leaves_a_file_that_is_read_but_not_written_to(
    blockyard: Blockyard, made: Path
) -> None:
    """It may belong to anybody by now: the mark cannot say what a killed run wrote last."""
    command = [sys.executable, "-m", "blockyard", "bench", "writes.yaml", "--map", "data=disk"]
    command += ["--set", "duration=60s"]
    running = subprocess.Popen(command, cwd=made.parent, stderr=subprocess.PIPE)
    while os.getxattr(made, "user.blockyard").startswith(b"holds"):
        assert running.poll() is None
        time.sleep(0.01)
    running.send_signal(signal.SIGKILL)
    running.communicate()
    content = made.read_bytes()
    assert bench(blockyard) == (
        "blockyard: disk was left by a run that did not finish, so what it holds now is not "
        "known; to write over it all the same: --overwrite 'disk'"
    )
    assert not bench(blockyard, scenario="reads")
    assert made.read_bytes() == content
    assert not bench(blockyard, "--overwrite", "disk")
    assert not bench(blockyard)


def test_programs_in_the_current_folder_are_not_run(made: Path) -> None:
    """If no path is set, the system's folders are searched."""
    planted = made.with_name("blkid")
    planted.write_text("#!/bin/sh\necho >ran\nexit 2\n")
    planted.chmod(0o755)
    command = [sys.executable, "-m", "blockyard", "bench", "writes.yaml", "--map", "data=disk"]
    command += SHORT
    for path in [{}, {"PATH": ""}, {"PATH": ".:"}]:
        finished = subprocess.run(
            command, cwd=made.parent, env=path, capture_output=True, text=True, check=False
        )
        assert finished.returncode == 0, finished.stderr
    assert not made.with_name("ran").exists()


def test_no_file_is_made_in_place_of_a_device(blockyard: Blockyard, made: Path) -> None:
    missing = Path("/dev/blockyard-no-such-device")
    finished = blockyard("bench", "writes.yaml", "--map", f"data={missing}", "--out", "run")
    assert finished.returncode == 2
    assert one_line(finished) == (
        f"blockyard: {missing} does not exist, and a file made there would be kept in memory, "
        "not on storage"
    )
    assert not missing.exists()
    assert not made.with_name("run").exists()


def test_memory_that_cannot_be_had_is_told_before_anything_is_done(made: Path) -> None:
    """A program that asks for too much is killed at once, without a message."""
    command = 'ulimit -v 4000000; exec "$0" -m blockyard bench reads.yaml --map data=new '
    command += "--set workload.writers.processes=484663 --out run"
    finished = subprocess.run(
        ["bash", "-c", command, sys.executable],
        cwd=made.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 3, finished.stderr
    assert "workload.writers: 484663 IOs in flight take about " in one_line(finished)
    assert not made.with_name("new").exists()
    assert not made.with_name("run").exists()
