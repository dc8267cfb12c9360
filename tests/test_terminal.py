"""What people see in a terminal, and that none of it reaches pipes and files."""

import io
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from rich.text import Text

from blockyard.cli import terminal
from conftest import GP3, Blockyard, one_line
from nbdclient import Client, Gone
from runs import simulated
from terminals import COLOURS, Terminal

pytestmark = pytest.mark.slow

ESCAPE = b"\x1b"
BENCH = ["bench", "gp3.yaml", "--map", "data=null:", "--out", "run", "--live"]
# The bucket of credits is nearly empty, so that the baseline soon holds requests.
GP2 = "{name: gp2, storage: {data: {type: gp2, size: 100GiB, burst_balance: 0.1%}}}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that has gp3.yaml, with steps that are long enough to watch."""
    (tmp_path / "gp3.yaml").write_text(GP3.replace("10s", "4s"))
    return tmp_path


def bars(terminal: Terminal, label: str) -> str:
    """The bars of a gauge."""
    line = next(line for line in terminal.shown if line.lstrip().startswith(label))
    return "".join(re.findall("[▁▂▃▄▅▆▇█]", line))


def assert_restored(terminal: Terminal) -> None:
    assert not terminal.is_full_screen
    assert not terminal.cursor_is_hidden
    assert terminal.written.count(b"\x1b[?1049h") == terminal.written.count(b"\x1b[?1049l")


def test_a_bench_fills_the_screen_and_gives_it_back(folder: Path) -> None:
    terminal = Terminal(80, 24)
    with terminal.running(*BENCH, folder=folder) as process:
        terminal.until(lambda: "step 2 of 2: 5 proc" in terminal.text)
        head, progress, device = terminal.shown[:3]
        assert re.fullmatch(r"gp3 on real storage +step 2 of 2, 0:0\d left", head)
        assert len(progress) == 80
        assert device == "data"
        for label in ("IOPS", "MiB/s", "p99", "depth"):
            assert len(bars(terminal, label)) >= 3, terminal.text
        assert "readers read data" in terminal.text
        log = re.compile("log ─+ a bar is 1 s, Ctrl-C ends the run")
        assert any(map(log.fullmatch, terminal.shown))
        assert terminal.ended(process) == 0
    assert_restored(terminal)
    assert terminal.shown[0] == "gp3: 4 s on real storage, seed 1"
    assert "in run" in terminal.text


def test_ctrl_c_keeps_the_result_and_restores_the_screen(folder: Path) -> None:
    terminal = Terminal(80, 24)
    with terminal.running(*BENCH, folder=folder) as process:
        terminal.until(lambda: "IOPS" in terminal.text)
        terminal.type(b"\x03")
        assert terminal.ended(process) == 130
    assert_restored(terminal)
    assert "seed 1, interrupted" in terminal.text
    assert (folder / "run" / "result.json").exists()


def test_ctrl_z_gives_the_screen_back_until_the_run_goes_on(folder: Path) -> None:
    terminal = Terminal(80, 24)

    def is_stopped(process: subprocess.Popen[bytes]) -> bool:
        found, status = os.waitpid(process.pid, os.WNOHANG | os.WUNTRACED)
        return found == process.pid and os.WIFSTOPPED(status)

    with terminal.running(*BENCH, folder=folder) as process:
        terminal.until(lambda: "IOPS" in terminal.text)
        terminal.type(b"\x1a")
        terminal.until(lambda: not terminal.is_full_screen)
        assert not terminal.cursor_is_hidden
        terminal.until(lambda: is_stopped(process))
        process.send_signal(signal.SIGCONT)
        terminal.until(lambda: terminal.is_full_screen and "IOPS" in terminal.text)
        assert terminal.ended(process) == 0
    assert_restored(terminal)
    assert "in run" in terminal.text


def test_an_error_is_read_on_the_restored_screen(folder: Path) -> None:
    (folder / "taken").write_text("data of somebody")
    terminal = Terminal(80, 24)
    command = ["bench", "gp3.yaml", "--map", "data=taken", "--precondition", 1, "--live"]
    with terminal.running(*command, folder=folder) as process:
        assert terminal.ended(process) == 2
    assert_restored(terminal)
    assert terminal.shown[0].startswith("blockyard: ")
    assert "taken" in terminal.text
    assert "Traceback" not in terminal.text


