"""Runs that are interrupted, or that cannot be written."""

import contextlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from blockyard.cli import program
from blockyard.cli.status import reason
from blockyard.runs.execution import NotKeptError, Outcome, RunSpec, ScenarioFile
from blockyard.runs.execution.bench import bench
from blockyard.runs.new_folder import NewFolder
from blockyard.runs.observer import Observer
from conftest import GP3, Blockyard, folder, one_line
from undoing import mounted

# A closed loop on storage that takes no time.
STILL = """\
name: still
duration: 1s
storage: {d: {type: unlimited, size: 1GiB}}
workload: {r: {kind: ranread, on: d, file_size: 1MiB, processes: 1}}
"""

# Longer than any test waits.
ENDLESS = GP3.replace("duration: 10s", "duration: 1000h")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_keeps_what_it_measured(tmp_path: Path, number: int) -> None:
    with _simulating(ENDLESS, tmp_path) as process:
        _wait_for_measurements(process, tmp_path)
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, "")
    assert folder(tmp_path) == ["endless.yaml", "run"]
    result = json.loads((tmp_path / "run/result.json").read_text())
    assert result["status"] == "interrupted"
    assert 0 < result["duration_s"] < 3_600_000
    assert result["totals"][0]["ios"] > 0


def test_a_loop_in_which_no_time_would_pass_is_refused(
    blockyard: Blockyard, tmp_path: Path
) -> None:
    (tmp_path / "still.yaml").write_text(STILL)
    finished = blockyard("simulate", "still.yaml", "--out", "run")
    assert finished.returncode == 2
    assert "still.yaml:4: workload.r.on: IO on `d` takes no time" in one_line(finished)
    assert "run" not in folder(tmp_path)


def test_a_signal_ends_a_run_within_its_interval(tmp_path: Path) -> None:
    text = GP3.replace("duration: 10s", "duration: 1000h\ninterval: 500h")
    with _simulating(text, tmp_path) as process:
        deadline = time.monotonic() + 60
        while not list(tmp_path.glob(".*/latency.hlog")) and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    # Whether any time had passed depends on the machine.
    assert process.returncode == 130, errors
    assert folder(tmp_path) in (["endless.yaml"], ["endless.yaml", "run"])


def _simulating(scenario: str, place: Path) -> "subprocess.Popen[str]":
    """A simulation in `place` of the given text, written there to `endless.yaml`."""
    (place / "endless.yaml").write_text(scenario)
    return subprocess.Popen(
        [sys.executable, "-m", "blockyard", "simulate", "endless.yaml", "--out", "run"],
        cwd=place,
        stderr=subprocess.PIPE,
        text=True,
    )


def _wait_for_measurements(process: "subprocess.Popen[str]", place: Path) -> None:
    """Wait until a run beneath `place` has written latencies."""
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        if any(log.stat().st_size > 0 for log in place.glob(".*/latency.hlog")):
            return
        time.sleep(0.05)
    pytest.fail("the run ended, or measured nothing in a minute")


# The scenario's text fits, the first table does not.
RUNS = [
    ["simulate", "gp3.yaml"],
    ["bench", "gp3.yaml", "--set", "duration=2s", "--map", "data=null:"],
]


@pytest.mark.parametrize("command", RUNS)
def test_what_cannot_be_written_leaves_nothing(
    blockyard: Blockyard, tmp_path: Path, command: list[str]
) -> None:
    def files_stay_small() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    finished = blockyard(*command, "--out", "run", before=files_stay_small)
    assert finished.returncode == 4
    assert finished.stderr == "blockyard: run: nothing kept: File too large\n"
    assert folder(tmp_path) == ["gp3.yaml"]
    # Somebody waited for the figures.
    assert re.search(r"readers read +\S+ proc +[\d,]+ ", finished.stdout), finished.stdout
    assert "in run" not in finished.stdout
    result = json.loads(
        blockyard(*command, "--out", "run", "--json", before=files_stay_small).stdout
    )
    assert (result["status"], result["totals"][0]["ios"] > 0) == ("complete", True)


def test_the_figures_of_a_run_whose_directory_goes_are_told(tmp_path: Path) -> None:
    class Removing(Observer):
        def at_start(self) -> None:
            shutil.rmtree(directory.partial)

    file = ScenarioFile(GP3, "gp3.yaml", ("duration=2s", "warmup=0s"))
    [run] = file.runs()
    on = {"map": [("data", "null:")]}
    with NewFolder(tmp_path / "run") as directory, pytest.raises(NotKeptError) as raised:
        bench(run, directory, on, stop=threading.Event(), view=Removing())
    assert reason(raised.value) == "No such file or directory"
    assert raised.value.outcome
    assert raised.value.outcome.result["totals"][0]["ios"] > 0
    assert raised.value.outcome.facts
    assert folder(tmp_path) == []


