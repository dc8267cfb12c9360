"""`blockyard describe`: the load of a run as a scenario."""

from pathlib import Path
from typing import Annotated

import typer

from blockyard.cli import files, observed, running, streams

EXAMPLE = """\b
Examples:
  blockyard describe tuesday -o load.yaml
  blockyard describe tuesday --on scenarios/examples/gp3.yaml --map data=nvme1n1
"""


def command(
    run: Annotated[
        Path,
        typer.Argument(
            metavar="RUN",
            help="A run directory, or output of iostat, sar and the like. Of a run with --io-log "
            "the sequential share is known.",
        ),
    ],
    on: Annotated[
        Path | None,
        typer.Option(
            "--on",
            metavar="SCENARIO",
            help="The layout that has the load; by default the run's own, or a gp3 volume for "
            "each device that was observed.",
        ),
    ] = None,
    mapped: observed.Mapped = None,
    out: files.Out = None,
) -> None:
    """Write the load of a run as a scenario: rates over time, sizes, reads and writes.

    Its jobs are open loops: IOs come when they came, however long earlier ones take. Of a run with
    --calls, threads that waited for their IO are closed loops with think times. What else to know
    stands at its head.
    """
    from blockyard.questions.describe import describe

    with running.reading(run):
        described = describe(run, on, dict(map(running.pair, mapped or [])))
    files.write(described.text, out)
    if out is not None:
        for line in described.error:
            streams.say(f"{line[0].upper()}{line[1:]}.")
