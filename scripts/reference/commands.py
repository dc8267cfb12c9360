"""The help of all commands as parts of a reference page."""

import html
from collections.abc import Iterator

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup

from blockyard.cli.program import group

Command = TyperCommand | TyperGroup


def commands() -> Iterator[tuple[str, Command]]:
    """The program and each command, by a name such as `catalog volumes`."""
    program = group()
    yield "blockyard", program
    yield from _within(program)


def _within(group: TyperGroup, above: str = "") -> Iterator[tuple[str, Command]]:
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from _within(command, f"{above}{name} ")
        elif isinstance(command, TyperCommand):
            yield f"{above}{name}", command


def text(name: str, command: Command) -> str:
    """What a command does, and a table of its arguments."""
    context = typer.Context(command, info_name=name)
    rows = []
    for parameter in command.params:
        names, about = parameter.get_help_record(context) or ("", "")
        if isinstance(parameter, TyperArgument):
            names = (parameter.metavar or "") + ("…" if parameter.nargs == -1 else "")
            about = about.removesuffix("[required]")
        # GitHub and the site differ: one would show backslashes, the other would split cells at
        # bare bars.
        shown = html.escape(names, quote=False).replace("|", "&#124;")
        rows.append(f"| <code>{shown}</code> | {_flat(about)} |")
    head = ["", "| option | does |", "| --- | --- |"] if rows else []
    paragraphs = [_flat(part) for part in (command.help or "").split("\n\n")]
    return "\n".join(["\n\n".join(paragraphs), *head, *rows])


def _flat(text: str) -> str:
    """A text on one line, safe in a table."""
    return html.escape(" ".join(text.split()), quote=False).replace("|", "&#124;")
