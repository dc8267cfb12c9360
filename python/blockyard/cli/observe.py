"""`blockyard observe`: what a real workload does to this machine's devices."""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, cast

import typer

from blockyard._core import MachineError, RunError
from blockyard.cli import observed, options, running, streams
from blockyard.cli.status import CommandError, Status, reason
from blockyard.runs import execution
from blockyard.runs.execution import NotKeptError
from blockyard.runs.execution.observe import observe
from blockyard.types.result import Result

EXAMPLE = """\b
Examples:
  blockyard observe --duration 1m
  blockyard observe --device nvme1n1 --unit postgresql --duration 10m --out tuesday
  blockyard observe --device nvme1n1 --volume gp3,iops=3000 --instance m5.large --duration 5m
  blockyard observe --device /var/lib/mysql --interval 100ms
  blockyard observe --unit postgresql --calls --duration 1m
  blockyard observe --live --metrics 127.0.0.1:9400
"""


def command(
    device: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A block device, as nvme1n1 or /dev/vg0/data, or a folder on one; may be "
            "repeated. By default all disks.",
        ),
    ] = None,
    pid: Annotated[
        list[int] | None,
        typer.Option(
            metavar="PID",
            min=1,
            max=2**32 - 1,
            help="List this process alone; may be repeated. The observation ends with them.",
        ),
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(metavar="UNIT", help="List the processes of this systemd unit alone."),
    ] = None,
    duration: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="How long to observe; by default until stopped."),
    ] = None,
    interval: Annotated[
        str, typer.Option(metavar="TIME", help="Time between two samples, 100ms to 1m.")
    ] = "1s",
    counters: Annotated[
        bool,
        typer.Option(
            "--counters",
            help="Read counters alone, even where each IO could be seen: means, no percentiles.",
        ),
    ] = False,
    buffer: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Memory for the events of each processor, 8KiB to 1GiB; by default a share of "
            "128MiB, 4MiB at least.",
        ),
    ] = None,
    io_log: Annotated[
        bool, typer.Option("--io-log", help="Write every IO to ios.csv; needs root.")
    ] = False,
    calls: Annotated[
        bool,
        typer.Option(
            "--calls",
            help="Write every IO to ios.csv, and to calls.parquet every call by which the "
            "processes of --pid or --unit read, wrote and synced; needs root.",
        ),
    ] = False,
    volume: observed.Volumes = None,
    instance: observed.Instance = None,
    on: observed.On = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="A new run directory. By default runs/DATE-observed."),
    ] = None,
    full_screen: options.Live = False,
    metrics: options.Metrics = None,
    as_json: options.Json = False,
) -> int:
    """Observe what a real workload does to this machine's block devices.

    Reads the kernel's counters and changes nothing: IOPS, throughput, sizes, mean latencies, and
    which processes read and wrote. Root sees each IO by tracepoints: percentiles, and the time in
    this machine's queues apart from that in the device. At the end it says whether it was the
    drive that the load waited for, as far as that can be told.
    """
    from blockyard.cli.observe_display import live

    storage = observed.known(volume, instance, on)

    arguments = {
        "device": device or [],
        "pid": pid or [],
        "unit": unit,
        "duration": duration,
        "interval": interval,
        "counters": counters,
        "buffer": buffer,
    }
    path = out or running.dated("observed")
    with ExitStack() as stack:
        stop = stack.enter_context(execution.stopping_on_signals())
        directory = stack.enter_context(running.opened(path))
        shown = stack.enter_context(live(path.name, metrics, full_screen=full_screen))
        view = storage.watching(shown)
        try:
            kept = {"io_log": io_log, "calls": calls}
            known = storage.here if storage.is_said else None
            text = observe(
                path.name, directory, arguments, **kept, storage=known, stop=stop, view=view
            )
        except MachineError:
            raise
        except RunError as error:
            raise CommandError(f"{path}: {error}", Status.FAILED) from error
        except NotKeptError as error:
            _show(error.text, None, as_json=as_json)
            message = f"{path}: nothing kept: {reason(error)}"
            raise CommandError(message, Status.FAILED) from error
        except OSError as error:
            message = f"{path}: nothing kept: {reason(error)}"
            raise CommandError(message, Status.FAILED) from error
    return Status.INTERRUPTED if text is None else said(text, path, as_json=as_json)


def _show(text: str, path: Path | None, *, as_json: bool) -> None:
    """Print a result; of one that could not be kept, which has no path, its figures alone."""
    from blockyard.words import summary

    if as_json:
        streams.say(text, end="")
    elif path is None:
        streams.say(summary.short(json.loads(text)))
    else:
        from blockyard.cli import terminal
        from blockyard.runs import directory

        console = terminal.on_stdout()
        console.print(summary.of_run(directory.read(path), console.width), crop=False)


def said(text: str, path: Path, *, as_json: bool) -> int:
    """Print the result of an observation, and return the exit status."""
    result = cast(Result, json.loads(text))
    _show(text, path, as_json=as_json)
    if result["status"] == "failed":
        raise CommandError(f"{path}: {result['reason']}", Status.FAILED)
    return Status.INTERRUPTED if result["status"] == "interrupted" else Status.DONE
