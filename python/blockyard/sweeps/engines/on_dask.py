"""Workers of a Dask cluster: one that runs already, or processes of this machine."""

import importlib
import logging
import os
from collections.abc import Sequence
from typing import Any

from blockyard._core import __version__
from blockyard.sweeps.engines import Done, EngineError, remote

# How long a cluster has to answer, and to have a first worker.
_ANSWERS_S = 10
_WORKERS_S = 60
# On how many workers that die work is tried before it fails.
_RETRIES = 3


def dask(address: str, workers: int | None) -> "Dask":
    """The cluster at an address, or a new one of so many processes, which ends with the engine.

    Raises EngineError if Dask is not installed, the cluster cannot be reached, has no workers or
    other versions.
    """
    try:
        library: Any = importlib.import_module("distributed")
    except ImportError as error:
        message = "--on dask: needs Dask; install it with `pip install 'blockyard[dask]'`"
        raise EngineError(message) from error
    # It logs each worker that comes and goes; who waits for runs need not know.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    on = f"dask={address}" if address else "dask"
    cluster = None
    if not address:
        cluster = library.LocalCluster(
            n_workers=workers or len(os.sched_getaffinity(0)),
            threads_per_worker=1,
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
        )
    try:
        client = library.Client(cluster or address, timeout=_ANSWERS_S)
    except (OSError, TimeoutError, ValueError) as error:
        line = (str(error).splitlines() or ["no answer"])[0]
        raise EngineError(f"--on {on}: cannot reach the scheduler: {line}") from error
    engine = Dask(library, client, cluster)
    try:
        client.wait_for_workers(1, timeout=_WORKERS_S)
        remote.check(on, client.run(remote.version, on_error="return"))
    except TimeoutError as error:
        engine.close()
        raise EngineError(f"--on {on}: no worker within {_WORKERS_S} s") from error
    except EngineError:
        engine.close()
        raise
    return engine


class Dask:
    """An engine of a Dask cluster. A worker that dies, Dask replaces by another."""

    def __init__(self, library: Any, client: Any, cluster: Any) -> None:
        self._library = library
        self._client = client
        self._cluster = cluster
        self._going: dict[Any, int] = {}

    @property
    def width(self) -> int:
        """As many as the workers have threads: they may be more or fewer later."""
        threads: dict[str, int] = self._client.nthreads()
        return max(1, sum(threads.values()))

    def submit(self, ticket: int, work: str) -> None:
        """Take on work."""
        future = self._client.submit(
            remote.carry_out_as, __version__, work, pure=False, retries=_RETRIES
        )
        self._going[future] = ticket

    def wait(self, timeout_s: float) -> Sequence[Done]:
        """Give what has ended since the last call, after at most so long."""
        try:
            self._library.wait(list(self._going), timeout_s, "FIRST_COMPLETED")
        except TimeoutError:
            return []
        return [self._done(future) for future in list(self._going) if future.done()]

    def stop(self) -> Sequence[Done]:
        """End what is going on, and give what of it was done."""
        ended = [self._done(future) for future in list(self._going) if future.done()]
        self._client.cancel(list(self._going), force=True)
        self._going.clear()
        return ended

    def close(self) -> None:
        """Let go of what it holds."""
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()

    def _done(self, future: Any) -> Done:
        ticket = self._going.pop(future)
        try:
            return Done(ticket, future.result())
        except Exception as error:  # noqa: BLE001 - whatever the worker or Dask raised
            return Done(ticket, None, f"{type(error).__name__}: {error}")
