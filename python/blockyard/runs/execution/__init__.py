"""Runs to be made: which ones a call asks for, what they write, and what they leave.

How each mode carries one out stands in `execution.simulate`, `execution.bench`,
`execution.emulate` and `execution.observe`.
"""

import contextlib
import json
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar, cast

from blockyard._core import FileError, Interval, RecordBatch, Scenario
from blockyard.runs import findings
from blockyard.runs.directory import RESULT, SCENARIO, volumes
from blockyard.runs.new_folder import NewFolder
from blockyard.runs.observer import Observer, Served
from blockyard.text import files
from blockyard.types.facts import Facts
from blockyard.types.findings import Advice, Findings
from blockyard.types.result import Result

if TYPE_CHECKING:
    from blockyard.runs.tables import Table

# The tables that every run has.
_EVERY_RUNS = ("intervals", "volumes")

T = TypeVar("T")


@dataclass(frozen=True)
class RunSpec:
    """A run to be made: a scenario with one seed."""

    name: str
    scenario: Scenario
    # Whether it is one of several repeats of a scenario.
    repeated: bool = False


@dataclass(frozen=True)
class Outcome:
    """What a run came to: the text of its `result.json`, what was run, and where it is kept."""

    text: str
    scenario: Scenario
    path: Path
    # None if the figures cannot be explained; the run is kept all the same.
    found: Findings | None

    @property
    def result(self) -> Result:
        """The result, parsed."""
        return cast(Result, json.loads(self.text))

    @property
    def facts(self) -> Facts:
        """What its figures say of limits, as `Run.facts` of its directory does.

        Raises FileError if they cannot be explained.
        """
        if self.found is None:
            raise FileError(f"{self.path}: its figures cannot be explained")
        return self.found["facts"]

    @property
    def advice(self) -> Advice | None:
        """What was tried of it."""
        return self.found["advice"] if self.found else None


class NotKeptError(OSError):
    """A run ended, and its directory cannot be written; the text of its result has its figures."""

    def __init__(self, error: OSError, text: str, outcome: Outcome | None = None) -> None:
        super().__init__(*error.args)
        self.text = text
        # None of observations.
        self.outcome = outcome


@dataclass(frozen=True)
class ScenarioFile:
    """The text of a scenario, what errors call it, and its overrides."""

    text: str
    name: str
    sets: tuple[str, ...]

    @classmethod
    def read(cls, path: Path, sets: Sequence[str]) -> Self:
        """Read a file. Raises what `files.text` does."""
        return cls(files.text(path, files.WRITTEN), str(path), tuple(sets))

    def scenario(self, *more: str) -> Scenario:
        """Load the scenario, with `more` overrides. Raises ScenarioError for bad content."""
        return Scenario.load(self.text, self.name, [*self.sets, *more])

    def runs(self) -> list[RunSpec]:
        """Give a run for each repeat: NAME, NAME-2, NAME-3, …, each with the next seed.

        Each run's scenario asks for that one run, so that what is stored with a
        result reproduces it. Raises ScenarioError for bad content.
        """
        scenario = self.scenario()
        name, seed, repeats = scenario.name, scenario.seed, scenario.repeats
        if repeats == 1:
            return [RunSpec(name, scenario)]
        return [
            RunSpec(
                name if repeat == 0 else f"{name}-{repeat + 1}",
                self.scenario(f"seed={seed + repeat}", "repeats=1"),
                repeated=True,
            )
            for repeat in range(repeats)
        ]


@dataclass(frozen=True)
class _Recording(Observer):
    """Writes the tables of a run, stops it, and passes on the rest to what shows it."""

    tables: dict[str, "Table"]
    # Begins one that only runs have that have rows for it.
    begin: Callable[[str], "Table"]
    stop: threading.Event
    view: Observer
    # What could not be written: the figures of the run are worth having all the same.
    failed: list[OSError] = field(default_factory=list)
    told: threading.Event = field(default_factory=threading.Event)

    def serving(self, devices: list[Served]) -> None:
        self.view.serving(devices)

    def checked(self) -> None:
        self.view.checked()

    def prepared(self, device: str, done: int, of: int) -> None:
        self.view.prepared(device, done, of)

    def at_start(self) -> None:
        self.view.at_start()

    def interval(self, interval: Interval) -> None:
        if self.failed and not self.told.is_set():
            self.told.set()
            why = self.failed[0].strerror or self.failed[0]
            self.view.warn(f"the run goes on, but cannot be kept: {why}")
        self.view.interval(interval)

    def rows(self, table: str, rows: RecordBatch) -> None:
        if self.failed:
            return
        try:
            if table not in self.tables:
                self.tables[table] = self.begin(table)
            self.tables[table].append(rows)
        except OSError as error:
            self.unwritten(error)

    def warn(self, message: str) -> None:
        self.view.warn(message)

    def unwritten(self, error: OSError) -> None:
        self.failed.append(error)

    def stopped(self) -> bool:
        return self.stop.is_set()


