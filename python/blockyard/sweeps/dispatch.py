"""Hands the runs of a sweep to an engine, in pieces worth their way, and keeps it busy."""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from blockyard.sweeps.engines import Done, Engine, Rows

# A piece of work takes about so long: what it costs to hand it out is then a small part of it.
PIECE_S = 1.0
# Pieces for each worker, so that none waits for the next one.
AHEAD = 2
# How often to look for a signal to stop.
LOOK_UP_S = 0.1
# A piece that ends without an answer is tried again so often, run by run, before its runs fail.
TRIES = 2


@dataclass
class Progress:
    """How far a sweep is."""

    total: int
    # Workers that are busy at once.
    width: int
    done: int = 0
    # Time that the runs took where they were carried out, and how many these were.
    took_s: float = 0.0
    timed: int = 0

    @property
    def each_s(self) -> float:
        """How long a run takes, in seconds; 0 if that is not known yet."""
        return self.took_s / self.timed if self.timed else 0.0

    @property
    def left_s(self) -> float:
        """How long the rest will take, in seconds."""
        return (self.total - self.done) * self.each_s / max(self.width, 1)

    def add(self, rows: Rows) -> None:
        """Count what was done."""
        self.done += rows.runs.num_rows
        self.timed += rows.runs.num_rows
        self.took_s += rows.took_s


@dataclass
class Dispatch:
    """The runs that are left, and the pieces that are under way."""

    engine: Engine
    # The text of work that has these runs.
    work_of: Callable[[list[int]], str]
    # The rows of runs that failed for a reason.
    failed: Callable[[str, str], Rows]
    keep: Callable[[Rows], None]
    progress: Progress
    _under_way: dict[int, tuple[list[int], int]] = field(default_factory=dict)
    _again: list[tuple[list[int], int]] = field(default_factory=list)
    _tickets: int = 0

    def run(self, runs: Sequence[int], stop: threading.Event) -> bool:
        """Carry out `runs`; whether that was done before `stop` was set. What is done is kept."""
        pieces = self._pieces(runs)
        while not stop.is_set():
            while len(self._under_way) < AHEAD * self.engine.width:
                piece = self._again.pop() if self._again else next(pieces, None)
                if piece is None:
                    break
                self._submit(*piece)
            if not self._under_way:
                return True
            for done in self.engine.wait(LOOK_UP_S):
                self._take(done)
        for done in self.engine.stop():
            if done.rows is not None:
                self._kept(done.rows)
        return False

    def _submit(self, runs: list[int], tries: int) -> None:
        self._under_way[self._tickets] = (runs, tries)
        self.engine.submit(self._tickets, self.work_of(runs))
        self._tickets += 1

    def _take(self, done: Done) -> None:
        runs, tries = self._under_way.pop(done.ticket)
        if done.rows is not None:
            self._kept(done.rows)
        elif len(runs) > 1:
            # One of them may be what ended the others.
            self._again += [([run], 1) for run in reversed(runs)]
        elif tries < TRIES:
            self._again.append((runs, tries + 1))
        else:
            self._kept(self.failed(self.work_of(runs), done.error))

    def _kept(self, rows: Rows) -> None:
        self.progress.add(rows)
        self.keep(rows)

    def _pieces(self, runs: Sequence[int]) -> Iterator[tuple[list[int], int]]:
        """The runs in pieces of about a second, by how long they have taken so far."""
        at = 0
        while at < len(runs):
            each_s = self.progress.each_s
            count = max(1, round(PIECE_S / each_s)) if each_s else 1
            # At the end all workers share what is left, in pieces of no less than half a second.
            share = -(-(len(runs) - at) // self.engine.width)
            least = max(1, round(PIECE_S / 2 / each_s)) if each_s else 1
            count = max(min(count, share), min(least, count))
            yield list(runs[at : at + count]), 1
            at += count
