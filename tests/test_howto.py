"""The how-tos that need root: their commands run, from the first to the last."""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT
from databases import filesystem, galera, mariadb, postgres
from databases.emulated import need
from pages import WITH_DATABASES, blocks
from undoing import undone

pytestmark = pytest.mark.slow

_PROGRAMS = {
    "postgresql": (postgres.USER, postgres.PROGRAMS),
    "mariadb": (mariadb.USER, mariadb.PROGRAMS),
    "crash-test": (postgres.USER, postgres.PROGRAMS),
    "galera": (mariadb.USER, galera.PROGRAMS),
}

# Enough however busy the machine is.
PATIENCE_S = 120


@pytest.mark.parametrize("name", WITH_DATABASES)
def test_commands_run(name: str) -> None:
    user, programs = _PROGRAMS[name]
    need(user, *programs)
    page = ROOT / "docs" / "howto" / f"{name}.md"
    with filesystem.workspace() as folder:
        for scenario in blocks(page, "yaml"):
            if scenario.file:
                (folder / scenario.file).write_text(scenario.text)
        status, said = run("\n".join(block.text for block in blocks(page, "sh")), folder)
    assert status == 0, said


def run(commands: str, folder: Path) -> tuple[int, str]:
    """The exit status and the output of commands in a folder. None of their processes is left."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}:/usr/sbin:/sbin"
    said = folder / "said"
    # Not into a pipe, which servers left over from a failure would keep open.
    with undone("unmount", folder), said.open("w") as output:
        shell = subprocess.Popen(
            ["bash", "-euo", "pipefail", "-c", commands],
            cwd=folder,
            env=os.environ | {"PATH": path},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        try:
            status = shell.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            pytest.fail(f"no end after {PATIENCE_S} s: {said.read_text()}")
        finally:
            clean_up(shell, folder)
    return status, said.read_text()


def clean_up(shell: subprocess.Popen[bytes], folder: Path) -> None:
    """End what failed commands have left behind: servers, mounts, the service."""
    # Without touching them: a file system whose disk has no power does not respond.
    mounts = [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()]
    for mount in [mount for mount in mounts if mount.startswith(f"{folder}/")]:
        # Of what is no longer mounted it would kill the users of the file system below: everybody.
        users = ["fuser", "--kill", "--ismountpoint", "--mount", mount]
        subprocess.run(users, capture_output=True, check=False)
        subprocess.run(["umount", "--lazy", mount], check=False)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(shell.pid, signal.SIGTERM)
    shell.wait()
