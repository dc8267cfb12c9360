"""The help of all commands as parts of a reference page."""

import html
from collections import Counter
from collections.abc import Iterator

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup

from blockyard.cli.program import group

Command = TyperCommand | TyperGroup

# Options are described once, at the top of the page, where that saves this many words.
WORTH = 12


def parts() -> dict[str, str]:
    """The page's parts by name: the program, each command, and what commands have in common."""
    found = {name: (command, _options(name, command)) for name, command in commands()}
    times = Counter(option for _, options in found.values() for option in options)
    common = [
        option
        for option, count in times.items()
        if (count - 1) * len(_line(option).split()) >= WORTH
    ]
    texts = {name: _text(*of, common) for name, of in found.items()}
    return {**texts, "common": "\n".join(map(_line, sorted(common)))}


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


def _options(name: str, command: Command) -> list[tuple[str, str]]:
    """A command's arguments and options, and what each does."""
    context = typer.Context(command, info_name=name)
    options = []
    for parameter in command.params:
        names, about = parameter.get_help_record(context) or ("", "")
        if isinstance(parameter, TyperArgument):
            names = (parameter.metavar or "") + ("…" if parameter.nargs == -1 else "")
            about = about.removesuffix("[required]")
        options.append((names.replace("...…", "…"), _flat(about)))
    return options


def _text(command: Command, options: list[tuple[str, str]], common: list[tuple[str, str]]) -> str:
    """What a command does, and a list of its options."""
    paragraphs = [_flat(part) for part in (command.help or "").split("\n\n")]
    lines = [_line(option) for option in options if option not in common]
    shared = [
        f"`{names.split()[0].rstrip(',')}`" for names, about in options if (names, about) in common
    ]
    if shared:
        lines.append(f"- [Common](#common-options): {', '.join(shared)}.")
    if lines:
        paragraphs.append("\n".join(lines))
    return "\n\n".join(paragraphs)


def _line(option: tuple[str, str]) -> str:
    names, about = option
    return f"- `{names}`: {about}"


def _flat(text: str) -> str:
    """A text on one line, without what Markdown would take for HTML."""
    return html.escape(" ".join(text.split()), quote=False)
