"""Storage that fails during a run: what was measured is kept, and says why the run ended."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import undoing
from conftest import folder

pytestmark = pytest.mark.slow

MIB = 1 << 20

# However busy the machine.
PATIENCE_S = 120

WRITES = """\
name: writes
duration: 60s
interval: 500ms
storage:
  data: {type: gp3, size: 1GiB}
workload:
  clients:
    {kind: access_spec, on: data, file_size: 16MiB, processes: 2,
     pattern: {size: 8KiB, read: 50%, random: 100%}}
"""


def _needs_loop_devices() -> None:
    if os.geteuid() != 0 or not Path("/dev/loop-control").exists():
        pytest.skip("loop devices need root and /dev/loop-control")


@pytest.fixture
def loop(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """A loop device over a file of 32 MiB."""
    _needs_loop_devices()
    backing = tmp_path / "backing"
    backing.write_bytes(bytes(32 * MIB))
    with undoing.loop_device(backing) as device:
        yield device, backing


@pytest.fixture
def mounted(loop: tuple[str, Path], tmp_path: Path) -> Iterator[Path]:
    """A file system of 32 MiB."""
    device, _ = loop
    subprocess.run(["mkfs.ext4", "-q", device], check=True)
    with undoing.mounted(device, tmp_path / "mounted") as place:
        yield place


def _start(place: Path, target: object, *more: str) -> subprocess.Popen[str]:
    """A run in the background that has begun to measure."""
    (place / "writes.yaml").write_text(WRITES)
    command = [sys.executable, "-m", "blockyard", "bench", "writes.yaml"]
    command += ["--map", f"data={target}", "--out", "run", *more]
    running = subprocess.Popen(
        command, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + PATIENCE_S
    while running.poll() is None and not _has_measured(place):
        assert time.monotonic() < deadline, "it measures nothing"
        time.sleep(0.02)
    return running


def _has_measured(place: Path) -> bool:
    """Whether the log of a run has latencies of an interval."""
    logs = place.glob(".run.partial*/latency.hlog")
    return any("\nTag=" in log.read_text() for log in logs)


def _result(place: Path) -> dict[str, Any]:
    return dict(json.loads((place / "run" / "result.json").read_text()))


@pytest.mark.parametrize("engine", ["io_uring", "threads"])
def test_an_io_error_ends_the_run_with_what_was_measured(
    loop: tuple[str, Path], tmp_path: Path, engine: str
) -> None:
    """A device that loses its storage: the first failed IO is named, and the status is 4."""
    device, backing = loop
    running = _start(tmp_path, device, "--engine", engine)
    # Again and again, as a write makes the file as long as where it ends.
    while running.poll() is None:
        os.truncate(backing, 0)
        time.sleep(0.02)
    _, errors = running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 4, errors
    assert re.search(
        rf"(read|write) of 8192 bytes at offset \d+ of `data` \({device}\): Input/output error",
        errors,
    )
    result = _result(tmp_path)
    assert result["status"] == "failed"
    assert result["reason"] in errors
    assert sum(total["ios"] for total in result["totals"]) > 0
    assert sum(total["errors"] for total in result["totals"]) > 0


def test_a_full_file_system_is_known_before_anything_is_measured(
    mounted: Path, tmp_path: Path
) -> None:
    """Nothing is left behind, in the file system or in runs."""
    (tmp_path / "writes.yaml").write_text(WRITES)
    command = [sys.executable, "-m", "blockyard", "bench", "writes.yaml", "--map"]
    command += [f"data={mounted}", "--size", "64MiB", "--out", "run"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 4
    assert "No space left on device" in done.stderr
    assert str(mounted / "data.dat") in done.stderr
    assert folder(mounted) == ["lost+found"]
    assert "run" not in folder(tmp_path)


def test_what_does_not_fit_leaves_a_file_of_an_earlier_run_as_it_was(
    mounted: Path, tmp_path: Path
) -> None:
    """Also where the space seems to be there, and cannot be had."""
    (tmp_path / "writes.yaml").write_text(WRITES)
    command = [sys.executable, "-m", "blockyard", "bench", "writes.yaml", "--map"]
    command += [f"data={mounted}", "--set", "duration=1s", "--size"]
    before = None
    for size, status in (("4MiB", 0), ("64MiB", 4)):
        done = subprocess.run([*command, size], cwd=tmp_path, stderr=subprocess.PIPE, check=False)
        assert done.returncode == status, done.stderr
        held = (mounted / "data.dat").stat()
        assert before in (None, (held.st_size, held.st_blocks))
        before = (held.st_size, held.st_blocks)


def test_storage_that_hangs_is_told_and_does_not_keep_the_result(
    mounted: Path, tmp_path: Path
) -> None:
    """A frozen file system lets no write complete until it is thawed."""
    running = _start(tmp_path, mounted / "t.dat")
    subprocess.run(["fsfreeze", "--freeze", mounted], check=True)
    try:
        assert running.stderr is not None
        line = running.stderr.readline()
        assert "`data`" in line
        assert "nothing has completed for 10 s" in line
        running.send_signal(signal.SIGINT)
        deadline = time.monotonic() + PATIENCE_S
        while not (tmp_path / "run").exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        # Written while the storage still hangs.
        result = _result(tmp_path)
        assert result["status"] == "failed"
        assert "never completed" in result["reason"] or "hang" in result["reason"]
        assert sum(total["ios"] for total in result["totals"]) > 0
    finally:
        subprocess.run(["fsfreeze", "--unfreeze", mounted], check=True)
    running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 4
