"""`--show-completion` and `--install-completion`."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from typer._click.shell_completion import CompletionItem, add_completion_class
from typer._completion_classes import FishComplete

from blockyard.cli import streams
from blockyard.cli.completion import scripts
from blockyard.cli.status import CommandError, Status, reason


class Shell(StrEnum):
    """A shell that completion supports."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


@dataclass(frozen=True)
class _Setup:
    """A shell's script, where the shell looks for it, and what else it may need."""

    script: str
    # The environment variable for the base folder, its default below the home folder, and the
    # file.
    base: tuple[str, str]
    place: str
    hint: str


_SETUPS = {
    Shell.BASH: _Setup(
        scripts.BASH,
        ("XDG_DATA_HOME", ".local/share"),
        "bash-completion/completions/blockyard",
        "new shells read it where the package bash-completion is installed; "
        "elsewhere add `source {path}` to ~/.bashrc",
    ),
    Shell.ZSH: _Setup(
        scripts.ZSH,
        ("XDG_DATA_HOME", ".local/share"),
        "zsh/site-functions/_blockyard",
        "add `fpath+=({folder})` to ~/.zshrc, before its `compinit`",
    ),
    Shell.FISH: _Setup(
        scripts.FISH,
        ("XDG_CONFIG_HOME", ".config"),
        "fish/completions/blockyard.fish",
        "new shells read it",
    ),
}


def answer_shells() -> None:
    """Let typer answer a call that comes from one of the scripts.

    typer has no public name for this: it does so for its own options, which guess the shell.
    """
    add_completion_class(_Answer, "fish")


class _Answer(FishComplete):
    """typer's class without the library that draws its help, which takes long to load."""

    def format_completion(self, item: CompletionItem) -> str:
        """Return a candidate and its help as a line."""
        return f"{item.value}\t{' '.join(item.help.split())}" if item.help else item.value


def place(shell: Shell, environment: Mapping[str, str]) -> Path:
    """The file that a shell reads for this user."""
    setup = _SETUPS[shell]
    variable, below_home = setup.base
    base = environment.get(variable)
    return (Path(base) if base else Path.home() / below_home) / setup.place


def _show(shell: Shell | None) -> None:
    if shell:
        streams.say(_SETUPS[shell].script, end="")
        raise typer.Exit


def _install(shell: Shell | None) -> None:
    if not shell:
        return
    path = place(shell, os.environ)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_SETUPS[shell].script, encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{path}: {reason(error)}", Status.FAILED) from error
    streams.say(f"{path}: {_SETUPS[shell].hint.format(path=path, folder=path.parent)}")
    raise typer.Exit


Show = Annotated[
    Shell | None,
    typer.Option(
        "--show-completion",
        metavar="bash|zsh|fish",
        callback=_show,
        is_eager=True,
        help="Print the completion script of this shell.",
    ),
]

Install = Annotated[
    Shell | None,
    typer.Option(
        "--install-completion",
        metavar="bash|zsh|fish",
        callback=_install,
        is_eager=True,
        help="Write that script to where the shell looks for it, and change no other file.",
    ),
]