def test_the_view_follows_the_size_of_the_window(folder: Path) -> None:
    terminal = Terminal(200, 50)
    with terminal.running(*BENCH, folder=folder) as process:
        terminal.until(lambda: "p99" in terminal.text)
        assert len(terminal.shown[1]) == 200
        terminal.resize(80, 24)
        terminal.until(lambda: len(terminal.shown[1]) == 80)
        terminal.until(lambda: "readers read data" in terminal.text)
        assert terminal.ended(process) == 0


def test_it_is_drawn_at_most_four_times_a_second(folder: Path) -> None:
    terminal = Terminal(80, 24)
    with terminal.running(*BENCH, "--set", "interval=10ms", folder=folder) as process:
        terminal.until(lambda: "IOPS" in terminal.text)
        start, before = time.monotonic(), terminal.written.count(b"\x1b[H")
        terminal.until(lambda: time.monotonic() > start + 2)
        drawn = terminal.written.count(b"\x1b[H") - before
        assert 1 <= drawn <= 4 * (time.monotonic() - start) + 1
        terminal.ended(process)


def load(path: str, stop: threading.Event) -> None:
    """Read as fast as the device answers."""
    client = Client(path, "data")
    try:
        while not stop.is_set():
            client.read(0, 4096)
    except Gone:
        pass
    finally:
        client.close()


def test_a_service_under_load_shows_what_holds_it_back(blockyard: Blockyard, folder: Path) -> None:
    (folder / "gp2.yaml").write_text(GP2)
    socket, control = folder / "nbd", folder / "control"
    command = ["emulate", "gp2.yaml", "--as", f"nbd={socket}", "--control", control, "--live"]
    terminal = Terminal(80, 24)
    stop = threading.Event()
    readers = [threading.Thread(target=load, args=(str(socket), stop)) for _ in range(4)]
    with terminal.running(*command, "--out", "run", folder=folder) as process:
        try:
            terminal.until(lambda: terminal.is_full_screen)
            for reader in readers:
                reader.start()
            terminal.until(lambda: "throttled by data.iops_credits" in terminal.text)
            assert blockyard("steer", control, "set", "data.iops=2000").returncode == 0
            terminal.until(lambda: "data.iops set to 2000" in terminal.text)
            terminal.until(lambda: "of 2,000" in terminal.text)
            assert re.fullmatch(r"gp2 emulated +up 0:\d\d", terminal.shown[0])
            assert len(bars(terminal, "burst")) >= 2
            assert re.search(r"burst .* 0\.0%", terminal.text)
            terminal.type(b"\x03")
            assert terminal.ended(process) == 130
        finally:
            stop.set()
    for reader in readers:
        reader.join()
    assert_restored(terminal)
    assert terminal.shown[0].startswith("data: nbd+unix:///data")
    assert "s emulated, seed 1, interrupted" in terminal.text
    assert "data.iops set to 2000" in terminal.text


def test_without_unicode_there_are_other_bars(folder: Path) -> None:
    terminal = Terminal(80, 24)
    ascii_only = {"PYTHONIOENCODING": "ascii"}
    with terminal.running(*BENCH, folder=folder, environment=ascii_only) as process:
        terminal.until(lambda: "readers read data" in terminal.text)
        assert terminal.ended(process) == 0
    assert terminal.written.isascii()
    assert "us of processor time" in terminal.text


def test_no_color_leaves_out_colours(folder: Path) -> None:
    for environment, coloured in (({}, True), ({"NO_COLOR": "1"}, False)):
        terminal = Terminal(80, 24)
        command = ["bench", "gp3.yaml", "--map", "data=null:", "--live", "--set", "duration=2s"]
        with terminal.running(*command, folder=folder, environment=environment) as process:
            assert terminal.ended(process) == 0
        assert bool(COLOURS.search(terminal.written)) == coloured


QUIET = [
    ["simulate", "gp3.yaml", "--out", "run"],
    [*BENCH, "--set", "duration=2s"],
    ["emulate", "gp3.yaml", "--as", "nbd=nbd", "--for", "1s", "--out", "run", "--live"],
    ["observe", "--counters", "--interval", "100ms", "--duration", "100ms", "--live"],
    ["catalog", "volumes", "gp3"],
    ["catalog", "instances", "r5n."],
    ["export", "fio", "gp3.yaml"],
    ["schema"],
    ["--help"],
    ["bench", "--help"],
    ["simulate", "nothing.yaml"],
]


