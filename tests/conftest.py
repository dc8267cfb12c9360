"""The command as a user runs it, and a scenario that runs in a moment."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

import undoing
from machine import UnavailableError, passed, scripts
from machine.scripts import Said
from nursery import Nursery

# A busy machine is not a failure; and a change is judged by the same cases as the one before.
settings.register_profile("patient", deadline=None, derandomize=True)
settings.load_profile("patient")

undoing.take_signals()

ROOT = Path(__file__).parent.parent

GP3 = """\
name: gp3
duration: 10s
storage:
  data: {type: gp3, size: 100GiB, iops: 3000, throughput: 125MiB/s}
workload:
  readers: {kind: ranread, on: data, file_size: 10GiB, processes: [1, 5]}
"""

# Options of `simulate`, for what neither further seeds nor advice is about.
ONCE = ("--seeds", "1", "--no-advice")

# However busy the machine.
PATIENCE_S = 120

Finished = subprocess.CompletedProcess[str]
Blockyard = Callable[..., Finished]


# The slowest begin first, so that nothing has to wait for them at the end.
LONGEST = ("test_machine", "test_howto", "test_docs")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first, and leave the others in their order."""
    items.sort(key=lambda item: item.path.stem not in LONGEST)


@pytest.fixture(scope="session", autouse=True)
def watched() -> Iterator[None]:
    """Have what the tests do to the machine undone, whatever becomes of this process."""
    with contextlib.closing(undoing.watchdog()):
        yield


@pytest.fixture(scope="session", autouse=True)
def no_imported_prices() -> None:
    """Have only the catalog's prices, whatever the user of this machine imported."""
    os.environ.pop("BLOCKYARD_PRICES", None)
    os.environ["XDG_DATA_HOME"] = "/nonexistent"


@pytest.fixture(scope="session")
def nursery(no_imported_prices: None) -> Iterator[Nursery]:  # noqa: ARG001 - before it begins
    """The process that carries out this session's commands."""
    with contextlib.closing(Nursery()) as nursery:
        yield nursery


@pytest.fixture
def blockyard(nursery: Nursery, tmp_path: Path) -> Blockyard:
    """Run `blockyard` with arguments in an empty folder that has gp3.yaml.

    With `before`, which is called in the new process, the command gets an interpreter of its
    own.
    """
    (tmp_path / "gp3.yaml").write_text(GP3)

    def run(*arguments: object, before: Callable[[], None] | None = None) -> Finished:
        words = list(map(str, arguments))
        if before is None:
            return forked(nursery, words, tmp_path)
        return subprocess.run(
            [sys.executable, "-m", "blockyard", *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            preexec_fn=before,
            check=False,
        )

    return run


def forked(nursery: Nursery, words: list[str], folder: Path) -> Finished:
    """Carry out a command in a fork; return its output."""
    with tempfile.TemporaryFile("w+") as stdout, tempfile.TemporaryFile("w+") as stderr:
        process = nursery.begin(words, folder, stdout, stderr)
        try:
            status = nursery.end(PATIENCE_S)
        except TimeoutError:
            os.kill(process, signal.SIGKILL)
            nursery.end(PATIENCE_S)
            raise
        for said in (stdout, stderr):
            said.seek(0)
        return Finished(words, status, stdout.read(), stderr.read())


@pytest.fixture(scope="session")
def in_machine() -> dict[str, Said]:
    """The output of scripts in the test machine, by the names of each script and its parts."""
    if passed.is_as_it_was():
        pytest.skip("nothing that it tests has changed since it passed; `make machine` tries it")
    try:
        return scripts.carry_out()
    except UnavailableError as reason:
        pytest.skip(str(reason))


def one_line(finished: Finished) -> str:
    """The one line that a refused call prints."""
    assert finished.stdout == ""
    assert finished.stderr.count("\n") == 1, finished.stderr
    assert "(os error " not in finished.stderr
    return finished.stderr.rstrip("\n")


def folder(path: Path) -> list[str]:
    """Everything in a folder, hidden or not."""
    return sorted(entry.name for entry in path.iterdir())