def test_a_target_is_as_a_run_left_it_whose_logs_found_no_room(
    blockyard: Blockyard, tmp_path: Path
) -> None:
    (tmp_path / "gp3.yaml").write_text(GP3)
    sets = ["--set", "interval=10ms", "--set", "duration=1s", "--set", "warmup=0s"]
    command = ["bench", "gp3.yaml", *sets, "--map", "data=t.dat", "--size", "1MiB"]
    with contextlib.ExitStack() as stack:
        try:
            small = mounted("tmpfs", tmp_path / "disk", "-t", "tmpfs", "-o", "size=64k")
            stack.enter_context(small)
        except RuntimeError as why:
            pytest.skip(f"a small file system cannot be mounted here: {why}")
        full = blockyard(*command, "--out", "disk/run", "--io-log")
    assert full.stderr == "blockyard: disk/run: nothing kept: No space left on device\n"
    assert full.returncode == 4
    assert os.getxattr(tmp_path / "t.dat", "user.blockyard").startswith(b"holds ")


def test_runs_before_one_that_cannot_be_written_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def removed(run: RunSpec, directory: NewFolder, *rest: Any, **options: Any) -> Outcome | None:
        if run.name == "gp3-2":
            shutil.rmtree(directory.partial)
        return bench(run, directory, *rest, **options)

    monkeypatch.setattr("blockyard.cli.bench.bench", removed)
    (tmp_path / "gp3.yaml").write_text(GP3.replace("[1, 5]", "1"))
    sets = ["--set", "duration=1s", "--set", "repeats=2"]
    words = ["bench", str(tmp_path / "gp3.yaml"), *sets, "--map", "data=null:"]
    # Longer than a line.
    runs = tmp_path / "runs-of-a-name-that-fills-much-more-than-half-of-a-line-of-a-terminal"
    assert program.run([*words, "--out", str(runs)]) == 4
    said = capsys.readouterr()
    assert f"\nin {runs}/gp3\n" in said.out
    assert said.err == f"blockyard: {runs}/gp3-2: nothing kept: No such file or directory\n"
    assert folder(runs) == ["gp3"]


def test_a_full_disk_leaves_nothing(blockyard: Blockyard, tmp_path: Path) -> None:
    with contextlib.ExitStack() as stack:
        try:
            small = mounted("tmpfs", tmp_path / "disk", "-t", "tmpfs", "-o", "size=16k")
            disk = stack.enter_context(small)
        except RuntimeError as reason:
            pytest.skip(f"a small file system cannot be mounted here: {reason}")
        emulate = ["emulate", "gp3.yaml", "--as", "nbd=socket", "--for", "100ms"]
        for command in (["simulate", "gp3.yaml"], emulate):
            finished = blockyard(*command, "--out", "disk/run")
            assert finished.returncode == 4
            said = "blockyard: disk/run: nothing kept: No space left on device\n"
            assert finished.stderr == said
            assert folder(disk) == []
        (disk / "full").write_bytes(bytes(16 * 1024))
        out = ["-o", "disk/file"]
        for command in (
            ["provision", "gp3.yaml", "--format", "terraform", *out],
            ["plan", "--size", "1GiB", "--read-iops", "100", "--no-prove", *out],
        ):
            finished = blockyard(*command)
            assert finished.returncode == 4, finished.stderr
            said = "blockyard: disk/file: No space left on device"
            assert finished.stderr.splitlines()[-1] == said
            assert folder(disk) == ["full"]


def test_an_unwritable_folder_is_found_before_the_run(blockyard: Blockyard, tmp_path: Path) -> None:
    (tmp_path / "endless.yaml").write_text(ENDLESS)
    finished = blockyard("simulate", "endless.yaml", "--out", "/sys/run")
    assert finished.returncode == 2
    assert one_line(finished).startswith("blockyard: /sys/run: ")


@pytest.mark.parametrize("odd", ["a\nb", "a\u2028b", "a\x85b", "a\x1eb"])
def test_an_error_is_one_line_whatever_a_name_contains(blockyard: Blockyard, odd: str) -> None:
    for command in (
        ["simulate", f"{odd}.yaml"],
        ["report", odd],
        ["simulate", "gp3.yaml", "--set", f"name={odd}/"],
        ["bench", "gp3.yaml", "--map", f"data={odd}/x"],
        ["cost", "gp3.yaml", "--region", odd],
        ["simulate", "gp3.yaml", odd],
    ):
        finished = blockyard(*command)
        assert finished.returncode == 2, command
        assert len(one_line(finished).splitlines()) == 1, command
