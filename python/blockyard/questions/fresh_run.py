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
    """A run carried out and read back."""
    run = file_of(scenario, sets).runs()[0]
    kept = out is not None
    with contextlib.ExitStack() as stack:
        if out is None:
            passing = stack.enter_context(tempfile.TemporaryDirectory(prefix="blockyard-"))
            out = Path(passing) / run.name
        folder = stack.enter_context(NewFolder(Path(out)))
        stop = stack.enter_context(execution.stopping())
        outcome = carry_out(run, folder, stop)
        if stop.is_set() or outcome is None:
            raise KeyboardInterrupt
        made = RunView.of(directory.read(Path(out)))
        return made if kept else dataclasses.replace(made, path=None)
