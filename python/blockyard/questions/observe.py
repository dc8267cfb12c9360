"""Observe a real workload on this machine's devices."""

import threading
import warnings
from collections.abc import Sequence
from pathlib import Path

from blockyard.pages.view import RunView
from blockyard.questions.arguments import Asked, Place, in_python_words
from blockyard.questions.fresh_run import fresh
from blockyard.questions.known_storage import KnownStorage
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
    volume: str | Sequence[str] = (),
    instance: str | None = None,
    on: Asked | None = None,
    out: Place | None = None,
) -> RunView:
    """Observe what this machine does to its block devices for `duration`, as `"1m"`.

    `device`, `pid` and `unit` choose devices and processes, by default all. Nothing is changed on
    the machine. With `counters` each IO is not looked at, even where it could be. `buffer` is the
    memory for the events of each processor, as `"16MiB"`. With `out` the run is kept there, with
    `io_log` each IO, too, with `calls` also each call of the processes. `volume` says what the
    devices are, as `"gp3,iops=3000"` or `"nvme1n1=gp2,size=200GiB"`, `instance` what they are on,
    `on` both as a scenario: the run's `drive` compares with it.

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
    name = Path(out).name if out is not None else "observed"
    storage = KnownStorage.of(volume, instance, on)
    known = storage.here if storage.is_said else None

    def carry_out(folder: NewFolder, stop: threading.Event) -> str | None:
        kept = {"io_log": io_log, "calls": calls}
        view = storage.watching(Warnings())
        return mode.observe(name, folder, arguments, **kept, storage=known, stop=stop, view=view)

    return fresh(name, out, carry_out)


class Warnings(Observer):
    """Shows nothing but warnings, as Python's."""

    def warn(self, message: str) -> None:
        """Pass it on."""
        warnings.warn(message, stacklevel=2)
