"""`blockyard export`: scenarios and traces in the form of other tools."""

import difflib
import json
from collections.abc import Iterable
from typing import Annotated

import typer

from blockyard.cli import export_trace, files, listing, options, running
from blockyard.cli.completion import values
from blockyard.cli.status import CommandError, Status
from blockyard.formats.fio.exporting import exported
from blockyard.types.jobs import Jobs

EXAMPLE = """\b
Examples:
  blockyard export fio scenarios/examples/gp3.yaml -o gp3.fio
  blockyard export fio oltp.yaml --map data=/dev/nvme1n1 --set duration=1m
  blockyard export trace tuesday -o tuesday.iolog --map nvme1n1=/dev/sdb
"""

app = typer.Typer(
    help="Export a scenario or a trace for another tool.",
    cls=listing.Group,
    rich_markup_mode=None,
    epilog=EXAMPLE,
)


@app.callback()
def _group() -> None:
    """Export a scenario or a trace for another tool."""


@app.command("fio", epilog=EXAMPLE)
def fio(
    scenario: options.Scenario,
    out: files.Out = None,
    sets: options.Sets = None,
    mapping: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="DEVICE=PATH",
            autocompletion=values.mappings,
            help="The file or block device for a device of the scenario; by default ./DEVICE.dat.",
        ),
    ] = None,
    lenient: Annotated[
        bool,
        typer.Option(
            "--lenient",
            help="Write what fio can do, with a warning for the rest.",
        ),
    ] = False,
) -> None:
    """Write a fio job file that generates a scenario's load.

    fio accesses the same places as `bench`, at the same times. Anything that fio cannot do
    is an error.
    """
    loaded = running.read(scenario, sets, None).scenario()
    jobs: Jobs = json.loads(loaded.jobs())
    devices = {job["device"] for job in jobs if "device" in job}
    made = exported(loaded, _paths(mapping or [], devices))
    if made.inexact and not lenient:
        raise CommandError([f"{scenario}: {line}" for line in made.inexact], Status.BAD_INPUT)
    files.warn(f"{scenario}: {line}" for line in made.inexact)
    if not made.sections:
        raise CommandError(f"{scenario}: no job that fio can do", Status.BAD_INPUT)
    files.write(made.text(), out)


app.command("trace", epilog=export_trace.EXAMPLE)(export_trace.command)


def _paths(mapping: Iterable[str], devices: Iterable[str]) -> dict[str, str]:
    """Return the file of each device."""
    paths = {device: f"./{device}.dat" for device in sorted(devices)}
    for text in mapping:
        device, path = running.pair(text)
        if device not in paths:
            near = difflib.get_close_matches(device, list(paths), n=1)
            hint = f"; the nearest is `{near[0]}`" if near else ""
            message = f"--map: `{text}`; no job uses a device `{device}`{hint}"
            raise CommandError(message, Status.BAD_INPUT)
        if any(character in path for character in ";#$\n"):
            message = f"--map: `{text}`; a job file has no way to write ; # or $ in a path"
            raise CommandError(message, Status.BAD_INPUT)
        paths[device] = path
    return paths
