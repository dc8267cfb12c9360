"""`blockyard bench`: a scenario on real storage."""

from collections.abc import Mapping
from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from blockyard.cli import options, running
from blockyard.cli.completion import values
from blockyard.runs import execution
from blockyard.runs.execution import Outcome, RunSpec
from blockyard.runs.execution.bench import bench

EXAMPLE = """\b
Examples:
  blockyard bench scenarios/examples/gp3.yaml --map data=/mnt/data/test.dat --size 4GiB
  blockyard bench scenarios/intersystems-2022/b080.yaml --map data=/dev/vg0/data --out b080-real
  blockyard bench oltp.yaml --map data=/dev/nvme1n1 --map wij=/mnt/wij --verify
  blockyard bench scenarios/examples/open-loop.yaml --map data=null:
  blockyard bench oltp.yaml --hosts hosts.yaml --out fleet
"""


class Engine(StrEnum):
    """How IO is issued."""

    auto = "auto"
    io_uring = "io_uring"
    threads = "threads"


def command(
    scenario: options.Scenario,
    mapping: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="DEVICE=PATH",
            autocompletion=values.mappings,
            help="Map a device of the scenario to a file, created if missing, to a folder for "
            "one, to a block device, or to null: for no storage. Once per device.",
        ),
    ] = None,
    hosts: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Run on each host of a file (YAML) at one moment, by ssh. It has `hosts`, a list "
            "of {ssh: root@db1, map: {data: /dev/nvme1n1}}; what a map leaves out is as --map "
            "says.",
        ),
    ] = None,
    ssh: Annotated[
        str,
        typer.Option(
            metavar="COMMAND", help="With --hosts: ssh with its options, as 'ssh -F fleet.config'."
        ),
    ] = "ssh",
    wheel: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="With --hosts: the wheel that is copied to hosts without this version of "
            "Blockyard; by default a copy of the one that runs here.",
        ),
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Scale files so that those of the largest device take SIZE.",
        ),
    ] = None,
    overwrite: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH",
            help="Write to this target although it holds data, even an earlier run's on a "
            "block device. PATH is that of --map. Nothing mounted or in use is ever "
            "written to.",
        ),
    ] = None,
    out: options.Out = None,
    seed: options.Seed = None,
    sets: options.Sets = None,
    verify: Annotated[
        bool,
        typer.Option(
            "--verify",
            help="Write offset, generation and checksum into blocks, check every read, and "
            "read everything back at the end. A bad block exits with status 4.",
        ),
    ] = False,
    precondition: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, max=1000, help="Overwrite each target N times before the run."
        ),
    ] = 0,
    steady_stop: Annotated[
        str | None,
        typer.Option(
            metavar="WINDOW:TOLERANCE",
            help="End the run once IOPS were steady for WINDOW, as 30s:5%.",
        ),
    ] = None,
    engine: Annotated[
        Engine, typer.Option(help="How IO is issued; auto uses io_uring where available.")
    ] = Engine.auto,
    threads: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=1024,
            help="Threads that issue IO; by default one per 64 IOs in flight, at most one per "
            "processor.",
        ),
    ] = None,
    io_log: options.IoLog = False,
    full_screen: options.Live = False,
    show: options.Show = False,
    as_json: options.Json = False,
    check: options.Check = False,
) -> int:
    """Run a scenario's workload on real files and block devices.

    The workload is that of `simulate` with the same seed, and so is the form of the run
    directory. Jobs that only read never overwrite existing data.
    """
    file = running.read(scenario, sets, seed)
    if show:
        return running.show([file])
    arguments = {
        "map": [running.pair(text) for text in mapping or []],
        "size": size,
        "overwrite": overwrite or [],
        "engine": engine,
        "threads": threads,
        "verify": verify,
        "precondition": precondition,
        "steady_stop": steady_stop,
    }
    if hosts is not None:
        from blockyard.cli import bench_hosts

        bench_hosts.check_options(io_log=io_log, live=full_screen)
        fleet = bench_hosts.Fleet(hosts, ssh, wheel)
        return bench_hosts.bench(file, fleet, arguments, out, as_json=as_json, check=check)
    runs = file.runs()
    paths = running.places(runs, out)
    outcomes = [
        _carry_out(run, path, arguments, io_log=io_log, full_screen=full_screen)
        for run, path in zip(runs, paths, strict=True)
    ]
    return running.report(paths, outcomes, as_json=as_json, check=check)


def _carry_out(
    run: RunSpec,
    path: Path,
    arguments: Mapping[str, object],
    *,
    io_log: bool,
    full_screen: bool,
) -> Outcome | OSError | None:
    from blockyard.cli.live_display import live

    with ExitStack() as stack:
        stop = stack.enter_context(execution.stopping_on_signals())
        directory = stack.enter_context(running.opened(path))
        view = stack.enter_context(live(run, full_screen=full_screen))
        return running.kept(
            lambda: bench(run, directory, arguments, io_log=io_log, stop=stop, view=view)
        )
