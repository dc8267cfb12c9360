"""`blockyard export trace`: recorded IOs for fio, or as a table."""

from pathlib import Path
from typing import Annotated

import typer

from blockyard.cli import files, running, streams
from blockyard.cli.status import CommandError, Status

EXAMPLE = """\b
Examples:
  blockyard export trace tuesday -o tuesday.iolog --map nvme1n1=/dev/sdb
  blockyard export trace tuesday -o tuesday.parquet
"""


def command(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="RUN", help="A run directory with ios.csv; for fio also any trace itself."
        ),
    ],
    out: Annotated[
        Path,
        typer.Option("-o", "--out", metavar="FILE", help="A new file, NAME.iolog or NAME.parquet."),
    ],
    mapping: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="DEVICE=PATH",
            help="The file or block device where fio shall replay a device's IO; by default its "
            "name.",
        ),
    ] = None,
) -> None:
    """Write recorded IOs as an iolog that fio replays, version 3, or as a Parquet table.

    IOs come at their times. fio writes to what it replays on.
    """
    from blockyard.formats import trace_export

    if out.suffix not in (".iolog", ".parquet"):
        message = f"{out}: expected a name that ends in .iolog or .parquet"
        raise CommandError(message, Status.BAD_INPUT)
    files.check_new(out)
    paths = dict(running.pair(text) for text in mapping or [])
    with running.reading(source):
        if out.suffix == ".parquet":
            count = trace_export.to_parquet(source, out)
        else:
            count = trace_export.to_iolog(source, out, paths)
    streams.say(f"{count:,} IOs in {out}")
