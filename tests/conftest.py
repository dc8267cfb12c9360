"""The command as a user runs it, and a scenario that runs in a moment."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# A busy machine is no failure.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

ROOT = Path(__file__).parent.parent

GP3 = """\
name: gp3
duration: 10s
storage:
  data: {type: gp3, size: 100GiB, iops: 3000, throughput: 125MiB/s}
workload:
  readers: {kind: ranread, on: data, file_size: 10GiB, processes: [1, 5]}
"""

Finished = subprocess.CompletedProcess[str]
Blockyard = Callable[..., Finished]


@pytest.fixture
def blockyard(tmp_path: Path) -> Blockyard:
    """Run `blockyard` with arguments in an empty folder that has gp3.yaml."""
    (tmp_path / "gp3.yaml").write_text(GP3)

    def run(*arguments: object, before: Callable[[], None] | None = None) -> Finished:
        return subprocess.run(
            [sys.executable, "-m", "blockyard", *map(str, arguments)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            preexec_fn=before,
            check=False,
        )

    return run


def one_line(finished: Finished) -> str:
    """The one line that a refused call says."""
    assert finished.stdout == ""
    assert finished.stderr.count("\n") == 1, finished.stderr
    return finished.stderr.rstrip("\n")


def folder(path: Path) -> list[str]:
    """Everything that lies in a folder, hidden or not."""
    return sorted(entry.name for entry in path.iterdir())
