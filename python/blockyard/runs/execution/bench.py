"""Running a scenario on real storage."""

import threading
from collections.abc import Mapping

from blockyard.runs.directory import IO_LOG, LATENCY_LOG
from blockyard.runs.execution import Outcome, RunSpec, carried_out, now
from blockyard.runs.new_folder import NewFolder
from blockyard.runs.observer import Observer


def bench(
    run: RunSpec,
    directory: NewFolder,
    arguments: Mapping[str, object],
    *,
    io_log: bool = False,
    stop: threading.Event,
    view: Observer,
) -> Outcome | None:
    """Run on real storage, record into `directory` and publish it.

    `arguments` are the options of `blockyard bench` that say how, by their names:
    `{"map": [("data", "/mnt/data")], "size": "4GiB"}`. Once `stop` is set the run ends
    at once and is marked interrupted; None if nothing was measured by then. Raises
    ScenarioError, MachineError or RunError if it cannot be run, and OSError if something
    cannot be written.
    """
    place = directory.partial
    whole = {
        **arguments,
        "started": now(),
        "latency_log": str(place / LATENCY_LOG),
        "io_log": str(place / IO_LOG) if io_log else None,
    }
    return carried_out(
        run, directory, lambda observer: run.scenario.bench(observer, whole), stop, view
    )
