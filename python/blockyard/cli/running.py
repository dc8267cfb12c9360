"""What all commands that run scenarios share: reading them, placing results, ending."""

import contextlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import count
from pathlib import Path

from blockyard._core import MachineError, RunError
from blockyard.cli import streams
from blockyard.cli.status import CommandError, Status, reason, unwritten
from blockyard.runs.execution import NotKeptError, Outcome, RunSpec, ScenarioFile
from blockyard.runs.new_folder import NewFolder
from blockyard.types.result import Result


def read(path: Path, sets: Sequence[str] | None, seed: int | None) -> ScenarioFile:
    """A scenario file with the overrides of `--set` and `--seed`."""
    overrides = [*(sets or []), *([] if seed is None else [f"seed={seed}"])]
    with reading(path):
        return ScenarioFile.read(path, overrides)


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Say in one line why a file cannot be read, or written."""
    try:
        yield
    except OSError as error:
        raise CommandError(
            f"{error.filename or path}: {reason(error)}", unwritten(error)
        ) from error
    except UnicodeDecodeError as error:
        raise CommandError(f"{path}: not UTF-8 text", Status.BAD_INPUT) from error


def pair(text: str) -> tuple[str, str]:
    """DEVICE=PATH, the value of `--map`, as a pair."""
    device, separator, path = text.partition("=")
    if not (device and separator and path):
        raise CommandError(f"--map: `{text}`; expected DEVICE=PATH", Status.BAD_INPUT)
    return device, path


def show(files: Sequence[ScenarioFile]) -> Status:
    """Print the effective scenarios, for `--show`."""
    streams.say("---\n".join(file.scenario().show() for file in files), end="")
    return Status.DONE


def places(runs: Sequence[RunSpec], out: Path | None) -> list[Path]:
    """The run directory of each run."""
    for name, times in Counter(run.name for run in runs).items():
        if times > 1:
            raise CommandError(
                f"{times} runs are named {name}; runs are filed under their names, which must "
                "differ",
                Status.BAD_INPUT,
            )
    if out is None:
        return [dated(run.name) for run in runs]
    if len(runs) == 1:
        return [out]
    if out.exists():
        raise CommandError(f"{out}: exists already; it is not overwritten", Status.BAD_INPUT)
    return [out / run.name for run in runs]


def dated(name: str) -> Path:
    """A new folder under `runs`, numbered if there is already one from the same second."""
    path = Path("runs") / f"{datetime.now():%Y-%m-%d-%H%M%S}-{name}"
    candidates = (path if n == 1 else Path(f"{path}.{n}") for n in count(1))
    return next(candidate for candidate in candidates if not candidate.exists())


def opened(path: Path) -> NewFolder:
    """A run directory to fill: if it cannot be made, that is known before anything runs."""
    try:
        return NewFolder(path)
    except OSError as error:
        raise CommandError(f"{path}: {reason(error)}", unwritten(error)) from error


def kept(carry_out: Callable[[], Outcome | None]) -> Outcome | OSError | None:
    """Carry out a run; give why its directory cannot be written, for `report` to tell."""
    try:
        return carry_out()
    except (MachineError, RunError):
        raise
    except OSError as error:
        return error


def report(
    paths: Sequence[Path],
    outcomes: Sequence[Outcome | BaseException | None],
    *,
    as_json: bool,
    check: bool,
) -> int:
    """Print the results in the order of the runs, and return the exit status."""
    done = [
        (path, run) for path, run in zip(paths, outcomes, strict=True) if isinstance(run, Outcome)
    ]
    shown = [
        found for path, run in zip(paths, outcomes, strict=True) if (found := _shown(path, run))
    ]
    if as_json and len(paths) == 1:
        streams.say("".join(run.text for _, run in shown), end="")
    elif as_json:
        streams.say(json.dumps([run.result for _, run in shown], indent=2))
    else:
        from blockyard.cli import terminal
        from blockyard.words import summary

        console = terminal.on_stdout()
        for kept_in, run in shown:
            width = console.width
            said = summary.of(run.result, kept_in, run.facts, width, run.advice)
            # A terminal breaks a long path itself, so that it can be copied.
            console.print(said, crop=False)
    failed = [
        f"{path}: nothing kept: {reason(error)}"
        for path, error in zip(paths, outcomes, strict=True)
        if isinstance(error, BaseException)
    ]
    failed += [
        f"{path}: {run.result['reason']}" for path, run in done if run.result["status"] == "failed"
    ]
    if failed:
        raise CommandError(failed, Status.FAILED)
    if len(done) < len(paths):
        return Status.INTERRUPTED
    return _status([run.result for _, run in done], check=check)


def _shown(
    path: Path, outcome: Outcome | BaseException | None
) -> tuple[Path | None, Outcome] | None:
    """Figures to show and where they are kept: some could not be, and are shown all the same."""
    if isinstance(outcome, NotKeptError) and outcome.outcome:
        return None, outcome.outcome
    return (path, outcome) if isinstance(outcome, Outcome) else None


def _status(results: Sequence[Result], *, check: bool) -> Status:
    if any(result["status"] == "interrupted" for result in results):
        return Status.INTERRUPTED
    if check and not all(goal["met"] for result in results for goal in result["goals"]):
        return Status.MISSED
    return Status.DONE
