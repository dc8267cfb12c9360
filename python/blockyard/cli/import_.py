"""`blockyard import`: scenarios from the files of other tools."""

import os
import re
from pathlib import Path
from typing import Annotated

import typer

from blockyard.cli import files, import_aws, listing, running
from blockyard.cli.status import CommandError, Status
from blockyard.formats.fio import jobfile, values
from blockyard.formats.fio.importing import scenario_of

EXAMPLE = """\b
Examples:
  blockyard import fio randread.fio -o randread.yaml
  blockyard import fio device.fio --size 400GiB --lenient
"""

app = typer.Typer(
    help="Import another tool's file as a scenario.",
    cls=listing.Group,
    rich_markup_mode=None,
    epilog=EXAMPLE + import_aws.EXAMPLE.partition("\n")[2].partition("\n")[2],
)
app.command("aws", epilog=import_aws.EXAMPLE)(import_aws.command)


@app.callback()
def _group() -> None:
    """Import another tool's file as a scenario."""


@app.command("fio", epilog=EXAMPLE)
def fio(
    job_file: Annotated[Path, typer.Argument(metavar="JOB.fio", help="A fio job file.")],
    out: files.Out = None,
    size: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Size for jobs that state none, such as 400GiB; fio would use the whole device.",
        ),
    ] = None,
    lenient: Annotated[
        bool,
        typer.Option(
            "--lenient", help="Omit what a scenario cannot express, with a warning for each."
        ),
    ] = False,
) -> None:
    """Make a scenario from a fio job file.

    The scenario's storage is a placeholder large enough for the files. An option that
    changes the load and that a scenario cannot express is an error.
    """
    whole_file = None if size is None else _size(size)
    try:
        with running.reading(job_file):
            jobs = jobfile.read(job_file, os.environ)
        made = scenario_of(jobs, job_file, whole_file=whole_file, lenient=lenient)
    except jobfile.JobFileError as error:
        raise CommandError(str(error).splitlines(), Status.BAD_INPUT) from error
    files.warn(f"left out: {line}" for line in made.left_out)
    files.write(made.text, out)


def _size(text: str) -> int:
    """Return a size given in scenarios' units, in which GiB is binary, unlike in fio's."""
    if not re.fullmatch(r"\d+([KMGT]i)?B", text):
        message = f"--size: `{text}`; expected a whole size such as 400GiB"
        raise CommandError(message, Status.BAD_INPUT)
    return values.size(text, kb_base="1000")
