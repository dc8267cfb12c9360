"""What a host says while its run goes on, and the run directory made of it here."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from blockyard._core import check_result
from blockyard.hosts.errors import GoneError, HostError, RefusedError
from blockyard.hosts.view import View
from blockyard.hosts.wire import Message, Wire, WireError
from blockyard.runs.directory import LATENCY_LOG
from blockyard.runs.execution import Outcome, RunSpec, publish, recorded
from blockyard.runs.new_folder import NewFolder
from blockyard.runs.observer import Observer

# Is told that a host is `checked`, `ready` or `started`.
Reached = Callable[[str], None]


def keep(
    wire: Wire, host: str, run: RunSpec, place: Path, reached: Reached, view: View
) -> Outcome | None:
    """Attend to a host until its run has ended, and keep that in `place`, a new folder.

    None if the run was stopped before anything was measured. Raises HostError if it failed,
    RefusedError if it was refused, GoneError if the host is gone, WireError and OSError.
    """
    with NewFolder(place) as directory:
        with _Kept(run, directory.partial).open() as kept:
            while (message := wire.receive()) is not None:
                if message.kind == "ended":
                    break
                _take_in(message, host, kept, reached, view)
            else:
                raise GoneError
        text = message.fields["result"]
        if text is None:
            return None
        check_result(text, "its result")
        return publish(directory, run, text)


class _Kept:
    """The files of a run directory that is being filled."""

    def __init__(self, run: RunSpec, place: Path) -> None:
        self._run = run
        self._place = place
        self._tables: Observer
        self._log: BinaryIO

    @contextlib.contextmanager
    def open(self) -> Iterator["_Kept"]:
        log = self._place / LATENCY_LOG
        tables = recorded(self._run, self._place, threading.Event(), Observer())
        with tables as self._tables, log.open("wb") as self._log:
            yield self

    def rows(self, table: str, columns: dict[str, list[Any]]) -> None:
        import pyarrow as pa

        from blockyard.runs.tables import SCHEMAS

        if table not in SCHEMAS:
            raise WireError(f"rows of a table `{table}`")
        try:
            rows = pa.RecordBatch.from_pydict(columns, SCHEMAS[table])
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise WireError(f"rows of `{table}`: {error}") from error
        self._tables.rows(table, rows)

    def log(self, piece: bytes) -> None:
        self._log.write(piece)


def _take_in(message: Message, host: str, kept: _Kept, reached: Reached, view: View) -> None:
    said = message.fields
    match message.kind:
        case "checked" | "ready" | "started":
            reached(message.kind)
        case "prepared":
            view.prepared(host, said["device"], said["done"], said["of"])
        case "interval":
            view.progressed(host, said["done_s"], *_rates(said["done_s"], said["rows"]))
        case "warning":
            view.warn(host, said["text"])
        case "rows":
            kept.rows(said["table"], said["columns"])
        case "log":
            kept.log(message.payload)
        case "refused":
            raise RefusedError(said["reason"], lacking=said["lacking"])
        case "failed":
            raise HostError(said["reason"])
        case other:
            raise WireError(f"an unknown message `{other}`")


def _rates(done_s: float, rows: dict[str, list[Any]]) -> tuple[float, float]:
    """IOs and MiB a second of all jobs in an interval; flushes move no data and do not count."""
    ios = size = 0
    length_s = done_s - min(rows["t_s"], default=done_s)
    for op, count, moved in zip(rows["op"], rows["ios"], rows["bytes"], strict=True):
        if op != "flush":
            ios += count
            size += moved
    return (ios / length_s, size / length_s / 2**20) if length_s > 0 else (0.0, 0.0)
