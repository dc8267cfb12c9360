"""How calls begin and end: what they load, where they write, and what stops them."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import blockyard as by
from conftest import GP3, folder
from nbdclient import Client
from serving import serve

pytestmark = pytest.mark.slow

# Each of these takes as long to load as everything that a simple call needs.
HEAVY = {"jinja2", "matplotlib", "numpy", "prometheus_client", "pyarrow", "pydantic", "rich"}

LOADED = """
import sys
from blockyard.cli import run
run(sys.argv[1:])
print(*{name.partition(".")[0] for name in sys.modules}, file=sys.stderr)
"""

# What the command loads before it answers signals, in a Python that has loaded nothing else.
FIRST = """
import os, sys
sys.path.insert(0, sys.argv[1])
before = set(sys.modules)
import blockyard.cli
print(*set(sys.modules) - before)
"""

# Asks for a Ctrl-C when a module is about to be loaded.
INTERRUPTED = """
import os, signal, sys
from blockyard.cli import main

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == at:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

at = sys.argv.pop(1)
sys.meta_path.insert(0, Finder())
main()
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with gp3.yaml and its run, `made`."""
    place = tmp_path_factory.mktemp("calls")
    (place / "gp3.yaml").write_text(GP3)
    by.simulate(place / "gp3.yaml", out=place / "made")
    return place


def test_nothing_is_loaded_before_the_command_answers_signals() -> None:
    """Until then Python answers Ctrl-C, with a traceback."""
    command = [sys.executable, "-I", "-S", "-c", FIRST, str(Path(by.__file__).parents[1])]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True)
    assert set(loaded.stdout.split()) <= {"_signal", "blockyard", "blockyard.cli"}


@pytest.mark.parametrize(
    ("command", "drawn"),
    [
        ("--version", False),
        ("--help", False),
        ("simul", False),
        ("simulate nothing.yaml", False),
        ("simulate --help", False),
        ("report nothing", False),
        ("bench gp3.yaml --map data=null: --show", False),
        ("catalog volumes gp3 --json", False),
        ("catalog volumes gp3", True),
        ("steer nothing status", False),
        ("export fio gp3.yaml", False),
        ("schema", False),
    ],
)
def test_calls_load_no_more_than_they_need(made: Path, command: str, drawn: bool) -> None:
    finished = subprocess.run(
        [sys.executable, "-c", LOADED, *command.split()],
        cwd=made,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(finished.stderr.splitlines()[-1].split())
    assert "typer" in loaded
    assert loaded & HEAVY <= ({"rich"} if drawn else set())


def test_a_shell_s_question_loads_no_more_than_it_needs(made: Path) -> None:
    question = {
        "_BLOCKYARD_COMPLETE": "complete_fish",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        "_TYPER_COMPLETE_ARGS": "blockyard ",
    }
    finished = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "blockyard"],
        env=os.environ | question,
        cwd=made,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {line.rpartition("|")[2].strip() for line in finished.stderr.splitlines()}
    assert finished.stdout.startswith("simulate\tSimulate scenarios")
    assert "typer" in loaded
    assert not loaded & HEAVY


def test_importing_the_package_loads_nothing_else() -> None:
    code = "import blockyard, sys; print(*(n for n in sys.modules if n.startswith('blockyard')))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "blockyard\n"
    assert set(by.__all__) <= set(dir(by))
    with pytest.raises(AttributeError, match="no attribute 'simulat'"):
        by.simulat  # type: ignore[attr-defined] # noqa: B018


COMMANDS = [
    "--version",
    "--help",
    "simulate gp3.yaml --out run",
    "bench gp3.yaml --map data=null: --set duration=200ms --set interval=100ms --out run",
    "emulate gp3.yaml --as nbd=socket --for 100ms --out run",
    "report made",
    "compare made made",
    "catalog volumes gp3",
    "export fio gp3.yaml",
    "schema",
]
# The state of standard output and error, the exit status, and the message.
STREAMS = [
    (">&-", 4, "blockyard: standard output: Bad file descriptor\n"),
    (">/dev/full", 4, "blockyard: standard output: No space left on device\n"),
    ("2>/dev/full >/dev/full", 4, ""),
    ("2>&- >/dev/null", 0, ""),
]


@pytest.mark.parametrize("command", COMMANDS)
def test_what_cannot_be_written_is_said_and_no_run_is_lost(
    made: Path, tmp_path: Path, command: str
) -> None:
    for name in ("gp3.yaml", "made"):
        (tmp_path / name).symlink_to(made / name)
    for number, (streams, status, said) in enumerate(STREAMS):
        words = command.replace("--out run", f"--out run-{number}")
        finished = subprocess.run(
            ["bash", "-c", f"exec {sys.executable} -m blockyard {words} {streams}"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (finished.returncode, finished.stderr) == (status, said), streams
        if "--out" in command:
            result = json.loads((tmp_path / f"run-{number}" / "result.json").read_text())
            assert result["status"] == "complete"
    assert not list(tmp_path.glob(".*"))


def test_an_error_needs_no_standard_error() -> None:
    command = f"{sys.executable} -m blockyard simulate nothing.yaml"
    for closed in ("2>&-", "2>/dev/full", ">&- 2>&-"):
        finished = subprocess.run(
            ["bash", "-c", f"exec {command} {closed}"], capture_output=True, check=False
        )
        assert (finished.returncode, finished.stdout, finished.stderr) == (2, b"", b"")


@pytest.mark.parametrize(
    "module",
    ["blockyard.cli.program", "typer", "blockyard._core", "rich.table", "numpy"],
)
def test_ctrl_c_while_modules_load_is_no_error(made: Path, module: str) -> None:
    finished = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, module, "compare", "made", "made"],
        cwd=made,
        capture_output=True,
        check=False,
    )
    assert (finished.returncode, finished.stdout, finished.stderr) == (130, b"", b"")


def begun(command: list[str], place: Path) -> subprocess.Popen[str]:
    """A run in `place`/run that has begun."""
    process = subprocess.Popen(
        [sys.executable, "-m", "blockyard", *command, "--out", "run"],
        cwd=place,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not list(place.glob(".run.partial-*/scenario.yaml")):
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    return process


LONG = ["--set", "duration=100000m"]


@pytest.mark.parametrize(
    "command",
    [
        ["simulate", "gp3.yaml", *LONG],
        ["bench", "gp3.yaml", "--map", "data=null:", *LONG, "--set", "interval=1m"],
    ],
    ids=lambda command: command[0],
)
def test_a_hangup_ends_a_run_as_a_kill_does(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "gp3.yaml").write_text(GP3)
    process = begun(command, tmp_path)
    process.send_signal(signal.SIGHUP)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, "")
    # On real storage, perhaps nothing was measured by then; then no run is left.
    assert folder(tmp_path) in (["gp3.yaml", "run"], ["gp3.yaml"])
    if command[0] == "simulate":
        assert json.loads((tmp_path / "run/result.json").read_text())["status"] == "interrupted"


def test_a_hangup_ends_a_service_as_a_kill_does(tmp_path: Path) -> None:
    with serve(GP3, "--as", f"nbd={tmp_path}/nbd", folder=tmp_path) as served:
        assert served.stop(signal.SIGHUP) == 130
        assert served.errors == ""
        assert served.result()["status"] == "interrupted"
    assert not list(tmp_path.glob(".*"))
    assert not (tmp_path / "nbd").exists()


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT])
def test_a_signal_that_is_ignored_from_the_start_ends_nothing(
    tmp_path: Path, number: signal.Signals
) -> None:
    """`nohup` ignores hangups, and a shell without job control ignores Ctrl-C."""
    (tmp_path / "gp3.yaml").write_text(GP3)
    command = ["simulate", "gp3.yaml", *LONG]
    ignored = signal.signal(number, signal.SIG_IGN)
    try:
        process = begun(command, tmp_path)
    finally:
        signal.signal(number, ignored)
    process.send_signal(number)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(timeout=0.3)
    process.terminate()
    process.communicate(timeout=60)
    assert process.returncode == 130


def test_a_service_outlives_who_reads_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "gp3.yaml").write_text(GP3)
    command = [sys.executable, "-m", "blockyard", "emulate", "gp3.yaml", "--as", "nbd=nbd"]
    reads, writes = os.pipe()
    os.close(reads)
    process = subprocess.Popen(
        [*command, "--out", "run"], cwd=tmp_path, stdout=writes, stderr=subprocess.PIPE
    )
    os.close(writes)
    try:
        client = connected(process, tmp_path / "nbd")
        client.read(0, 4096)
        client.close()
        process.terminate()
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, errors) == (141, b"")
    assert json.loads((tmp_path / "run/result.json").read_text())["status"] == "interrupted"
    assert folder(tmp_path) == ["gp3.yaml", "run"]


def connected(server: subprocess.Popen[bytes], place: Path) -> Client:
    """A client of a server that has said nothing of being ready."""
    while True:
        assert server.poll() is None
        # The socket's file is there a moment before the server listens on it.
        with contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
            return Client(str(place), "data")
        time.sleep(0.01)
