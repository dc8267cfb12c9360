"""Carries a sweep out: what is missing is run, and all that is done is kept."""

import errno
import os
import shutil
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from blockyard._core import SweepPlan, failed_runs
from blockyard.sweeps import about, searching, tables
from blockyard.sweeps.about import About
from blockyard.sweeps.directory import SCENARIO, SWEEP
from blockyard.sweeps.dispatch import Dispatch, Progress, timed_sample
from blockyard.sweeps.engines import Engine, Rows, carry_out
from blockyard.sweeps.store import Store
from blockyard.sweeps.sweep import Sweep, read


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
    keeping = _Keeping(store, met, progress, view)
    if not planned.search:
        _sample(plan, missing, store, keeping, view)
    dispatch = Dispatch(engine, plan.work, _failed, keeping.keep, progress)
    if planned.search:
        whole, now.found = searching.search(plan, dispatch, keeping, stop)
        progress.total = progress.done
    else:
        left = [run for run, key in runs if key not in keeping.met]
        whole = dispatch.run(left, stop)
    now.done, now.failed = tables.write(store, plan, merge_seeds=planned.merge_seeds)
    now.status = "complete" if whole else "interrupted"
    now.write(directory)
    if whole:
        store.clear()
    return read(directory)


@dataclass
class _Keeping:
    """Keeps what is done, and tells of it."""

    store: Store
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
            self.view.progressed(self.progress)


def _sample(
    plan: SweepPlan, missing: Sequence[int], store: Store, keeping: _Keeping, view: View
) -> None:
    """Carry out a few runs here, and say what the rest will take.

    Raises OSError if the disk has no room for it.
    """
    progress = keeping.progress
    rows = list(timed_sample(plan.work, carry_out, missing))
    if not rows:
        return
    for one in rows:
        progress.add(one)
    keeping.keep(_together(rows))
    each = keeping.bytes / len(rows)
    # Once more for the tables, which are written beside the pieces.
    ahead = int(2 * each * len(missing))
    estimate = Estimate(
        progress.total, progress.total - len(missing), progress.each_s, progress.left_s, ahead // 2
    )
    view.estimated(estimate)
    free = shutil.disk_usage(store.directory).free
    if ahead > free:
        said = f"takes about {ahead >> 20} MiB while it is made, and {free >> 20} MiB are free"
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
        about.read(directory)
    store = Store(directory, merged=planned.merge_seeds)
    (directory / SWEEP).write_text(planned.text, encoding="utf-8")
    (directory / SCENARIO).write_text(planned.scenario, encoding="utf-8")
    return store
