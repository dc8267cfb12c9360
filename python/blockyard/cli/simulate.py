"""`blockyard simulate`: scenarios in virtual time."""

import functools
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from blockyard.cli import options, running
from blockyard.cli.completion import values
from blockyard.runs import execution
from blockyard.runs.execution import Outcome, RunSpec
from blockyard.runs.execution.simulate import PLAIN, Options, simulate

EXAMPLE = """\b
Examples:
  blockyard simulate scenarios/intersystems-2022/b080.yaml --out b080
  blockyard simulate scenarios/examples/gp3.yaml --set storage.data.iops=6000 --check
  blockyard simulate scenarios/intersystems-2022/*.yaml --json > results.json
"""


Seeds = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Simulate with N seeds in all and report ranges. By default 8, fewer where these "
        "would take more than some seconds; 1 for a scenario with repeats.",
    ),
]


Advice = Annotated[
    bool,
    typer.Option(
        "--advice/--no-advice",
        help="Also try what would help, limit by limit, for the report. That takes up to some "
        "seconds.",
    ),
]


def command(
    scenarios: Annotated[
        list[Path],
        typer.Argument(
            metavar="SCENARIO",
            help="Scenario files (YAML or JSON).",
            autocompletion=values.scenarios,
        ),
    ],
    out: options.Out = None,
    seed: options.Seed = None,
    seeds: Seeds = None,
    advice: Advice = True,
    sets: options.Sets = None,
    show: options.Show = False,
    as_json: options.Json = False,
    check: options.Check = False,
    io_log: options.IoLog = False,
) -> int:
    """Simulate scenarios in virtual time and write a run directory for each.

    Several scenarios, and repeats, run on all cores. Repeats are runs NAME, NAME-2, NAME-3
    and so on, each with the next seed. A run directory holds the run with the scenario's
    own seed; for further seeds its result has ranges of the main figures, and how many met
    each goal.
    """
    files = [running.read(path, sets, seed) for path in scenarios]
    if show:
        return running.show(files)
    runs = [run for file in files for run in file.runs()]
    for run in runs:
        run.scenario.check_simulation()
    paths = running.places(runs, out)
    outcomes = carry_out(runs, paths, Options(io_log, seeds, advice))
    return running.report(paths, outcomes, as_json=as_json, check=check)


def carry_out(
    runs: Sequence[RunSpec], paths: Sequence[Path], options: Options = PLAIN
) -> list[Outcome | BaseException | None]:
    """Simulate into run directories, with progress; return outcomes or errors in order.

    Without a number of seeds with as many as take little time, but with one of a scenario with
    repeats, which are further seeds themselves.
    None stands for a run that had not started when a signal stopped the others.

    Raises CommandError before anything runs if a directory cannot be made.
    """
    from blockyard.cli.progress import progress

    with ExitStack() as stack:
        stop = stack.enter_context(execution.stopping_on_signals())
        directories = [stack.enter_context(running.opened(path)) for path in paths]
        views = stack.enter_context(progress(runs))
        return execution.in_parallel(
            [
                functools.partial(
                    simulate,
                    run,
                    directory,
                    options=options.for_repeat() if run.repeated else options,
                    stop=stop,
                    view=view,
                )
                for run, directory, view in zip(runs, directories, views, strict=True)
            ]
        )
