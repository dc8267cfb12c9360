"""Observe a real workload on this machine's devices."""

import contextlib
import dataclasses
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path

from blockyard.pages.view import RunView
from blockyard.questions.arguments import Place, in_python_words
from blockyard.runs import directory, execution
from blockyard.runs.execution import observe as mode
from blockyard.runs.new_folder import NewFolder
from blockyard.runs.observer import Observer


@in_python_words
def observe(
    duration: str,
    *,
    device: Sequence[str] = (),
    pid: Sequence[int] = (),
    unit: str | None = None,
    interval: str = "1s",
    counters: bool = False,
    buffer: str | None = None,
    io_log: bool = False,
    calls: bool = False,
    out: Place | None = None,
) -> RunView:
    """Observe what this machine does to its block devices for `duration`, as `"1m"`.

    `device`, `pid` and `unit` choose devices and processes, by default all. Nothing is changed on
    the machine. With `counters` each IO is not looked at, even where it could be. `buffer` is the
    memory for the events of each processor, as `"16MiB"`. With `out` the run is kept there, with
    `io_log` each IO, too, with `calls` also each call of the processes.

    Raises ScenarioError for what cannot be asked, MachineError if the machine lacks something,
    RunError if nothing could be observed, FileExistsError if `out` is taken, and OSError if
    something cannot be written.
    """
    arguments = {
        "device": list(device),
        "pid": list(pid),
        "unit": unit,
        "duration": duration,
        "interval": interval,
        "counters": counters,
        "buffer": buffer,
    }
    kept = out is not None
    with contextlib.ExitStack() as stack:
        if out is None:
            passing = stack.enter_context(tempfile.TemporaryDirectory(prefix="blockyard-"))
            out = Path(passing) / "observed"
        out = Path(out)
        folder = stack.enter_context(NewFolder(out))
        stop = stack.enter_context(execution.stopping())
        text = mode.observe(
            out.name,
            folder,
            arguments,
            io_log=io_log,
            calls=calls,
            stop=stop,
            view=_Warnings(),
        )
        if stop.is_set() or text is None:
            raise KeyboardInterrupt
        made = RunView.of(directory.read(out))
        return made if kept else dataclasses.replace(made, path=None)


class _Warnings(Observer):
    """Shows nothing but warnings, as Python's."""

    def warn(self, message: str) -> None:
        warnings.warn(message, stacklevel=2)
