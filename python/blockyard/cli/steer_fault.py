"""`blockyard steer PATH fault`: what can be done to storage while it is served."""

from typing import Annotated, Any

import typer

from blockyard.cli import listing
from blockyard.cli.completion import values
from blockyard.service import control

app = typer.Typer(
    help="Inject a fault, or end all faults.",
    cls=listing.Group,
    rich_markup_mode=None,
    epilog="\b\nExample:\n  blockyard steer /tmp/gp2.control fault stall --duration 30s",
)

On = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="A device or a volume; by default all.",
        autocompletion=values.steered,
    ),
]
Duration = Annotated[str | None, typer.Option(metavar="TIME", help="For how long, as 5m.")]


def _share(what: str) -> Any:
    return typer.Option(metavar="PERCENT", help=f"Share of the {what}, such as 12.5%.")


Reads = Annotated[str | None, _share("reads")]
Writes = Annotated[str | None, _share("writes")]


def _start(context: typer.Context, kind: str, **fields: object) -> None:
    """Start a fault with the fields that are stated."""
    stated = {name: value for name, value in fields.items() if value is not None}
    control.ask(context.obj, {"fault": {kind: stated}})


@app.command(
    "latency",
    epilog="\b\nExamples:\n  blockyard steer /tmp/gp2.control fault latency --pattern sustained\n"
    "  blockyard steer /tmp/gp2.control fault latency --read 5% --latency 1s --duration 3m",
)
def latency(
    context: typer.Context,
    pattern: Annotated[
        str | None,
        typer.Option(
            metavar="sustained|increasing|intermittent|decreasing",
            help="An AWS FIS scenario, instead of the next four options.",
        ),
    ] = None,
    read: Reads = None,
    write: Writes = None,
    latency: Annotated[
        str | None, typer.Option(metavar="TIME", help="Extra latency, 1ms to 60s.")
    ] = None,
    duration: Duration = None,
    on: On = None,
) -> None:
    """Delay some requests.

    Terms and patterns are those of AWS FIS (aws:ebs:volume-io-latency).
    """
    own = {"read": read, "write": write, "latency": latency, "duration": duration}
    _start(context, "latency", on=on, pattern=pattern, **own)


@app.command(
    "error",
    epilog="\b\nExample:\n  blockyard steer /tmp/gp2.control fault error --read 1% --duration 1m",
)
def error(
    context: typer.Context,
    read: Reads = None,
    write: Writes = None,
    flush: Annotated[str | None, _share("flushes")] = None,
    duration: Duration = None,
    on: On = None,
) -> None:
    """Fail a share of the requests with EIO."""
    _start(context, "error", on=on, read=read, write=write, flush=flush, duration=duration)


@app.command(
    "stall", epilog="\b\nExample:\n  blockyard steer /tmp/gp2.control fault stall --duration 30s"
)
def stall(context: typer.Context, duration: Duration = None, on: On = None) -> None:
    """Complete no requests for a time.

    Without --duration it lasts until `resume` (AWS FIS: aws:ebs:pause-volume-io).
    """
    _start(context, "stall", on=on, duration=duration)


@app.command(
    "degrade",
    epilog="\b\nExample:\n"
    "  blockyard steer /tmp/gp2.control fault degrade --share 30% --duration 5m",
)
def degrade(
    context: typer.Context,
    share: Annotated[
        str | None,
        typer.Option(metavar="PERCENT", help="Remaining share of the rates, 1% to 89%."),
    ] = None,
    duration: Duration = None,
    on: On = None,
) -> None:
    """Deliver only a share of the rates.

    Omitted values are drawn at random: 1% to 89% for 1 to 10 minutes.
    """
    _start(context, "degrade", on=on, share=share, duration=duration)


@app.command(
    "power-cut",
    epilog="\b\nExample:\n  blockyard steer /tmp/gp2.control fault power-cut --torn --seed 7",
)
def power_cut(
    context: typer.Context,
    torn: Annotated[
        bool, typer.Option("--torn", help="Leave some 4 KiB blocks half written.")
    ] = False,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Seed for which unflushed blocks are lost."),
    ] = None,
    duration: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="How long the power stays off; by default 1s."),
    ] = None,
    on: Annotated[
        str | None, typer.Option(metavar="DEVICE", help="A device; by default all.")
    ] = None,
) -> None:
    """Cut the devices' power.

    Each unflushed 4 KiB block is kept or lost at random, NBD clients are disconnected, and
    everything fails with EIO until the power is back.
    """
    _start(context, "power-cut", on=on, torn=torn, seed=seed, duration=duration)


@app.command(
    "cut",
    epilog="\b\nExample:\n"
    "  blockyard steer /tmp/mirror.control fault cut --on replication --duration 10s",
)
def cut(
    context: typer.Context,
    duration: Duration = None,
    on: Annotated[
        str | None,
        typer.Option(
            metavar="LINK", help="A link; by default all.", autocompletion=values.links_steered
        ),
    ] = None,
) -> None:
    """Take a link down for a time.

    Without --duration it lasts until `restore`.
    """
    _start(context, "cut", on=on, duration=duration)


@app.command("clear", epilog="\b\nExample:\n  blockyard steer /tmp/gp2.control fault clear")
def clear(context: typer.Context) -> None:
    """End all faults and pauses."""
    control.ask(context.obj, "clear")
