"""All commands as parts of a reference page, which leaves the details to their `--help`."""

import html
from collections import Counter
from collections.abc import Iterator

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup

from blockyard.cli.program import group

Command = TyperCommand | TyperGroup

# The page describes options whose descriptions the commands' helps repeat in this many words.
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
    texts = {name: _text(*of) for name, of in found.items()}
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


def _text(command: Command, options: list[tuple[str, str]]) -> str:
    """What a command does, its options by name, and an example."""
    about, *_ = (command.help or "").split("\n\n")
    flags = [names.split(", ")[-1].split()[0] for names, _ in options if names.startswith("-")]
    parts = [_flat(about)]
    if flags:
        parts.append(f"Options: {', '.join(f'`{flag}`' for flag in flags)}.")
    if isinstance(command, TyperCommand):
        parts += [f"Example: `{line.strip()}`" for line in (command.epilog or "").splitlines()[2:3]]
    return "\n\n".join(parts)


def _line(option: tuple[str, str]) -> str:
    names, about = option
    return f"- `{names}`: {about}"


def _flat(text: str) -> str:
    """A text on one line, without what Markdown would take for HTML."""
    return html.escape(" ".join(text.split()), quote=False)
