"""Running a scenario on real storage."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol, TypedDict

from blockyard.execution import IO_LOG, LATENCY_LOG, Outcome, Planned, Tables, publish, recorded
from blockyard.fresh import NewFolder

Row = tuple[object, ...]


class Observer(Protocol):
    """Who is told while a run goes on."""

    def prepared(self, device: str, done: int, of: int) -> None:
        """`done` of `of` bytes of a target are written through before the run."""

    def interval(self, done_s: float, job_rows: list[Row], volume_rows: list[Row]) -> None:
        """An interval ended. The rows are those of the run's tables."""

    def warn(self, message: str) -> None:
        """Something that the user should know at once."""

    def stopped(self) -> bool:
        """Whether to stop."""
        ...


class View(Protocol):
    """What shows a run while it goes on."""

    def prepared(self, device: str, done: int, of: int) -> None:
        """`done` of `of` bytes of a target are written through before the run."""

    def interval(self, done_s: float, job_rows: list[Row]) -> None:
        """An interval ended."""

    def warn(self, message: str) -> None:
        """Something that the user should know at once."""


class Arguments(TypedDict):
    """How to run a scenario on real storage."""

    # (device, path) for each device: a file, a folder, a block device or `null:`.
    map: list[tuple[str, str]]
    # Scales the files so that those of the largest device take this much.
    size: str | None
    # Targets that may be overwritten although they hold something.
    overwrite: list[str]
    # `io_uring`, `threads` or `auto`.
    engine: str
    # Threads that issue IO; None chooses.
    threads: int | None
    # Whether written blocks say what they are and reads are checked.
    verify: bool
    # How often targets are written through before the run.
    precondition: int
    # `WINDOW:TOLERANCE`: ends the run once its IOPS are steady.
    steady_stop: str | None
    # When the run began.
    started: str
    # The file that gets the latencies of every interval.
    latency_log: str
    # The file that gets a line for every IO, if any does.
    io_log: str | None


def usual(on: Sequence[tuple[str, str]]) -> Arguments:
    """How to run on targets where nothing else is asked for."""
    return Arguments(
        map=list(on),
        size=None,
        overwrite=[],
        engine="auto",
        threads=None,
        verify=False,
        precondition=0,
        steady_stop=None,
        started="",
        latency_log="",
        io_log=None,
    )


@dataclass(frozen=True)
class _Recording:
    """The observer that writes the tables."""

    tables: Tables
    view: View
    stop: threading.Event

    def prepared(self, device: str, done: int, of: int) -> None:
        self.view.prepared(device, done, of)

    def interval(self, done_s: float, job_rows: list[Row], volume_rows: list[Row]) -> None:
        self.tables.append(job_rows, volume_rows)
        self.view.interval(done_s, job_rows)

    def warn(self, message: str) -> None:
        self.view.warn(message)

    def stopped(self) -> bool:
        return self.stop.is_set()


def bench(
    run: Planned,
    directory: NewFolder,
    arguments: Arguments,
    *,
    stop: threading.Event,
    view: View,
) -> Outcome | None:
    """Run on real storage, record into `directory` and publish it.

    Once `stop` is set the run ends at once and is marked interrupted; None if
    nothing was measured by then. Raises ScenarioError, MachineError or
    RunError if it cannot be run, and OSError if something cannot be written.
    """
    place = directory.partial
    whole = arguments | {
        "started": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "latency_log": str(place / LATENCY_LOG),
        "io_log": str(place / IO_LOG) if arguments["io_log"] is not None else None,
    }
    with recorded(run, place) as tables:
        text = run.scenario.bench(_Recording(tables, view, stop), whole)
    return None if text is None else publish(directory, text)
