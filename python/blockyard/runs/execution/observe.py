"""Observing this machine's devices, or a trace of another's."""

import contextlib
import json
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import cast

from blockyard import _core
from blockyard.runs.directory import CALLS, IO_LOG, LATENCY_LOG, RESULT, STORAGE
from blockyard.runs.execution import NotKeptError, now, tables_of
from blockyard.runs.new_folder import NewFolder
from blockyard.runs.observer import Observer
from blockyard.types.result import Result

# Bytes that a full disk still has for the ends of tables and for the result.
_ROOM = 16 << 20


def observe(
    name: str,
    directory: NewFolder,
    arguments: Mapping[str, object],
    *,
    io_log: bool = False,
    calls: bool = False,
    storage: Callable[[Mapping[str, int | None]], str] | None = None,
    stop: threading.Event,
    view: Observer,
) -> str | None:
    """Observe, record into `directory` and publish it; give the text of `result.json`.

    `arguments` are the options of `blockyard observe` that say what and how, by their names:
    `{"device": ["nvme1n1"], "interval": "1s"}`. With `io_log` each IO is kept, too, with `calls`
    also each call of the processes that are named. `storage` gives, of the sizes of the devices
    that had IO, what they are as a scenario, which is kept beside. Once `stop` is set it ends; None
    if it had not begun by then. Raises ScenarioError, MachineError or RunError if nothing can be
    observed, and OSError if something cannot be written.
    """
    log = directory.partial / IO_LOG if io_log or calls else None
    lines = directory.partial / "calls.csv" if calls else None
    whole = {
        **arguments,
        "started": now(),
        "io_log": str(log) if log else None,
        "calls": str(lines) if lines else None,
    }
    return _kept(_core.observe, name, directory, whole, stop=stop, view=view, storage=storage)


def imported(
    name: str,
    directory: NewFolder,
    arguments: Mapping[str, object],
    notices: Sequence[str] = (),
    *,
    stop: threading.Event,
    view: Observer,
) -> str | None:
    """Import a trace into `directory`, as `observe` does; None if `stop` was set.

    `arguments` are the options of `blockyard import trace`, `notices` what else is to be said of
    it. Raises ScenarioError for a trace or an
    option that cannot be, RunError and OSError if something cannot be written.
    """
    whole = {**arguments, "io_log": str(directory.partial / IO_LOG)}
    return _kept(_core.import_trace, name, directory, whole, notices, stop=stop, view=view)


def _kept(
    seen: Callable[[Observer, dict[str, object]], str | None],
    name: str,
    directory: NewFolder,
    arguments: Mapping[str, object],
    notices: Sequence[str] = (),
    *,
    stop: threading.Event,
    view: Observer,
    storage: Callable[[Mapping[str, int | None]], str] | None = None,
) -> str | None:
    place = directory.partial
    whole = {**arguments, "name": name, "latency_log": str(place / LATENCY_LOG)}
    room = _reserved(place / ".room")
    text = None
    try:
        with tables_of(place, stop, view) as observer:
            text = seen(observer, whole)
            # For the ends of the tables, and all that follows.
            room.unlink(missing_ok=True)
        return text and _written(directory, text, notices, storage)
    except OSError as error:
        if text is None:
            raise
        raise NotKeptError(error, text) from error


def _written(
    directory: NewFolder,
    text: str,
    notices: Sequence[str],
    storage: Callable[[Mapping[str, int | None]], str] | None,
) -> str:
    """Complete the directory of a run with its result, and give that with its notices."""
    place = directory.partial
    if (lines := place / "calls.csv").exists():
        notices = [*notices, *_as_table(lines, place / CALLS)]
    if storage is not None and (sizes := _sizes(text)):
        try:
            (place / STORAGE).write_text(storage(sizes), encoding="utf-8")
        except _core.ScenarioError as error:
            notices = [*notices, str(error)]
    if notices:
        text = _noted(text, notices)
    (place / RESULT).write_text(text, encoding="utf-8")
    directory.publish()
    return text


def _reserved(path: Path) -> Path:
    """Take room on the disk, as far as there is some, that is given back at the end."""
    with contextlib.suppress(OSError), path.open("xb") as file:
        os.posix_fallocate(file.fileno(), 0, _ROOM)
    return path


def _as_table(lines: Path, to: Path) -> list[str]:
    """Turn the lines of all calls into a table; say that these are left out if it has no room."""
    from blockyard.runs import tables

    said = []
    try:
        tables.from_csv(lines, to, tables.CALLS)
    except OSError as error:
        to.unlink(missing_ok=True)
        why = error.strerror or str(error)
        said.append(f"{to.name} is left out, so that the rest has room: {why[:1].lower()}{why[1:]}")
    lines.unlink()
    return said


def _noted(text: str, notices: Sequence[str]) -> str:
    """The same result with more notices: what was observed is worth keeping."""
    result = cast(Result, json.loads(text))
    result["notices"] = [*result.get("notices", []), *notices]
    return json.dumps(result, indent=2, ensure_ascii=False) + "\n"


def _sizes(text: str) -> dict[str, int | None]:
    """The sizes of the devices that had IO."""
    result = cast(Result, json.loads(text))
    machine = result["machine"]
    targets = machine["targets"] if machine else []
    sizes = {target["device"]: target["size_bytes"] for target in targets}
    return {total["device"]: sizes.get(total["device"]) for total in result["totals"]}
