"""`blockyard sweep`: many variants of a scenario, by axes."""

import threading
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blockyard.cli import files, options, running, streams
from blockyard.cli.completion import values
from blockyard.cli.status import CommandError, Status
from blockyard.runs import execution

if TYPE_CHECKING:
    from blockyard.sweeps.engines import Engine
    from blockyard.sweeps.making import Planned
    from blockyard.sweeps.sweep import Sweep

EXAMPLE = """\b
Examples:
  blockyard sweep sweep.yaml --out gp3-sweep
  blockyard sweep sweep.yaml --goal 'readers.latency.p99 < 2ms'
  blockyard sweep sweep.yaml --out nightly --resume --on dask=tcp://10.0.0.5:8786
"""


def command(
    sweep: Annotated[
        Path,
        typer.Argument(
            metavar="SWEEP",
            help="A sweep file (YAML or JSON): a base scenario and axes.",
            autocompletion=values.scenarios,
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The sweep's directory; by default runs/DATE-NAME."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Run only what is missing in --out.")
    ] = False,
    on: Annotated[
        str,
        typer.Option(
            metavar="ENGINE",
            help="Who runs it: threads, dask, dask=tcp://HOST:PORT, ray, or ray=ADDRESS.",
        ),
    ] = "threads",
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=4096,
            help="Threads, or processes of a local cluster; by default one for each processor.",
        ),
    ] = None,
    goals: Annotated[
        list[str] | None,
        typer.Option(
            "--goal",
            metavar="GOAL",
            help="Find the cheapest combination that meets a goal, such as 'p99 < 2ms', with few "
            "of the runs; may be repeated.",
        ),
    ] = None,
    region: options.Region = None,
    term: options.InstanceTerm = options.Term.ON_DEMAND,
    price_file: options.PriceFile = None,
    sets: options.Sets = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print how many runs there are, and run none.")
    ] = False,
    as_json: options.Json = False,
) -> int:
    """Simulate a scenario over axes: layouts, limits, loads, seeds, in every combination.

    The result is one table, a row for each run, and the latencies beside it; report draws it
    and compare sets two side by side. Combinations that the catalog refuses are counted, not
    run. First a sample is timed, which says how long the rest takes. Ctrl-C keeps what is done
    and --resume continues. With --goal only runs near the answer are made.
    """
    from blockyard.questions.sweep import Prices, plan
    from blockyard.sweeps import engines
    from blockyard.text import files as texts

    if resume and out is None:
        raise CommandError("--resume: expected --out, the sweep to continue", Status.BAD_INPUT)
    with running.reading(sweep):
        text = texts.text(sweep, texts.WRITTEN)
        prices = Prices(region, term, price_file)
        planned = plan(text, str(sweep), sweep.parent, sets or [], goals or [], prices)
    _say_runs(planned)
    if dry_run:
        return Status.DONE
    directory = out or running.dated(planned.name)
    with ExitStack() as stack:
        stop = stack.enter_context(execution.stopping_on_signals())
        try:
            engine = engines.named(on, workers)
        except engines.EngineError as error:
            raise CommandError(str(error), Status.LACKING) from error
        stack.callback(engine.close)
        made = _made(planned, directory, engine, stop, resume=resume)
    return _report(made, as_json=as_json)


def _made(
    planned: "Planned", directory: Path, engine: "Engine", stop: threading.Event, *, resume: bool
) -> "Sweep":
    from blockyard.cli.sweep_progress import progress
    from blockyard.sweeps import making

    with running.reading(directory), progress(planned.name) as view:
        try:
            return making.make(planned, directory, engine, stop, view, resume=resume)
        except making.UnusableError as error:
            raise CommandError(str(error), Status.BAD_INPUT) from error


def _say_runs(planned: "Planned") -> None:
    """How many runs there are, and which combinations are refused."""
    from blockyard.sweeps import words

    files.warn(words.ahead(planned.plan))


def _report(made: "Sweep", *, as_json: bool) -> int:
    from blockyard.sweeps import words

    about = made.about
    if as_json:
        streams.say(about.json())
    else:
        streams.say("\n".join(words.outcome(made)))
    if about.status == "interrupted":
        return Status.INTERRUPTED
    if about.found is not None:
        return Status.DONE if about.found.combination is not None else Status.MISSED
    return Status.FAILED if about.done and about.failed == about.done else Status.DONE
