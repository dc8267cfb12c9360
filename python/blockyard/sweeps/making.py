"""Carries a sweep out: what is missing is run, and all that is done is kept."""

import dataclasses
import errno
import os
import shutil
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from blockyard._core import SweepPlan, failed_runs
from blockyard.sweeps import about, searching
from blockyard.sweeps.about import About
from blockyard.sweeps.directory import SCENARIO, SWEEP
from blockyard.sweeps.dispatch import Dispatch, Progress
from blockyard.sweeps.engines import Engine, Rows
from blockyard.sweeps.store import Store
from blockyard.sweeps.sweep import Sweep, read
from blockyard.sweeps.tables import Tables
from blockyard.text.formatting import size

# Runs that are timed before the others, at most, and about how long that takes.
SAMPLE = 16
SAMPLE_S = 1.0


@dataclass(frozen=True)
class Planned:
    """A sweep to be carried out."""

    name: str
    # The texts of the sweep file and of the scenario that it varies.
    text: str
    scenario: str
    plan: SweepPlan
    merge_seeds: bool
    # Whether to look for the cheapest combination that meets the goals.
    search: bool = False


@dataclass(frozen=True)
class Estimate:
    """What is ahead, by a timed sample."""

    runs: int
    # Of these those that were done before.
    known: int
    each_s: float
    left_s: float
    bytes: int


class View:
    """Whoever looks on while a sweep is carried out; ignores all of it."""

    def estimated(self, ahead: Estimate) -> None:
        """It is known what is ahead."""

    def progressed(self, progress: Progress) -> None:
        """More runs are done."""


class UnusableError(Exception):
    """A directory cannot take a sweep: one line that says why."""


def make(
    planned: Planned,
    directory: Path,
    engine: Engine,
    stop: threading.Event,
    view: View | None = None,
    *,
    resume: bool = False,
) -> Sweep:
    """Carry a sweep out in a directory, until `stop` is set; what is done is kept there.

    With `resume` it may be there already: only runs that are missing or failed are carried out.
    Raises UnusableError, FileError for what is there and no sweep of this version, and OSError if
    something cannot be written.
    """
    view = view or View()
    store = _opened(planned, directory, resume=resume)
    plan = planned.plan
    met = store.done()
    runs = plan.runs()
    missing = [run for run, key in runs if key not in met]
    now = About.of(planned.name, plan, len(runs), merge_seeds=planned.merge_seeds)
    now.write(directory)
    progress = Progress(len(runs), engine.width, len(runs) - len(missing))
    with Tables(store, plan, merge_seeds=planned.merge_seeds) as tables:
        keeping = _Keeping(store, tables, met, progress, view)
        dispatch = Dispatch(engine, plan.work, _failed, keeping.keep, progress)
        if planned.search:
            whole, now.found = searching.search(plan, dispatch, keeping, stop)
            progress.total = progress.done
        else:
            sample = _sample(dispatch, missing, stop)
            if sample:
                _estimate(sample, keeping)
            left = [run for run, key in runs if key not in keeping.met]
            whole = not stop.is_set() and dispatch.run(left, stop)
        now.done, now.failed = tables.complete()
    now.status = "complete" if whole else "interrupted"
    now.write(directory)
    if whole:
        store.clear()
    return read(directory)


@dataclass
class _Keeping:
    """Keeps what is done, and tells of it."""

    store: Store
    tables: Tables
    # The keys of the runs that are done, and whether each met its goals.
    met: dict[str, bool]
    progress: Progress
    view: View
    bytes: int = 0

    def keep(self, rows: Rows) -> None:
        part = self.store.add(rows)
        if part is not None:
            self.bytes += part.bytes
            found = zip(
                rows.runs["key"].to_pylist(), rows.runs["goals_met"].to_pylist(), strict=True
            )
            # Of a run that failed nothing is known, and a search takes it as missed.
            failed = rows.runs["error"].is_valid().to_pylist()
            for (key, met), error in zip(found, failed, strict=True):
                self.met[key] = met is not False and not error
            self.tables.add(part, self.met)
            self.view.progressed(self.progress)


def _sample(dispatch: Dispatch, missing: Sequence[int], stop: threading.Event) -> list[Rows]:
    """What runs from all over the sweep gave: few, or those of about a second."""
    count = min(len(missing), SAMPLE)
    runs = [missing[place * len(missing) // count] for place in range(count)]
    found: list[Rows] = []
    width = dispatch.engine.width
    begun = time.perf_counter()
    some = dataclasses.replace(dispatch, keep=found.append)
    for at in range(0, count, width):
        if time.perf_counter() - begun > SAMPLE_S or not some.run(runs[at : at + width], stop):
            break
    return found


def _estimate(rows: Sequence[Rows], keeping: "_Keeping") -> None:
    """Keep a sample, and say what the rest will take.

    Raises OSError if the disk has no room for it.
    """
    progress, store = keeping.progress, keeping.store
    known = progress.done - sum(one.runs.num_rows for one in rows)
    keeping.keep(_together(rows))
    left = progress.total - known
    ahead = int(keeping.bytes / sum(one.runs.num_rows for one in rows) * left)
    keeping.view.estimated(Estimate(progress.total, known, progress.each_s, progress.left_s, ahead))
    free = shutil.disk_usage(store.directory).free
    # Twice: the tables are written beside the pieces.
    if 2 * ahead > free:
        said = f"takes about {size(2 * ahead)} while it is made, and {size(free)} are free"
        raise OSError(errno.ENOSPC, said, str(store.directory))


def _together(rows: Sequence[Rows]) -> Rows:
    def one(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
        return pa.Table.from_batches(batches).combine_chunks().to_batches()[0]

    runs = one([each.runs for each in rows])
    latencies = (
        one([each.latencies for each in rows])
        if any(each.latencies.num_rows for each in rows)
        else rows[0].latencies
    )
    return Rows(runs, latencies, sum(each.took_s for each in rows))


def _failed(work: str, error: str) -> Rows:
    runs, latencies = failed_runs(work, error)
    return Rows(pa.record_batch(runs), pa.record_batch(latencies), 0.0)


def _opened(planned: Planned, directory: Path, *, resume: bool) -> Store:
    """The store of a directory, which is new or of the sweep that is resumed."""
    if not os.path.lexists(directory):
        directory.mkdir(parents=True)
    elif not resume:
        raise UnusableError(
            f"{directory}: exists already; --resume carries out what is missing there"
        )
    else:
        before = about.read(directory).merge_seeds
        if before != planned.merge_seeds:
            raise UnusableError(
                f"{directory}: there `merge_seeds` is {str(before).lower()}; expected the same"
            )
    store = Store(directory, merged=planned.merge_seeds)
    (directory / SWEEP).write_text(planned.text, encoding="utf-8")
    (directory / SCENARIO).write_text(planned.scenario, encoding="utf-8")
    return store
