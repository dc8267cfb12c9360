"""`blockyard emulate`: a scenario's devices, served in real time."""

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from blockyard.cli import options, running
from blockyard.cli.completion import values
from blockyard.cli.status import CommandError, Status
from blockyard.runs import execution
from blockyard.runs.execution.emulate import emulate

EXAMPLE = """\b
Examples:
  blockyard emulate scenarios/examples/gp2.yaml --as nbd=/tmp/gp2.sock
  blockyard emulate scenarios/examples/gp2.yaml --as block --backing /var/lib/blockyard
  blockyard emulate scenarios/intersystems-2022/b080.yaml --as fuse=/mnt/volumes --each-volume
  blockyard emulate scenarios/examples/gp2.yaml --as nbd=127.0.0.1:10809 --control /tmp/gp2.control
"""


def command(
    scenario: options.Scenario,
    front: Annotated[
        str,
        typer.Option(
            "--as",
            metavar="nbd=PATH|nbd=HOST:PORT|fuse=DIR|block",
            autocompletion=values.fronts,
            help="Serve NBD on a unix socket or at a host and port, to at most 64 clients at "
            "a time, files in a folder, or block devices of this machine.",
        ),
    ],
    device: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A device to serve, by default all; may be repeated.",
            autocompletion=values.devices,
        ),
    ] = None,
    each_volume: Annotated[
        bool,
        typer.Option(
            "--each-volume",
            help="Serve each volume instead of the stripe they form.",
        ),
    ] = False,
    backing: Annotated[
        str,
        typer.Option(
            metavar="ram|DIR|FILE",
            help="Keep data in memory, lost with the process, in sparse files in a folder, or "
            "in an existing image.",
        ),
    ] = "ram",
    control: Annotated[
        Path | None,
        typer.Option(metavar="PATH", help="Take commands on this socket; see blockyard steer."),
    ] = None,
    metrics: options.Metrics = None,
    tls_certificates: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Require TLS, with this folder's server-cert.pem and server-key.pem, and "
            "client certificates signed by ca-cert.pem. Needed to serve other hosts.",
        ),
    ] = None,
    tls_any_client: Annotated[
        bool,
        typer.Option(
            "--tls-any-client",
            help="Ask for no client certificates: anyone who reaches the port can read and "
            "write. Replaces ca-cert.pem.",
        ),
    ] = False,
    spin: Annotated[
        str,
        typer.Option(
            metavar="TIME",
            help="Busy-wait for deadlines closer than this; more exact, but takes a processor.",
        ),
    ] = "0us",
    length: Annotated[
        str | None,
        typer.Option("--for", metavar="TIME", help="How long to serve; by default until stopped."),
    ] = None,
    arrivals: Annotated[
        bool,
        typer.Option("--arrivals", help="Write every request and its times to arrivals.parquet."),
    ] = False,
    full_screen: options.Live = False,
    out: options.Out = None,
    seed: options.Seed = None,
    sets: options.Sets = None,
    show: options.Show = False,
    as_json: options.Json = False,
) -> int:
    """Serve a scenario's devices at the speed of the modelled volumes.

    Prints NAME: PLACE (SIZE, BACKING) for each once clients can connect, and serves until
    `steer stop`, Ctrl-C or a signal. The load comes from the devices' users, not from the
    scenario's jobs.
    """
    from blockyard.cli.serving import serving

    file = running.read(scenario, sets, seed)
    if show:
        return running.show([file])
    runs = file.runs()
    if len(runs) > 1:
        message = f"{scenario}: repeats: {len(runs)}; a service runs once, expected 1"
        raise CommandError(message, Status.BAD_INPUT)
    arguments = {
        "as": front,
        "devices": device or [],
        "each_volume": each_volume,
        "backing": backing,
        "control": None if control is None else str(control),
        "tls_certificates": None if tls_certificates is None else str(tls_certificates),
        "tls_any_client": tls_any_client,
        "spin": spin,
        "for": length,
    }
    paths = running.places(runs, out)
    with ExitStack() as stack:
        stop = stack.enter_context(execution.stopping_on_signals())
        directory = stack.enter_context(running.opened(paths[0]))
        ready = sys.stderr if as_json else sys.stdout
        view = stack.enter_context(serving(runs[0].name, ready, metrics, full_screen=full_screen))
        outcome = running.kept(
            lambda: emulate(runs[0], directory, arguments, arrivals=arrivals, stop=stop, view=view)
        )
    return running.report(paths, [outcome], as_json=as_json, check=False)
