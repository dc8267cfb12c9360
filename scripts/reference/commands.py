"""The list of all commands on a reference page, which leaves the rest to their `--help`."""

from collections.abc import Iterator
from textwrap import wrap

from typer.core import TyperCommand, TyperGroup

from blockyard.cli.program import group

# The pages that describe commands at length.
DESCRIBED = {
    "bench": "../bench.md",
    "capacity": "../howto/how-much-can-it-take.md",
    "catalog volumes": "catalog.md",
    "compare": "comparison.md",
    "cost": "cost.md",
    "describe": "../howto/replay.md#describe-it",
    "emulate": "../emulate.md",
    "export fio": "fio.md#out",
    "export trace": "replay.md#for-fio",
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
    "steer": "#steer",
    "sweep": "../howto/sweep.md",
    "what-if": "../howto/how-much-can-it-take.md#what-more-would-bring",
}

# Stands for a space within a command's name, at which no line ends.
GLUE = "\0"


def text() -> str:
    """The names of all commands, each a link to the page that describes it."""
    names = list(_commands(group()))
    unknown = DESCRIBED.keys() - names
    if unknown:
        raise ValueError(f"no such command: {', '.join(sorted(unknown))}")
    links = ", ".join(_link(name).replace(" ", GLUE) for name in names)
    lines = wrap(links, 100, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace(GLUE, " ")


def _commands(group: TyperGroup, above: str = "") -> Iterator[str]:
    """Commands by names such as `catalog volumes`; a group that has arguments itself is one."""
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup) and not command.params:
            yield from _commands(command, f"{above}{name} ")
        elif isinstance(command, TyperCommand | TyperGroup):
            yield f"{above}{name}"


def _link(name: str) -> str:
    page = DESCRIBED.get(name)
    return f"[`{name}`]({page})" if page else f"`{name}`"
