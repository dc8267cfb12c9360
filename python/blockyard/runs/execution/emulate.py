"""Serving a scenario's devices in real time."""

import threading
from collections.abc import Mapping
from pathlib import Path

from blockyard.runs.directory import LATENCY_LOG
from blockyard.runs.execution import Outcome, RunSpec, now, publish, recorded
from blockyard.runs.new_folder import NewFolder
from blockyard.runs.observer import Observer

# The file that gets a line for every request, on request.
ARRIVALS = "arrivals.parquet"


def emulate(
    run: RunSpec,
    directory: NewFolder,
    arguments: Mapping[str, object],
    *,
    arrivals: bool = False,
    stop: threading.Event,
    view: Observer,
) -> Outcome:
    """Serve until the time is over or somebody stops it; record into `directory` and publish it.

    `arguments` are the options of `blockyard emulate` that say how, by their names:
    `{"as": "nbd=/tmp/gp2.sock"}`. Once `stop` is set the service ends and the run is marked
    interrupted. Raises ScenarioError, MachineError or RunError if nothing can be served, and
    OSError if something cannot be written.
    """
    place = directory.partial
    lines = place / "arrivals.csv" if arrivals else None
    whole = {
        **arguments,
        "started": now(),
        "latency_log": str(place / LATENCY_LOG),
        "arrivals": str(lines) if lines else None,
    }
    with recorded(run, place, stop, view) as observer:
        text = run.scenario.emulate(observer, whole)
    if lines:
        _compact(lines, place / ARRIVALS)
    return publish(directory, run, text)


def _compact(lines: Path, to: Path) -> None:
    """Turn the trace, which is written line by line, into a table."""
    from blockyard.runs import tables

    tables.from_csv(lines, to)
    lines.unlink()
