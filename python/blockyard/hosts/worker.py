"""The bench of one host, on that host: it runs what it is told, when it is told.

Blockyard's module alone is needed, none of its dependencies: rows of tables and the log of
latencies go to where the run directory is. If the other end goes away, the run ends.
"""

import contextlib
import os
import queue
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from blockyard._core import Interval, MachineError, RecordBatch, RunError, Scenario, ScenarioError
from blockyard.hosts.wire import Message, Wire, WireError
from blockyard.runs.directory import LATENCY_LOG
from blockyard.runs.execution import now, stopping_on_signals
from blockyard.runs.observer import Observer

# Bytes of a file in one message.
_PIECE = 1 << 20

# How often progress is told.
_TOLD_EVERY_S = 0.5

# How often a run that waits looks up whether a signal asked it to end.
_LOOK_UP_S = 0.2

# How long the other end has to take in what was sent last.
_PATIENCE_S = 10


def serve(incoming: BinaryIO) -> None:
    """Carry out what the other end asks for; messages to it go to standard output."""
    with os.fdopen(os.dup(1), "wb") as outgoing, stopping_on_signals() as stop:
        # What anything else prints is no message.
        os.dup2(2, 1)
        wire = Wire(incoming, outgoing)
        asked = wire.receive()
        if asked is not None and asked.kind == "run":
            with _sending(wire, stop) as sending:
                told = _Told(wire, sending, stop)
                hearing = threading.Thread(target=told.hear, daemon=True)
                hearing.start()
                _bench(asked.fields, told)
            # It ends once the other end has all and goes.
            hearing.join(_PATIENCE_S)


def _bench(asked: dict[str, Any], told: "_Told") -> None:
    with tempfile.TemporaryDirectory(prefix="blockyard-") as place:
        log = Path(place) / LATENCY_LOG
        arguments = {**asked["arguments"], "started": now(), "latency_log": str(log)}
        try:
            text = Scenario.load(asked["scenario"], "scenario").bench(told, arguments)
        except (ScenarioError, MachineError, RunError, OSError) as error:
            lacking = not isinstance(error, ScenarioError)
            what = "failed" if told.is_checked else "refused"
            told.say(what, reason=str(error), lacking=lacking)
        else:
            if text is not None:
                with log.open("rb") as file:
                    while piece := file.read(_PIECE):
                        told.say("log", piece)
            told.say("ended", result=text)


class _Sending:
    """Messages that wait for the network, which never holds up the run."""

    def __init__(self, wire: Wire, stop: threading.Event) -> None:
        self._wire = wire
        self._stop = stop
        self._waiting: queue.SimpleQueue[tuple[str, bytes, dict[str, Any]] | None] = (
            queue.SimpleQueue()
        )

    def put(self, kind: str, payload: bytes = b"", **fields: Any) -> None:
        self._waiting.put((kind, payload, fields))

    def end(self) -> None:
        self._waiting.put(None)

    def carry_out(self) -> None:
        while (message := self._waiting.get()) is not None:
            kind, payload, fields = message
            try:
                self._wire.send(kind, payload, **fields)
            except OSError:
                self._stop.set()
                return


@contextlib.contextmanager
def _sending(wire: Wire, stop: threading.Event) -> Iterator[_Sending]:
    sending = _Sending(wire, stop)
    thread = threading.Thread(target=sending.carry_out)
    thread.start()
    try:
        yield sending
    finally:
        sending.end()
        thread.join()


class _Told(Observer):
    """Tells the other end what happens, and waits for it where it must."""

    def __init__(self, wire: Wire, sending: _Sending, stop: threading.Event) -> None:
        self._wire = wire
        self._stop = stop
        self._may_go: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._next_s = 0.0
        # Whether it may have been written to targets.
        self.is_checked = False
        self.say = sending.put

    def hear(self) -> None:
        """Take in what the other end says, until it goes away."""
        try:
            while (said := self._wire.receive()) is not None:
                self._take_in(said)
        except (OSError, WireError) as error:
            print(f"blockyard: {error}", file=sys.stderr)  # noqa: T201
        self._stop.set()

    def _take_in(self, said: Message) -> None:
        if said.kind == "go":
            self._may_go.put(None)
        elif said.kind == "ping":
            self.say("pong")
        elif said.kind == "stop":
            self._stop.set()

    def _wait(self) -> None:
        while not self.stopped():
            with contextlib.suppress(queue.Empty):
                self._may_go.get(timeout=_LOOK_UP_S)
                return

    def checked(self) -> None:
        self.is_checked = True
        self.say("checked")
        self._wait()

    def prepared(self, device: str, done: int, of: int) -> None:
        if self._is_due() or done == of:
            self.say("prepared", device=device, done=done, of=of)

    def at_start(self) -> None:
        self.say("ready")
        self._wait()
        if not self.stopped():
            self.say("started")

    def interval(self, interval: Interval) -> None:
        if self._is_due():
            self.say("interval", done_s=interval.done_s, rows=interval.rows().columns())

    def rows(self, table: str, rows: RecordBatch) -> None:
        self.say("rows", table=table, columns=rows.columns())

    def warn(self, message: str) -> None:
        self.say("warning", text=message)

    def unwritten(self, error: OSError) -> None:
        raise error

    def stopped(self) -> bool:
        return self._stop.is_set()

    def _is_due(self) -> bool:
        is_due = time.monotonic() >= self._next_s
        if is_due:
            self._next_s = time.monotonic() + _TOLD_EVERY_S
        return is_due
