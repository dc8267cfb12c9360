"""Further seeds: simulated runs are simulated again, with the same seeds on every side.

A simulation is one draw of many. How far its figures come from chance shows when it is drawn
again; with the same seeds on both sides, both draw alike, and what remains is the difference.
"""

import functools
import json
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from blockyard import _core
from blockyard._core import Scenario, ScenarioError
from blockyard.formats.loading import load
from blockyard.runs import execution
from blockyard.runs.execution import RunSpec
from blockyard.runs.execution.simulate import Options, simulate
from blockyard.runs.new_folder import NewFolder
from blockyard.runs.observer import Observer
from blockyard.runs.run import Run
from blockyard.text.formatting import number

# How many seeds tell enough, and with how many the least.
SEEDS = _core.SEEDS
_FEWEST = _core.FEWEST_SEEDS

# What is simulated without being asked for.
MOST_IOS = _core.SEEDS_IOS

# What a row of a run's tables takes, written and read back, in the time of so many IOs.
_IOS_OF_A_ROW = 20

# What looks on at runs while they are made.
Views = Callable[[Sequence[RunSpec]], AbstractContextManager[Sequence[Observer]]]


@dataclass(frozen=True)
class Drawn:
    """The sides of a comparison, with the runs of further seeds."""

    sides: list[list[Run]]
    # The seeds that each side has; empty where nothing was simulated again.
    seeds: list[int]
    # Why there are fewer than could be, in a sentence; empty if there is nothing to say.
    note: str


def unseen(runs: Sequence[RunSpec]) -> AbstractContextManager[Sequence[Observer]]:
    """Look on at runs, and show nothing."""
    return nullcontext([Observer() for _ in runs])


def drawn(sides: Sequence[Sequence[Run]], wanted: int | None, views: Views = unseen) -> Drawn:
    """Simulate the runs of all sides again, with `wanted` seeds from the first side's on.

    Without `wanted` with as many, up to 8, as take no more than some seconds. Only of sides that
    are one simulated run each; what is simulated must come to the same figures with the run's
    own seed. Raises KeyboardInterrupt on Ctrl-C.
    """
    as_they_are = [list(side) for side in sides]
    runs = [side[0] for side in sides if len(side) == 1]
    if wanted == 1 or len(runs) < len(sides) or not all(map(_can_be_drawn, runs)):
        return Drawn(as_they_are, [], "")
    try:
        cost = sum(map(_cost, runs))
    except ScenarioError as error:
        return Drawn(as_they_are, [], f"not simulated again with other seeds: {error}")
    count = wanted or min(SEEDS, MOST_IOS // max(cost, 1))
    if count < _FEWEST and wanted is None:
        return Drawn(as_they_are, [], _too_long(runs, cost))
    seeds = list(range(runs[0].result["seed"], runs[0].result["seed"] + count))
    try:
        again = _simulated(runs, seeds, views)
    except ScenarioError as error:
        return Drawn(as_they_are, [], f"not simulated again with other seeds: {error}")
    for side, run in enumerate(runs):
        if not _is_the_same(run, again[side, run.result["seed"]]):
            note = (
                f"simulated again, {run.name} gives other figures, as by another "
                "version of Blockyard: only what was recorded is compared"
            )
            return Drawn(as_they_are, [], note)
    note = "" if count >= SEEDS or wanted else f"{count} seeds, as {SEEDS} would take longer"
    return Drawn([[again[side, seed] for seed in seeds] for side in range(len(runs))], seeds, note)


def _can_be_drawn(run: Run) -> bool:
    result = run.result
    return result["mode"] == "simulate" and result["status"] == "complete" and bool(run.scenario)


def _cost(run: Run) -> int:
    """How long a simulation takes, in IOs; a page that an engine accesses counts as one."""
    rows: int = run.intervals.num_rows + run.volumes.num_rows + run.transactions.num_rows
    return _core.work(run.name, json.dumps(run.result), run.asked()) + _IOS_OF_A_ROW * rows


def _too_long(runs: Sequence[Run], cost: int) -> str:
    names = " and ".join(run.name for run in runs)
    return (
        f"one seed each: {names} would take long to simulate again ({number(cost)} IOs a seed); "
        f"--seeds {SEEDS} does it all the same"
    )


def _simulated(
    runs: Sequence[Run], seeds: Sequence[int], views: Views
) -> dict[tuple[int, int], Run]:
    """The runs with each of the seeds and with their own, by side and seed."""
    wanted = {
        (side, seed): RunSpec(run.name, _with_seed(run, seed))
        for side, run in enumerate(runs)
        for seed in [*seeds, run.result["seed"]]
    }
    with (
        tempfile.TemporaryDirectory(prefix="blockyard-") as folder,
        execution.stopping() as stop,
        views(list(wanted.values())) as looking_on,
    ):
        tasks = [
            functools.partial(_one, spec, Path(folder) / str(place), stop, view)
            for place, (spec, view) in enumerate(zip(wanted.values(), looking_on, strict=True))
        ]
        found = execution.in_parallel(tasks)
        if stop.is_set():
            raise KeyboardInterrupt
    made = {}
    for key, run in zip(wanted, found, strict=True):
        if isinstance(run, BaseException):
            raise run
        made[key] = run
    return made


def _with_seed(run: Run, seed: int) -> Scenario:
    return Scenario.load(run.scenario or "", run.name, [f"seed={seed}", "repeats=1"])


def _one(spec: RunSpec, place: Path, stop: threading.Event, view: Observer) -> Run:
    with NewFolder(place) as directory:
        if simulate(spec, directory, options=Options(), stop=stop, view=view) is None:
            raise KeyboardInterrupt
    return load(place)


def _is_the_same(run: Run, again: Run) -> bool:
    ours, theirs = run.result, again.result
    return (ours["totals"], ours["steps"]) == (theirs["totals"], theirs["steps"])
