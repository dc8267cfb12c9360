"""What every command has in common: help, versions, exit status, one-line errors."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from blockyard.cli import program
from conftest import ROOT, Blockyard, one_line

COMMANDS = [
    [],
    *([name] for name in program.COMMANDS),
    ["steer", "PATH", "status"],
    ["steer", "PATH", "set"],
    ["steer", "PATH", "pause"],
    ["steer", "PATH", "resume"],
    ["steer", "PATH", "stop"],
    ["steer", "PATH", "fault"],
    ["steer", "PATH", "fault", "latency"],
    ["steer", "PATH", "fault", "error"],
    ["steer", "PATH", "fault", "stall"],
    ["steer", "PATH", "fault", "degrade"],
    ["steer", "PATH", "fault", "power-cut"],
    ["steer", "PATH", "fault", "clear"],
    ["import", "fio"],
    ["export", "fio"],
    ["catalog", "volumes"],
    ["catalog", "instances"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_help_shows_an_example(blockyard: Blockyard, command: list[str]) -> None:
    finished = blockyard(*command, "--help")
    assert finished.returncode == 0
    assert "Example" in finished.stdout
    assert "\n    blockyard " in finished.stdout
    # Examples are not wrapped, so that they can be copied.
    lines = [line for line in finished.stdout.splitlines() if "    blockyard " not in line]
    assert max(map(len, lines)) <= 88
    listed = finished.stdout.partition("\nCommands:\n")[2]
    assert "..." not in listed, "a description is cut off"
    ours = {path.name for path in (ROOT / "scenarios").glob("*/*.yaml")}
    for example in re.findall(r"(?<=[ =])\S+\.yaml", finished.stdout):
        # What is not ours is the reader's own.
        assert Path(example).name not in ours or list(ROOT.glob(example)), example


def test_the_version_is_the_workspace_s(blockyard: Blockyard) -> None:
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text())
    version = cargo["workspace"]["package"]["version"]
    assert blockyard("--version").stdout == f"blockyard {version}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["simul"], "No such command 'simul'. Did you mean 'simulate'?"),
        (["simulate"], "Missing argument"),
        (["simulate", "gp3.yaml", "--seed", "x"], "--seed"),
        (["simulate", "gp3.yaml", "--out", ""], "'--out': empty; expected a path"),
        (["simulate", "gp3.yaml", "--sed", "1"], "No such option: --sed"),
        (["capacity", "gp3.yaml", "--for-good"], "--for-good is called --sustained now"),
        (["what-if", "gp3.yaml", "--for-good"], "--for-good is called --sustained now"),
        (["plan", "--worlds", "9"], "--worlds is called --samples now"),
        (["schema", "scenery"], "scenery"),
        (
            ["simulate", "gp3.yaml", "--set", "storage.data={type: unlimited, size: 4KiB}"],
            "unlimited allows sizes of 1MiB to 64TiB, not 4KiB",
        ),
        (["catalog", "volumes", "--as-of", "someday"], "`someday` is not a date"),
        (["catalog", "volumes", "gp5"], "gp5"),
    ],
)
def test_wrong_usage_is_one_line_and_status_2(
    blockyard: Blockyard, arguments: list[str], message: str
) -> None:
    finished = blockyard(*arguments)
    assert finished.returncode == 2
    assert message in one_line(finished)


def test_a_reader_that_goes_away_is_no_error() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "blockyard", "catalog", "instances"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        # The table is longer than a pipe holds.
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
