"""Completion in bash, and in zsh and fish where they are installed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import GP3, Blockyard, one_line

SHELLS = ["bash", "zsh", "fish"]

# Sets what bash sets before it calls a completion function, and prints the reply.
ASK_BASH = r"""
source <(blockyard --show-completion bash)
compopt() { nospace=yes; }
COMP_LINE=$1 COMP_POINT=${#1} nospace=
_blockyard blockyard
printf '%s\n' "${COMPREPLY[@]}" $nospace
"""

STORAGE = GP3.replace("workload:", "  wij: {type: gp3, size: 10GiB}\nworkload:")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with scenarios and other files, and a `blockyard` that shells find."""
    (tmp_path / "gp3.yaml").write_text(STORAGE)
    (tmp_path / "gp2.json").write_text("{}")
    (tmp_path / "gp2.txt").write_text("")
    (tmp_path / "tests").mkdir()
    command = tmp_path / "bin" / "blockyard"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m blockyard "$@"\n')
    command.chmod(0o755)
    return tmp_path


def shell(folder: Path, *command: str) -> list[str]:
    """The lines that a shell prints."""
    path = f"{folder / 'bin'}:{os.environ['PATH']}"
    finished = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"PATH": path, "HOME": str(folder)},
        stdout=subprocess.PIPE,
        text=True,
        timeout=120,
        check=True,
    )
    return finished.stdout.split("\n")[:-1]


def in_bash(folder: Path, line: str) -> list[str]:
    return shell(folder, "bash", "--norc", "-c", ASK_BASH, "ask", line)


@pytest.mark.parametrize(
    ("line", "candidates"),
    [
        ("blockyard sim", ["simulate"]),
        ("blockyard bench --li", ["--live"]),
        ("blockyard bench --engine ", ["auto", "io_uring", "threads"]),
        ("blockyard bench gp", ["gp2.json", "gp3.yaml"]),
        ("blockyard simulate te", ["tests/", "yes"]),
        ("blockyard bench gp3.yaml --map ", ["data=", "wij="]),
        ("blockyard bench gp3.yaml --map w", ["wij=", "yes"]),
        # A file follows, which bash completes itself.
        ("blockyard bench gp3.yaml --map data=", [""]),
        ("blockyard bench nothing.yaml --map ", [""]),
        ("blockyard emulate gp3.yaml --device d", ["data"]),
        ("blockyard provision gp3.yaml --host ", ["host"]),
        (
            "blockyard provision gp3.yaml --format ",
            ["terraform", "cloudformation", "lvm", "iris", "migration"],
        ),
        ("blockyard emulate gp3.yaml --as=n", ["nbd=", "yes"]),
        ("blockyard catalog volumes gp", ["gp2", "gp3"]),
        ("blockyard catalog instances r5n.24", ["r5n.24xlarge"]),
        ("blockyard schema r", ["result", "requirement"]),
        ("blockyard steer gp2.txt set ", [""]),
        ("blockyard --show-completion ", SHELLS),
    ],
)
def test_bash_completes(folder: Path, line: str, candidates: list[str]) -> None:
    assert in_bash(folder, line) == candidates


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
def test_fish_completes(folder: Path) -> None:
    ask = "blockyard --show-completion fish | source; complete --do-complete $argv[1]"

    def complete(line: str) -> list[str]:
        return [reply.split("\t")[0] for reply in shell(folder, "fish", "-c", ask, line)]

    assert complete("blockyard bench --li") == ["--live"]
    assert complete("blockyard bench gp3.yaml --map ") == ["data=", "wij="]
    assert complete("blockyard bench gp3.yaml --map data=te") == ["data=tests/"]


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_zsh_can_load_it(folder: Path) -> None:
    load = "autoload -Uz compinit; compinit -u -D; source <(blockyard --show-completion zsh)"
    assert shell(folder, "zsh", "-f", "-c", f"{load}; print $_comps[blockyard]") == ["_blockyard"]


PLACES = {
    "bash": "share/bash-completion/completions/blockyard",
    "zsh": "share/zsh/site-functions/_blockyard",
    "fish": "config/fish/completions/blockyard.fish",
}


@pytest.mark.parametrize("name", SHELLS)
def test_the_script_goes_where_the_shell_looks(
    blockyard: Blockyard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    finished = blockyard("--install-completion", name)
    path = tmp_path / PLACES[name]
    assert finished.returncode == 0
    assert finished.stdout.startswith(f"{path}: ")
    assert path.read_text() == blockyard("--show-completion", name).stdout


def test_what_cannot_be_written_or_is_no_shell_is_one_line(
    blockyard: Blockyard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    finished = blockyard("--install-completion", "bash")
    assert finished.returncode == 4
    assert one_line(finished).endswith("Not a directory")
    finished = blockyard("--show-completion", "tcsh")
    assert finished.returncode == 2
    assert "tcsh" in one_line(finished)
