"""Running a scenario in virtual time."""

import dataclasses
import threading
from dataclasses import dataclass
from typing import Self

from blockyard.runs.directory import IO_LOG, LATENCY_LOG
from blockyard.runs.execution import Outcome, RunSpec, carried_out
from blockyard.runs.new_folder import NewFolder
from blockyard.runs.observer import Observer


@dataclass(frozen=True)
class Options:
    """How to simulate."""

    # Whether to write a line for every IO.
    io_log: bool = False

    # With how many seeds in all, for the range of its figures; None for as many, up to 8, as
    # take little time.
    seeds: int | None = 1

    # Whether to try what would help the run, which takes up to some seconds.
    advice: bool = False

    def for_repeat(self) -> Self:
        """Return how to simulate one of several repeats, which are further seeds themselves."""
        return self if self.seeds else dataclasses.replace(self, seeds=1)


# With one seed, and nothing beside the run.
PLAIN = Options()


def simulate(
    run: RunSpec,
    directory: NewFolder,
    *,
    options: Options,
    stop: threading.Event,
    view: Observer,
) -> Outcome | None:
    """Simulate into `directory` and publish it.

    What is written is of the scenario's own seed, but for the range over further seeds in the
    result. Once `stop` is set the run ends at once and is marked interrupted; a run in which no
    time had passed leaves nothing and gives None. Raises OSError if something cannot be
    written.
    """
    if stop.is_set():
        return None
    place = directory.partial

    def simulated(observer: Observer) -> str | None:
        return run.scenario.simulate(
            observer,
            latency_log=str(place / LATENCY_LOG),
            io_log=str(place / IO_LOG) if options.io_log else None,
            seeds=options.seeds,
        )

    advised = stop.is_set if options.advice else None
    return carried_out(run, directory, simulated, stop, view, advised)
