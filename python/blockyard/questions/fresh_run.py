"""A run that a call carries out, keeps or throws away, and reads back."""

import contextlib
import dataclasses
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from blockyard.pages.view import RunView
from blockyard.questions.arguments import Asked, Place, file_of
from blockyard.runs import directory, execution
from blockyard.runs.execution import Outcome, RunSpec
from blockyard.runs.new_folder import NewFolder


def fresh_run(
    scenario: Asked,
    sets: Mapping[str, object] | None,
    out: Place | None,
    carry_out: Callable[[RunSpec, NewFolder, threading.Event], Outcome | None],
) -> RunView:
    """A run of a scenario carried out and read back."""
    run = file_of(scenario, sets).runs()[0]
    return fresh(run.name, out, lambda folder, stop: carry_out(run, folder, stop))


def fresh(
    name: str,
    out: Place | None,
    carry_out: Callable[[NewFolder, threading.Event], object | None],
) -> RunView:
    """A run carried out and read back; under `name` where it is not kept."""
    with contextlib.ExitStack() as stack:
        if out is None:
            passing = stack.enter_context(tempfile.TemporaryDirectory(prefix="blockyard-"))
            place = Path(passing) / name
        else:
            place = Path(out)
        folder = stack.enter_context(NewFolder(place))
        stop = stack.enter_context(execution.stopping())
        outcome = carry_out(folder, stop)
        if stop.is_set() or outcome is None:
            raise KeyboardInterrupt
        made = RunView.of(directory.read(place))
        return made if out is not None else dataclasses.replace(made, path=None)
