"""`blockyard simulate`: scenarios in virtual time."""

import errno
import functools
import json
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from blockyard import runs, summary
from blockyard.cli.progress import progress
from blockyard.cli.status import CommandError, Status
from blockyard.result import Result
from blockyard.rundir import RunDirectory
from blockyard.runs import Outcome, Run, ScenarioFile

EXAMPLE = """\b
Examples:
  blockyard simulate scenarios/intersystems-2022/b080.yaml --out b080
  blockyard simulate gp3.yaml --set storage.data.iops=6000 --check
  blockyard simulate scenarios/intersystems-2022/*.yaml --json > results.json
"""


def command(
    scenarios: Annotated[
        list[Path], typer.Argument(metavar="SCENARIO", help="Scenario files (YAML or JSON).")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="The run directory, which must not exist; with several runs each gets "
            "DIR/NAME. Without it: runs/DATE-NAME.",
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="The same as --set seed=N.")] = None,
    sets: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="PATH=VALUE", help="Override a value; may be repeated."),
    ] = None,
    show: Annotated[
        bool,
        typer.Option("--show", help="Print the effective scenario and where its values are from."),
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print the result as JSON; several as a list."),
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Exit with status 1 if a goal is missed.")
    ] = False,
    stepwise: Annotated[
        bool,
        typer.Option("--stepwise", help="Without the fast path: slower, the same result."),
    ] = False,
) -> int:
    """Simulate scenarios in virtual time and write a run directory for each.

    Several scenarios, and the repeats of one, run on all cores. A scenario with
    repeats gives runs NAME, NAME-2, NAME-3 and so on, each with the next seed.
    """
    overrides = [*(sets or []), *([] if seed is None else [f"seed={seed}"])]
    files = [_read(path, overrides) for path in scenarios]
    if show:
        typer.echo("---\n".join(file.scenario().show() for file in files), nl=False)
        return Status.DONE
    planned = [run for file in files for run in file.runs()]
    paths = _places(planned, out)
    outcomes = carry_out(planned, paths, stepwise=stepwise)
    return _report(paths, outcomes, as_json=as_json, check=check)


def carry_out(
    planned: Sequence[Run], paths: Sequence[Path], *, stepwise: bool = False
) -> list[Outcome | BaseException | None]:
    """Simulate into run directories, with progress; give outcomes or errors in order.

    None stands for a run that had not begun when a signal stopped the others.

    Raises CommandError before anything runs if a directory cannot be made.
    """
    with ExitStack() as stack:
        stop = stack.enter_context(runs.stopping_on_signals())
        directories = [_opened(path, stack) for path in paths]
        advance = stack.enter_context(progress(planned))
        return runs.in_parallel(
            [
                functools.partial(
                    runs.simulate, run, directory, stepwise=stepwise, stop=stop, advanced=advanced
                )
                for run, directory, advanced in zip(planned, directories, advance, strict=True)
            ]
        )


def _read(path: Path, overrides: Sequence[str]) -> ScenarioFile:
    try:
        return ScenarioFile.read(path, overrides)
    except OSError as error:
        raise CommandError(f"{path}: {_reason(error)}", Status.BAD_INPUT) from error
    except UnicodeDecodeError as error:
        raise CommandError(f"{path}: not UTF-8 text", Status.BAD_INPUT) from error


def _places(planned: Sequence[Run], out: Path | None) -> list[Path]:
    """The run directory of each run."""
    for name, times in Counter(run.name for run in planned).items():
        if times > 1:
            raise CommandError(
                f"{times} runs are named {name}; runs are filed under their names, which must "
                "differ",
                Status.BAD_INPUT,
            )
    if out is None:
        return [dated(run.name) for run in planned]
    if len(planned) == 1:
        return [out]
    if out.exists():
        raise CommandError(f"{out} exists already; a run never overwrites one", Status.BAD_INPUT)
    return [out / run.name for run in planned]


def dated(name: str) -> Path:
    """A new folder under `runs`, numbered if there is one of the same second."""
    path = Path("runs") / f"{datetime.now():%Y-%m-%d-%H%M%S}-{name}"
    candidates = (path if n == 1 else Path(f"{path}.{n}") for n in count(1))
    return next(candidate for candidate in candidates if not candidate.exists())


def _opened(path: Path, stack: ExitStack) -> RunDirectory:
    """A run directory to fill: that it cannot be made is known before anything runs."""
    try:
        return stack.enter_context(RunDirectory(path))
    except OSError as error:
        status = Status.FAILED if error.errno == errno.ENOSPC else Status.BAD_INPUT
        raise CommandError(f"{path}: {_reason(error)}", status) from error


def _report(
    paths: Sequence[Path],
    outcomes: Sequence[Outcome | BaseException | None],
    *,
    as_json: bool,
    check: bool,
) -> int:
    """Print what came out, in the order of the scenarios, and give the exit status."""
    done = [
        (path, run) for path, run in zip(paths, outcomes, strict=True) if isinstance(run, Outcome)
    ]
    if as_json and len(paths) == 1:
        typer.echo("".join(run.text for _, run in done), nl=False)
    elif as_json:
        typer.echo(json.dumps([run.result for _, run in done], indent=2))
    else:
        console = Console(highlight=False, soft_wrap=False)
        for path, run in done:
            console.print(summary.of(run.result, path))
    failed = [
        f"{path}: nothing kept: {_reason(error)}"
        for path, error in zip(paths, outcomes, strict=True)
        if isinstance(error, BaseException)
    ]
    if failed:
        raise CommandError("\n".join(failed), Status.FAILED)
    if len(done) < len(paths):
        return Status.INTERRUPTED
    return _status([run.result for _, run in done], check=check)


def _status(results: Sequence[Result], *, check: bool) -> Status:
    if any(result["status"] == "interrupted" for result in results):
        return Status.INTERRUPTED
    if check and not all(goal["met"] for result in results for goal in result["goals"]):
        return Status.MISSED
    return Status.DONE


def _reason(error: BaseException) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)
