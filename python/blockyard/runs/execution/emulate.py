"""Serving a scenario's devices in real time."""

import os
import re
import threading
from collections.abc import Mapping
from pathlib import Path

from blockyard._core import ScenarioError
from blockyard.runs.directory import LATENCY_LOG
from blockyard.runs.execution import Outcome, RunSpec, carried_out, now
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
) -> Outcome | None:
    """Serve until the time is over or somebody stops it; record into `directory` and publish it.

    `arguments` are the options of `blockyard emulate` that say how, by their names:
    `{"as": "nbd=/tmp/gp2.sock"}`. Once `stop` is set the service ends and the run is marked
    interrupted. Raises ScenarioError, MachineError or RunError if nothing can be served, and
    OSError if something cannot be written.
    """
    _check_front(str(arguments["as"]))
    place = directory.partial
    lines = place / "arrivals.csv" if arrivals else None
    whole = {
        **arguments,
        "started": now(),
        "latency_log": str(place / LATENCY_LOG),
        "arrivals": str(lines) if lines else None,
    }

    def served(observer: Observer) -> str:
        text = run.scenario.emulate(observer, whole)
        if lines:
            try:
                _compact(lines, place / ARRIVALS)
            except OSError as error:
                observer.unwritten(error)
        return text

    return carried_out(run, directory, served, stop, view)


def _check_front(front: str) -> None:
    """Refuse a folder on which a file system is mounted: the end would unmount that, too."""
    kind, _, folder = front.partition("=")
    if kind == "fuse" and _is_mount(Path(folder)):
        message = "a file system is mounted there; expected an empty folder that is no mount point"
        raise ScenarioError(f"{folder}: {message}")


def _is_mount(folder: Path) -> bool:
    """Whether something is mounted on a folder, also another folder of the same file system.

    Not of what a dead server left: the front end names the command that clears it.
    """
    try:
        # The kernel answers `stat` from memory even if the server is dead.
        next(folder.iterdir(), None)
    except OSError:
        return False
    name = os.fsencode(folder.resolve())
    escaped = re.sub(rb"[ \t\n\\]", lambda found: b"\\%03o" % found[0][0], name)
    mounts = Path("/proc/self/mountinfo").read_bytes().splitlines()
    return any(mount.split(b" ")[4] == escaped for mount in mounts)


def _compact(lines: Path, to: Path) -> None:
    """Turn the trace, which is written line by line, into a table."""
    from blockyard.runs import tables

    tables.from_csv(lines, to)
    lines.unlink()
