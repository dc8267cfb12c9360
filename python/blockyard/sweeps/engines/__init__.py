"""Who carries out the runs of a sweep: threads of this process, or machines of a cluster.

An engine takes work, a text that says all about some runs, and gives what was done in any order.
What it gives of a run depends on the run alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import pyarrow as pa

    from blockyard._core import Stop


class EngineError(Exception):
    """An engine cannot be had: one line that says why."""


@dataclass(frozen=True)
class Rows:
    """What runs gave: a row for each, and their latencies."""

    runs: "pa.RecordBatch"
    latencies: "pa.RecordBatch"
    # How long the runs took where they were carried out, in seconds.
    took_s: float


@dataclass(frozen=True)
class Done:
    """Work that has ended: what it gave, or why there is nothing."""

    ticket: int
    rows: Rows | None
    error: str = ""


class Engine(Protocol):
    """Carries out work, several pieces at once."""

    @property
    def width(self) -> int:
        """How many pieces of work are carried out at once."""

    def submit(self, ticket: int, work: str) -> None:
        """Take on work."""

    def wait(self, timeout_s: float) -> Sequence[Done]:
        """Give what has ended since the last call, after at most so long."""

    def stop(self) -> Sequence[Done]:
        """End what is going on, and give what of it was done."""

    def close(self) -> None:
        """Let go of what it holds."""


def carry_out(work: str, stop: "Stop | None" = None) -> Rows:
    """Carry out work in this thread, or as much of it as is done when `stop` is set."""
    import time

    import pyarrow as pa

    from blockyard._core import simulate_runs

    begun = time.perf_counter()
    runs, latencies = simulate_runs(work, stop)
    took_s = time.perf_counter() - begun
    return Rows(pa.record_batch(runs), pa.record_batch(latencies), took_s)


def named(name: str, workers: int | None) -> Engine:
    """The engine that `--on` names: `threads`, `dask`, `dask=ADDRESS`, `ray` or `ray=ADDRESS`.

    Raises EngineError for another name, for a package that is not installed and for a cluster
    that cannot be reached.
    """
    kind, _, address = name.partition("=")
    if kind == "threads" and not address:
        from blockyard.sweeps.engines.on_threads import Threads

        return Threads(workers)
    if kind == "dask":
        from blockyard.sweeps.engines.on_dask import dask

        return dask(address, workers)
    if kind == "ray":
        from blockyard.sweeps.engines.on_ray import ray

        return ray(address, workers)
    raise EngineError(
        f"--on: `{name}`; expected threads, dask, dask=tcp://HOST:PORT, ray or ray=ADDRESS"
    )