@pytest.mark.parametrize("command", QUIET, ids=lambda command: " ".join(command[:2]))
def test_pipes_and_files_get_plain_text(blockyard: Blockyard, command: list[str]) -> None:
    finished = blockyard(*command)
    assert "\x1b" not in finished.stdout + finished.stderr
    assert "\r" not in finished.stdout + finished.stderr


@pytest.mark.parametrize("command", QUIET, ids=lambda command: " ".join(command[:2]))
def test_a_dumb_terminal_gets_plain_text(folder: Path, command: list[str]) -> None:
    terminal = Terminal(100, 50)
    with terminal.running(*command, folder=folder, environment={"TERM": "dumb"}) as process:
        terminal.ended(process)
    assert ESCAPE not in terminal.written


def test_colours_that_are_forced_do_not_move_the_cursor(folder: Path) -> None:
    finished = subprocess.run(
        [sys.executable, "-m", "blockyard", *BENCH],
        cwd=folder,
        capture_output=True,
        env=os.environ | {"FORCE_COLOR": "1"},
        timeout=120,
        check=True,
    )
    assert finished.stderr == b""
    assert re.findall(rb"\x1b\[[0-9;?]*[A-Za-ln-z]", finished.stdout) == []


# A title, a colour, a bell, a C1 control, a change of writing direction.
HOSTILE = "a\x1b]0;pwn\x07\x1b[31m\x9b2J\u202eb"
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A folder with runs whose job and device have such names."""
    (tmp_path / "gp3.yaml").write_text(GP3)
    made = simulated(tmp_path, GP3)
    assert made.path is not None
    place = made.path.rename(tmp_path / "run")
    names = {"readers": HOSTILE, "data": HOSTILE + "d"}
    text = (place / "result.json").read_text()
    for name, other in names.items():
        text = text.replace(f'"{name}"', json.dumps(other))
    (place / "result.json").write_text(text)
    (place / "scenario.yaml").write_text(f'"{json.dumps(HOSTILE)[1:-1]}": 1')
    copied = shutil.copytree(place, tmp_path / f"run {HOSTILE}")
    fio = {"jobname": HOSTILE, "error": 0, "job options": {}}
    text = json.dumps({"fio version": HOSTILE, "timestamp": HOSTILE, "jobs": [fio]})
    (tmp_path / f"fio {HOSTILE}.json").write_text(text)
    assert copied.is_dir()
    return tmp_path


@pytest.mark.parametrize("command", ["report", "compare"])
def test_no_name_of_a_file_controls_the_terminal(hostile: Path, command: str) -> None:
    runs = [entry.name for entry in sorted(hostile.iterdir()) if entry.name != "gp3.yaml"]
    for run in runs:
        words = [command, run, *(["run", "--anyway"] if command == "compare" else [])]
        finished = subprocess.run(
            [sys.executable, "-m", "blockyard", *words],
            cwd=hostile,
            capture_output=True,
            text=True,
            check=False,
        )
        shown = finished.stdout + finished.stderr
        assert shown
        assert not CONTROLS.search(shown), shown
        assert "Traceback" not in shown
        assert "unexpected" not in shown


def test_no_name_of_a_service_controls_the_terminal(tmp_path: Path) -> None:
    device = dict.fromkeys(["in_flight", "reads", "writes", "flushes", "errors"], 0)
    state = {"uptime_s": 1, "devices": [device | {"name": HOSTILE, "at": HOSTILE}], "volumes": []}
    fault = {"kind": HOSTILE, "on": HOSTILE, "until_s": None}
    answer = json.dumps({"ok": state | {"faults": [fault]}}).encode() + b"\n"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "control"))
        listening.listen()
        with subprocess.Popen(
            [sys.executable, "-m", "blockyard", "steer", tmp_path / "control", "status"],
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            connection, _ = listening.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(answer)
            shown, _ = process.communicate(timeout=60)
    assert "pwn" in shown
    assert not CONTROLS.search(shown)


def test_displays_draw_no_controls_of_names_but_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written = io.StringIO()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(sys, "stdout", written)
    console = terminal.on_stdout()
    console.print(Text(HOSTILE, style="bold red"))
    assert written.getvalue().startswith("\x1b[1;31ma")
    assert "\x1b]" not in written.getvalue()
    assert "\x9b" not in written.getvalue()


def test_catalog_filters_are_echoed_without_controls(blockyard: Blockyard) -> None:
    finished = blockyard("catalog", "volumes", HOSTILE)
    assert finished.returncode == 2
    assert not CONTROLS.search(one_line(finished))
