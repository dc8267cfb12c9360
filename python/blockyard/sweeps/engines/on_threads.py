"""Threads of this process; nothing of Python runs for a single run of theirs."""

import os
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from blockyard._core import Stop
from blockyard.sweeps.engines import Done, Rows, carry_out


class Threads:
    """An engine of so many threads; by default as many as there are processors."""

    def __init__(self, workers: int | None = None) -> None:
        self.width = workers or len(os.sched_getaffinity(0))
        self._pool = ThreadPoolExecutor(self.width, thread_name_prefix="sweep")
        self._stop = Stop()
        self._going: dict[Future[Rows], int] = {}

    def submit(self, ticket: int, work: str) -> None:
        """Take on work."""
        self._going[self._pool.submit(carry_out, work, self._stop)] = ticket

    def wait(self, timeout_s: float) -> Sequence[Done]:
        """Give what has ended since the last call, after at most so long."""
        ended, _ = wait(self._going, timeout_s, FIRST_COMPLETED)
        return [self._done(future) for future in ended]

    def stop(self) -> Sequence[Done]:
        """End what is going on, and give what of it was done."""
        self._stop.set()
        for future in [future for future in self._going if future.cancel()]:
            del self._going[future]
        wait(self._going)
        return [self._done(future) for future in list(self._going)]

    def close(self) -> None:
        """Let go of what it holds."""
        self._stop.set()
        self._pool.shutdown(cancel_futures=True)

    def _done(self, future: Future[Rows]) -> Done:
        ticket = self._going.pop(future)
        error = future.exception()
        return Done(ticket, None, str(error)) if error else Done(ticket, future.result())
