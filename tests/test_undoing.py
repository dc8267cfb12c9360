"""What tests do to the machine is undone, even where their process is killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import machine_watchdog as watchdog
import undoing

# Until everything is undone, however busy the machine.
PATIENCE_S = 120

# Freezes a file system on a loop device below a service, so that a writer hangs in the kernel.
WORKER = """
import subprocess, sys, time
from pathlib import Path

import undoing
from serving import serve

folder = Path(sys.argv[1])
undoing.watchdog()
DISK = "{name: disk, storage: {data: {type: unlimited, size: 16MiB}}}"
with serve(DISK, "--as", f"nbd={folder / 'nbd'}", folder=folder) as served:
    with undoing.loop_device(folder / "image") as device:
        subprocess.run(["mkfs.ext4", "-q", device], check=True)
        with undoing.mounted(device, folder / "mounted") as place, undoing.frozen(place):
            writer = subprocess.Popen(["touch", place / "file"], start_new_session=True)
            print(served.process.pid, writer.pid, flush=True)
            time.sleep(600)
"""


def until(reached: Callable[[], bool]) -> bool:
    """Wait until something is reached; whether it is."""
    deadline = time.monotonic() + PATIENCE_S
    while not reached():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def is_attached(image: Path) -> bool:
    """Whether a loop device has its storage in `image`."""
    stores = Path("/sys/block").glob("loop*/loop/backing_file")
    return str(image) in [store.read_text().strip() for store in stores]


def state(process: int) -> str:
    """The kernel's letter for a process; X if there is none, or only what is left of it."""
    try:
        letter = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "X"
    return "X" if letter == "Z" else letter


@pytest.mark.slow
@pytest.mark.skipif(
    os.geteuid() != 0 or not Path("/dev/loop-control").exists(), reason="no loop devices here"
)
def test_what_a_killed_worker_leaves_is_undone(tmp_path: Path) -> None:
    image, place = tmp_path / "image", tmp_path / "mounted"
    with image.open("wb") as file:
        file.truncate(16 << 20)
    command = [sys.executable, "-c", WORKER, str(tmp_path)]
    path = os.environ | {"PYTHONPATH": str(Path(__file__).parent)}
    worker = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=path)
    assert worker.stdout
    server, writer = map(int, worker.stdout.readline().split())
    assert until(lambda: state(writer) == "D"), "the file system is to be frozen"
    assert place.is_mount()
    assert is_attached(image)
    worker.send_signal(signal.SIGKILL)
    worker.communicate()
    assert until(lambda: state(writer) == "X"), "not thawed"
    assert until(lambda: not place.is_mount())
    assert until(lambda: not is_attached(image))
    assert until(lambda: state(server) == "X")


def test_the_latest_is_undone_first(monkeypatch: pytest.MonkeyPatch) -> None:
    undone: list[str] = []
    began = {20: 200, 30: 300, 31: 300}

    def end(process: int, _token: str) -> None:
        undone.append(str(process))
        began.pop(process)

    def unmount(place: str) -> str:
        undone.append(place)
        return ""

    monkeypatch.setattr(watchdog, "started", lambda _token: dict(began))
    monkeypatch.setattr(watchdog, "end", end)
    monkeypatch.setitem(watchdog.UNDO, "unmount", unmount)
    kept = [(150.0, "unmount", "a"), (200.5, "unmount", "b"), (290.0, "unmount", "c")]
    watchdog.undo_all(kept, "token")
    assert undone == ["31", "30", "c", "20", "b", "a"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP, signal.SIGTERM])
def test_commands_of_a_background_suite_react_to_signals(number: signal.Signals) -> None:
    """What is started in the background inherits that it ignores Ctrl-C, and would pass it on."""
    script = (
        "import os, subprocess, sys, undoing\n"
        "undoing.take_signals()\n"
        f"os.kill(os.getpid(), {number:d})\n"
        f"sleep = subprocess.Popen(['sleep', '600'])\n"
        f"sleep.send_signal({number:d})\n"
        "print(sleep.wait())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parent)},
        preexec_fn=lambda: signal.signal(number, signal.SIG_IGN),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (done.stdout, done.stderr) == (f"{-number}\n", "")


@pytest.mark.skipif(
    os.geteuid() != 0 or not Path("/dev/loop-control").exists(), reason="no loop devices here"
)
def test_what_is_unmounted_is_free_even_if_others_have_it_mounted_still(tmp_path: Path) -> None:
    image = tmp_path / "image"
    with image.open("wb") as file:
        file.truncate(16 << 20)
    with undoing.loop_device(image) as device:
        subprocess.run(["mkfs.ext4", "-q", device], check=True)
        with undoing.mounted(device, tmp_path / "mounted") as place:
            apart = ["unshare", "--mount", "sh", "-c", "echo here; sleep 0.5; echo gone"]
            other = subprocess.Popen(apart, stdout=subprocess.PIPE, text=True)
            assert other.stdout
            assert other.stdout.readline() == "here\n"
        assert not place.is_mount()
        os.close(os.open(device, os.O_RDONLY | os.O_EXCL))
    assert other.communicate()[0] == "gone\n"
