"""Observing this machine's devices."""

import threading
from collections.abc import Mapping

from blockyard import _core
from blockyard.runs.directory import IO_LOG, LATENCY_LOG, RESULT
from blockyard.runs.execution import now, tables_of
from blockyard.runs.new_folder import NewFolder
from blockyard.runs.observer import Observer


def observe(
    name: str,
    directory: NewFolder,
    arguments: Mapping[str, object],
    *,
    io_log: bool = False,
    stop: threading.Event,
    view: Observer,
) -> str | None:
    """Observe, record into `directory` and publish it; give the text of `result.json`.

    `arguments` are the options of `blockyard observe` that say what and how, by their names:
    `{"device": ["nvme1n1"], "interval": "1s"}`. With `io_log` each IO is kept, too. Once `stop` is
    set it ends; None if it had not begun by then. Raises ScenarioError, MachineError or RunError if
    nothing can be observed, and OSError if something cannot be written.
    """
    place = directory.partial
    whole = {
        **arguments,
        "name": name,
        "started": now(),
        "latency_log": str(place / LATENCY_LOG),
        "io_log": str(place / IO_LOG) if io_log else None,
    }
    with tables_of(place, stop, view) as observer:
        text = _core.observe(observer, whole)
    if text is None:
        return None
    (place / RESULT).write_text(text, encoding="utf-8")
    directory.publish()
    return text
