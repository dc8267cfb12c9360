"""`blockyard import fio`: a scenario from a job file or a command line of fio."""

import os
import re
from pathlib import Path
from typing import Annotated

import typer

from blockyard.cli import files, running
from blockyard.cli.status import CommandError, Status
from blockyard.formats.fio import command_line, jobfile, values
from blockyard.formats.fio.importing import Imported, Origin, scenario_of
from blockyard.formats.fio.load import Missing
from blockyard.formats.fio.settings import Settings

EXAMPLE = """\b
Examples:
  blockyard import fio randread.fio -o randread.yaml
  blockyard import fio device.fio --size 400GiB --runtime 5m --lenient
  blockyard import fio -- fio --name=r --rw=randread --size=9g --runtime=60 --direct=1
"""


def fio(
    source: Annotated[
        list[str],
        typer.Argument(metavar="JOB.fio", help="A fio job file, or a command line after `--`."),
    ],
    out: files.Out = None,
    size: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Size for jobs that state none, such as 400GiB; fio would use the whole device.",
        ),
    ] = None,
    runtime: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Runtime for jobs that state none, such as 5m; fio would end by their size.",
        ),
    ] = None,
    sets: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="A variable of the file, or a fio option of all its jobs, such as iodepth=8. "
            "Repeatable.",
        ),
    ] = None,
    lenient: Annotated[
        bool,
        typer.Option(
            "--lenient",
            help="Assume what the file leaves open, such as IO past the page cache; each "
            "assumption stands in the scenario. What would change the load stays an error.",
        ),
    ] = False,
) -> None:
    """Make a scenario from a fio job file, or a command line of fio.

    The scenario's storage is a placeholder large enough for the files. An option that
    changes the load and that a scenario cannot express is an error.
    """
    missing = Missing(
        size=None if size is None else _size(size),
        runtime=None if runtime is None else _time(runtime),
    )
    settings = Settings(dict(map(_setting, sets or [])), os.environ)
    try:
        made = _imported(source, settings, missing, lenient=lenient)
    except jobfile.JobFileError as error:
        raise CommandError(str(error).splitlines(), Status.BAD_INPUT) from error
    files.warn(f"assumed: {line}" for line in made.assumed)
    files.write(made.text, out)


def _imported(
    source: list[str], settings: Settings, missing: Missing, *, lenient: bool
) -> Imported:
    path = Path(source[0])
    with running.reading(path):
        if command_line.is_command(source):
            jobs, origin = command_line.read(source, settings)
        else:
            jobs, origin = jobfile.read(path, settings), Origin.of_file(path)
    jobfile.override(jobs, settings)
    return scenario_of(jobs, origin, missing=missing, lenient=lenient)


def _size(text: str) -> int:
    """Return a size given in scenarios' units, in which GiB is binary, unlike in fio's."""
    size = values.size(text, kb_base="1000") if re.fullmatch(r"\d+([KMGT]i)?B", text) else 0
    if not size:
        message = f"--size: `{text}`; expected a whole size such as 400GiB"
        raise CommandError(message, Status.BAD_INPUT)
    return size


def _time(text: str) -> int:
    time = values.time(text) if re.fullmatch(r"\d+(s|m|h|d|ms)?", text) else 0
    if not time:
        message = f"--runtime: `{text}`; expected a whole time such as 60s or 5m"
        raise CommandError(message, Status.BAD_INPUT)
    return time


def _setting(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not (name and separator):
        raise CommandError(f"--set: `{text}`; expected NAME=VALUE", Status.BAD_INPUT)
    return name.strip(), value.strip()
