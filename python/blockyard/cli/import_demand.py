"""`blockyard import demand`: load by interval, for a job of kind `demand`."""

from pathlib import Path
from typing import Annotated

import typer

from blockyard.cli import files
from blockyard.cli.running import reading

EXAMPLE = """\b
Examples:
  blockyard import demand iostat.txt --device nvme1n1 -o day.csv
  blockyard import demand load.parquet -o day.csv
"""


def command(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A run directory, or output of iostat, sar and the like; or a Parquet "
            "table with the columns at, reads, writes and size.",
        ),
    ],
    device: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The device, where the file has several."),
    ] = None,
    out: files.Out = None,
) -> None:
    """Write what a file shows of a device's load as a demand: a CSV line each interval."""
    from blockyard.questions.demand_file import demand_of

    with reading(source):
        text = demand_of(source, device)
    files.write(text, out)
