"""All commands as parts of a reference page, which leaves the details to their `--help`."""

import html
from collections.abc import Iterator

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup

from blockyard.cli.program import group

Command = TyperCommand | TyperGroup


# A group whose commands are one list, in place of a section for each.
LISTED = "steer"


def parts() -> dict[str, str]:
    """The page's parts by name: the program, each command, and the group that is a list."""
    found = dict(commands())
    listed = {name: found.pop(name) for name in list(found) if name.startswith(f"{LISTED} ")}
    lines = [_line(name, command) for name, command in listed.items()]
    texts = {name: _text(command) for name, command in found.items()}
    return texts | {LISTED: "\n".join(lines)}


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


def _text(command: Command) -> str:
    """What a command does, and an example; its `--help` has the options."""
    examples = [f"Example: `{example}`" for example in _examples(command)]
    return "\n\n".join([_about(command), *examples])


def _line(name: str, command: Command) -> str:
    """A command in a list: an example, what it does, and its options by name."""
    [example] = _examples(command)
    options = ", ".join(f"`{option}`" for option in _options(name, command))
    return f"- `{example}`: {_about(command)}" + (f" Options: {options}." if options else "")


def _about(command: Command) -> str:
    """What a command does."""
    about, *_ = (command.help or "").split("\n\n")
    return _flat(about)


def _examples(command: Command) -> list[str]:
    """The first example of a command's help; none of the program."""
    if not isinstance(command, TyperCommand):
        return []
    return [line.strip() for line in (command.epilog or "").splitlines()[2:3]]


def _options(name: str, command: Command) -> Iterator[str]:
    """The long names of a command's options that its help shows."""
    context = typer.Context(command, info_name=name)
    for parameter in command.params:
        if parameter.get_help_record(context) and not isinstance(parameter, TyperArgument):
            yield max(parameter.opts, key=len)


def _flat(text: str) -> str:
    """A text on one line, without what Markdown would take for HTML."""
    return html.escape(" ".join(text.split()), quote=False)