@contextlib.contextmanager
def recorded(
    run: RunSpec, place: Path, stop: threading.Event, view: Observer
) -> Iterator[Observer]:
    """Write a run's scenario into `place`, and its tables while open.

    Gives what is to look on at the run, beside `view`: it stops the run once `stop` is set. At the
    end raises OSError if something could not be written.
    """
    (place / SCENARIO).write_text(run.scenario.to_yaml(), encoding="utf-8")
    with tables_of(place, stop, view) as observer:
        yield observer


@contextlib.contextmanager
def tables_of(place: Path, stop: threading.Event, view: Observer) -> Iterator[Observer]:
    """Write a run's tables into `place` while open; give what `recorded` does."""
    from blockyard.runs.tables import SCHEMAS, Table

    with contextlib.ExitStack() as tables:

        def begun(name: str) -> Table:
            return tables.enter_context(Table(place / f"{name}.parquet", SCHEMAS[name]))

        recording = _Recording({name: begun(name) for name in _EVERY_RUNS}, begun, stop, view)
        yield recording
        if recording.failed:
            raise recording.failed[0]


def carried_out(
    run: RunSpec,
    directory: NewFolder,
    carry_out: Callable[[Observer], str | None],
    stop: threading.Event,
    view: Observer,
    advised: Callable[[], bool] | None = None,
) -> Outcome | None:
    """Carry out a run, record it into `directory` and publish it; None if it gives no result.

    With `advised`, which is asked whether to stop, what would help it is tried. Raises what
    `carry_out` does, NotKeptError if a run that gave a result cannot be written, and OSError if
    its directory cannot be begun.
    """
    text = None
    try:
        with recorded(run, directory.partial, stop, view) as observer:
            text = carry_out(observer)
        return None if text is None else publish(directory, run, text, advised)
    except OSError as error:
        if text is None:
            raise
        found = _found(directory.partial, run, text, None)
        outcome = Outcome(text, run.scenario, directory.path, found)
        raise NotKeptError(error, text, outcome) from error


def now() -> str:
    """When a run begins, as results have it."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"


def publish(
    directory: NewFolder,
    run: RunSpec,
    text: str,
    stopped: Callable[[], bool] | None = None,
) -> Outcome:
    """Complete the directory of a run with its result and what is found out about it.

    With `stopped` what would help it is tried.
    """
    place = directory.partial
    (place / RESULT).write_text(text, encoding="utf-8")
    found = _found(place, run, text, stopped)
    if found:
        scenario = (place / SCENARIO).read_text(encoding="utf-8")
        findings.write(place, (scenario, text), found)
    directory.publish()
    return Outcome(text, run.scenario, directory.path, found)


def _found(
    place: Path, run: RunSpec, text: str, stopped: Callable[[], bool] | None
) -> Findings | None:
    """What is found out about a run; None if its figures cannot be explained."""
    from blockyard.runs.tables import VOLUMES

    try:
        table = volumes(place, cast(Result, json.loads(text)))
    except (FileError, OSError):
        # It is too large to be read back, by whomever, or was not written.
        table = VOLUMES.empty_table()
    try:
        return findings.of(run.scenario.name, text, run.scenario, table, stopped)
    except FileError:
        # Whoever reads the run is told why; it may have taken hours.
        return None


def in_parallel(tasks: Sequence[Callable[[], T]]) -> list[T | BaseException]:
    """Carry out `tasks` on all cores; give results or errors in their order."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool:
        futures = [pool.submit(task) for task in tasks]
        return [future.exception() or future.result() for future in futures]


@contextlib.contextmanager
def stopping() -> Iterator[threading.Event]:
    """Set by the signals that end a process; where they do not arrive, by nothing."""
    if threading.current_thread() is threading.main_thread():
        with stopping_on_signals() as stop:
            yield stop
    else:
        yield threading.Event()


@contextlib.contextmanager
def stopping_on_signals() -> Iterator[threading.Event]:
    """While open, SIGINT, SIGTERM and SIGHUP set the event instead of ending the process.

    One that the process was started to ignore stays ignored: `nohup` does that to hangups, a
    shell without job control to Ctrl-C.
    """
    stop = threading.Event()
    ending = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    numbers = [number for number in ending if signal.getsignal(number) is not signal.SIG_IGN]
    previous = {number: signal.signal(number, lambda *_: stop.set()) for number in numbers}
    try:
        yield stop
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
