"""All commands as parts of a reference page, which leaves the details to their `--help`."""

import html
from collections.abc import Iterator

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup

from blockyard.cli.program import group

Command = TyperCommand | TyperGroup


def parts() -> dict[str, str]:
    """The page's parts by name: the program and each command."""
    return {name: _text(name, command) for name, command in commands()}


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


def _text(name: str, command: Command) -> str:
    """What a command does, its options by name, and an example."""
    about, *_ = (command.help or "").split("\n\n")
    parts = [_flat(about)]
    options = ", ".join(f"`{option}`" for option in _options(name, command))
    if options:
        parts.append(f"Options: {options}.")
    if isinstance(command, TyperCommand):
        parts += [f"Example: `{line.strip()}`" for line in (command.epilog or "").splitlines()[2:3]]
    return "\n\n".join(parts)


def _options(name: str, command: Command) -> Iterator[str]:
    """The long names of a command's options that its help shows."""
    context = typer.Context(command, info_name=name)
    for parameter in command.params:
        if parameter.get_help_record(context) and not isinstance(parameter, TyperArgument):
            yield max(parameter.opts, key=len)


def _flat(text: str) -> str:
    """A text on one line, without what Markdown would take for HTML."""
    return html.escape(" ".join(text.split()), quote=False)
