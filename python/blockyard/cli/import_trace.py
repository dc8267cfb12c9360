"""`blockyard import trace`: each IO that another program recorded, as a run."""

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from blockyard._core import MachineError, RunError
from blockyard.cli import options, running
from blockyard.cli.observe import said
from blockyard.cli.status import CommandError, Status, reason
from blockyard.runs import execution

EXAMPLE = """\b
Examples:
  blockyard import trace nvme1n1.blktrace.0 -o tuesday
  blockyard import trace biosnoop.txt --interval 100ms
  blockyard import trace prxy_0.csv.gz --format msr --device prxy.0
"""


def command(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A trace of blktrace, blkparse, ftrace, perf script, biosnoop or fio, one of a "
            "public collection, or the ios.csv of a run. May be packed.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="DIR",
            help="A new run directory. By default runs/DATE-NAME.",
        ),
    ] = None,
    trace_format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="Its format, if its content does not show it: "
            "docs/reference/foreign.md lists them.",
        ),
    ] = None,
    device: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Take this device alone; may be repeated. By default all."
        ),
    ] = None,
    interval: Annotated[str, typer.Option(metavar="TIME", help="Length of an interval.")] = "1s",
    as_json: options.Json = False,
) -> int:
    """Import a trace of IO as a run directory, as `observe --io-log` makes one.

    What its format does not record, the run does not say: without ends it has no latencies, without
    beginnings no arrivals.
    """
    from blockyard.cli.observe_display import live
    from blockyard.formats import trace_import

    asked = {"format": trace_format, "device": device or [], "interval": interval}
    with ExitStack() as stack:
        path = out or running.dated(trace_import.name_of(source))
        stop = stack.enter_context(execution.stopping_on_signals())
        directory = stack.enter_context(running.opened(path))
        view = stack.enter_context(live())
        try:
            text = trace_import.imported(source, path.name, directory, asked, stop=stop, view=view)
        except MachineError:
            raise
        except RunError as error:
            raise CommandError(f"{path}: {error}", Status.FAILED) from error
        except OSError as error:
            if error.filename is not None and Path(error.filename) == source:
                raise CommandError(f"{source}: {reason(error)}", Status.BAD_INPUT) from error
            message = f"{error.filename or path}: nothing kept: {reason(error)}"
            raise CommandError(message, Status.FAILED) from error
    return Status.INTERRUPTED if text is None else said(text, path, as_json=as_json)
