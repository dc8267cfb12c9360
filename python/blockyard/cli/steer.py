"""`blockyard steer`: inspect and change a running service."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from blockyard.cli import listing, options, steer_fault, streams
from blockyard.cli.completion import values
from blockyard.cli.status import CommandError, Status
from blockyard.service import control

EXAMPLE = """\b
Examples:
  blockyard steer /tmp/gp2.control status
  blockyard steer /tmp/gp2.control set data.iops=6000 data.throughput=500MiB/s
  blockyard steer /tmp/gp2.control fault latency --pattern increasing
  blockyard steer /tmp/gp2.control fault power-cut --torn
"""

app = typer.Typer(
    help="Inspect and change a running service; see `blockyard emulate --control`.",
    cls=listing.Group,
    rich_markup_mode=None,
    epilog=EXAMPLE,
)
app.add_typer(steer_fault.app, name="fault")


@app.callback()
def at(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(metavar="PATH", help="The service's control socket.")],
) -> None:
    """Inspect and change a running service; see `blockyard emulate --control`."""
    context.obj = path


Name = Annotated[
    str | None,
    typer.Argument(
        metavar="[NAME]",
        help="A device or a volume; by default all.",
        autocompletion=values.steered,
    ),
]


@app.command("status", epilog="\b\nExample:\n  blockyard steer /tmp/gp2.control status --json")
def status(
    context: typer.Context,
    as_json: options.Json = False,
) -> None:
    """Print what is served, what throttled the last interval, and active faults."""
    state = control.ask(context.obj, "status")
    if as_json:
        streams.say(json.dumps(state, indent=2))
    else:
        from blockyard.cli.steer_status import show

        show(state)


@app.command(
    "set",
    epilog="\b\nExample:\n  blockyard steer /tmp/gp2.control set data.0.iops=6000 host.iops=20000",
)
def set_(
    context: typer.Context,
    values: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME=RATE...",
            autocompletion=values.limits,
            help="A limit as `status` names it, and its new rate: IOs a second, or a "
            "throughput such as 500MiB/s.",
        ),
    ],
) -> None:
    """Change the rates of limits, all or none, as an elastic modification does."""
    rates: dict[str, Any] = {}
    for value in values:
        name, equals, rate = value.partition("=")
        if not equals or name in rates:
            wrong = "is given twice" if equals else "expected NAME=RATE"
            raise CommandError(f"`{value}`: {wrong}", Status.BAD_INPUT)
        rates[name] = rate
    control.ask(context.obj, {"set": rates})


@app.command("pause", epilog="\b\nExample:\n  blockyard steer /tmp/gp2.control pause data.0")
def pause(context: typer.Context, name: Name = None) -> None:
    """Complete no requests until `resume`."""
    control.ask(context.obj, {"pause": {"on": name}})


@app.command("resume", epilog="\b\nExample:\n  blockyard steer /tmp/gp2.control resume data.0")
def resume(context: typer.Context, name: Name = None) -> None:
    """End pauses and stalls."""
    control.ask(context.obj, {"resume": {"on": name}})


Link = Annotated[
    str | None,
    typer.Argument(
        metavar="[NAME]", help="A link; by default all.", autocompletion=values.links_steered
    ),
]


@app.command("cut", epilog="\b\nExample:\n  blockyard steer /tmp/mirror.control cut replication")
def cut(context: typer.Context, name: Link = None) -> None:
    """Take a link down until `restore`.

    Mirrors wait for what they sent over it, and go on without it after its timeout.
    """
    control.ask(context.obj, {"cut": {"on": name}})


@app.command(
    "restore", epilog="\b\nExample:\n  blockyard steer /tmp/mirror.control restore replication"
)
def restore(context: typer.Context, name: Link = None) -> None:
    """End the cuts of a link.

    A link of a host or a zone that has failed stays down.
    """
    control.ask(context.obj, {"restore": {"on": name}})


@app.command("stop", epilog="\b\nExample:\n  blockyard steer /tmp/gp2.control stop")
def stop(context: typer.Context) -> None:
    """End the service.

    Its run directory is then complete.
    """
    control.ask(context.obj, "stop")
