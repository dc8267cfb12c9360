"""All commands as parts of a reference page, which leaves the details to their `--help`."""

import html
from collections.abc import Iterator
from textwrap import fill

from typer.core import TyperCommand, TyperGroup

from blockyard.cli.program import group

Command = TyperCommand | TyperGroup


# A group whose commands are a list of their own.
LISTED = "steer"

# The pages that describe commands at length.
DESCRIBED = {
    "bench": "../bench.md",
    "capacity": "../howto/how-much-can-it-take.md",
    "catalog volumes": "catalog.md",
    "compare": "comparison.md",
    "cost": "cost.md",
    "describe": "../howto/observe.md#describe-its-load",
    "emulate": "../emulate.md",
    "export fio": "fio.md#out",
    "export trace": "../howto/replay.md#for-fio",
    "fit": "../howto/own-profile.md",
    "import aws": "../howto/aws-account.md",
    "import demand": "../howto/days.md",
    "import fio": "fio.md",
    "import trace": "foreign.md#traces",
    "observe": "../howto/observe.md",
    "plan": "../plan.md",
    "playground": "../howto/ask-a-report.md#without-a-run",
    "prices import": "prices.md",
    "provision": "../howto/provision.md",
    "report": "../howto/read-a-result.md#look-at-it",
    "simulate": "../howto/read-a-result.md",
    "sweep": "../howto/sweep.md",
    "what-if": "../howto/how-much-can-it-take.md#what-more-would-bring",
}


def parts() -> dict[str, str]:
    """The page's parts by name: all commands, and the group that has a list of its own."""
    found = dict(commands())
    unknown = DESCRIBED.keys() - found.keys()
    if unknown:
        raise ValueError(f"no such command: {', '.join(sorted(unknown))}")
    listed = {name: found.pop(name) for name in list(found) if name.startswith(f"{LISTED} ")}
    return {
        "commands": fill(", ".join(map(_command, found)), 100, break_on_hyphens=False),
        LISTED: "\n".join(_example(command) for command in listed.values()),
    }


def commands() -> Iterator[tuple[str, Command]]:
    """Each command, by a name such as `catalog volumes`."""
    yield from _within(group())


def _within(group: TyperGroup, above: str = "") -> Iterator[tuple[str, Command]]:
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from _within(command, f"{above}{name} ")
        elif isinstance(command, TyperCommand):
            yield f"{above}{name}", command


def _command(name: str) -> str:
    """A command in the list of all, which `blockyard --help` describes."""
    page = DESCRIBED.get(name)
    return f"[`{name}`]({page})" if page else f"`{name}`"


def _example(command: Command) -> str:
    """A command in a list of its own: an example, and what it does."""
    example = (command.epilog or "").splitlines()[2].strip()
    return f"- `{example}`: {_about(command)}"


def _about(command: Command) -> str:
    """What a command does."""
    about, *_ = (command.help or "").split("\n\n")
    return _flat(about)


def _flat(text: str) -> str:
    """A text on one line, without what Markdown would take for HTML."""
    return html.escape(" ".join(text.split()), quote=False)
