"""What the measurements of this folder share: services, fio, tables."""

import contextlib
import json
import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
BLOCKYARD = ROOT / ".venv" / "bin" / "blockyard"


@dataclass(frozen=True)
class Service:
    """A process that serves a device, and where."""

    process: subprocess.Popen[str]
    place: str

    def cpu_s(self) -> float:
        """Processor time that it has used, with its children's."""
        total = 0.0
        for pid in [self.process.pid, *_children(self.process.pid)]:
            fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            total += sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")
        return total


def _children(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [found for child in map(int, listed) for found in [child, *_children(child)]]


@contextlib.contextmanager
def emulated(scenario: str, *options: str, out: Path | None = None) -> Iterator[Service]:
    """`blockyard emulate` of a scenario; the place of its first device."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scenario.yaml"
        file.write_text(scenario)
        run = out or Path(folder) / "run"
        command = [BLOCKYARD, "emulate", file, *options, "--out", run]
        with serving([str(part) for part in command], folder) as process:
            line = process.stdout.readline() if process.stdout else ""
            found = re.match(r"\S+: (\S+) \(", line)
            if not found:
                raise RuntimeError(f"blockyard emulate did not start: {line!r}")
            yield Service(process, found[1])


@contextlib.contextmanager
def serving(command: list[str], folder: str) -> Iterator[subprocess.Popen[str]]:
    """A process that is ended by SIGTERM at the end."""
    process = subprocess.Popen(  # noqa: S603 - our own and the peers' programs
        command, stdout=subprocess.PIPE, text=True, cwd=folder
    )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(30)
        process.kill()


def until(there: Path, seconds: float = 10) -> None:
    """Wait until a path exists."""
    end = time.monotonic() + seconds
    while not there.exists():
        if time.monotonic() > end:
            raise RuntimeError(f"{there} did not appear")
        time.sleep(0.02)


def fio(target: list[str], depth: int, seconds: int, *options: str) -> dict[str, Any]:
    """4 KiB random reads; fio's account of them."""
    command = [
        "fio",
        "--name=reads",
        "--rw=randread",
        "--bs=4k",
        "--size=256m",
        "--norandommap",
        "--time_based",
        f"--runtime={seconds}",
        f"--iodepth={depth}",
        "--output-format=json",
        *target,
        *options,
    ]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
    text = done.stdout[done.stdout.index("{") :]
    job: dict[str, Any] = json.loads(text)["jobs"][0]
    return job


def output(*command: object) -> str:
    """What a command prints."""
    return subprocess.run(  # noqa: S603 - our own programs
        [str(part) for part in command], check=True, capture_output=True, text=True
    ).stdout


def row(*cells: object) -> None:
    """Print a row of a table."""
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)
