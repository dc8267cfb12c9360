"""Many variants of a scenario, by axes: which, carried out, kept as a table."""

import contextlib
import os
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from blockyard._core import ScenarioError, SweepFile
from blockyard.questions import observed_load
from blockyard.questions.arguments import Place, as_json, in_python_words, overrides
from blockyard.questions.capacity import MOST_IOS
from blockyard.runs import billing, execution
from blockyard.runs.execution import ScenarioFile
from blockyard.sweeps import engines, making
from blockyard.sweeps.making import Planned
from blockyard.sweeps.sweep import Sweep
from blockyard.text import files


@in_python_words
def sweep(
    asked: Place | Mapping[str, object],
    sets: Mapping[str, object] | None = None,
    *,
    out: Place | None = None,
    on: str = "threads",
    workers: int | None = None,
    goals: str | Sequence[str] = (),
    resume: bool = False,
    region: str | None = None,
    term: billing.Term = "on-demand",
    price_file: Place | None = None,
) -> Sweep:
    """Carry a sweep out: a file, or a dict of what stands in one, whose base is then found here.

    `sets` overrides values of the scenario that it varies. The sweep's directory is written to
    `out`, or else not kept; with `resume` it may be there, and only what is missing is run. `on`
    says who runs it: `threads`, `dask`, `dask=tcp://HOST:PORT`, `ray` or `ray=ADDRESS`, with so
    many `workers`. With `goals` the cheapest combination that meets them is looked for, which
    takes few of the runs. `region`, `term` and `price_file` say by which prices runs are priced.

    Raises ScenarioError for what is wrong with the sweep or the scenario, OSError if something
    cannot be read or written, ValueError for an engine that cannot be had or an `out` that exists,
    and KeyboardInterrupt on Ctrl-C; with `out` what is done by then is kept.

        >>> asked = {
        ...     "base": "scenarios/examples/gp3.yaml",
        ...     "axes": {"storage.data.iops": [3000, 4000], "workload.readers.processes": [2, 4]},
        ... }
        >>> found = blockyard.sweep(asked, {"duration": "10s"})
        >>> found.runs["storage.data.iops"].to_pylist()
        [3000, 3000, 4000, 4000]
    """
    wanted = [goals] if isinstance(goals, str) else list(goals)
    given = tuple(overrides(sets or {}))
    prices = Prices(region, term, price_file)
    if isinstance(asked, Mapping):
        planned = plan(as_json(asked), "sweep", Path(), given, wanted, prices)
    else:
        path = Path(asked)
        text = files.text(path, files.WRITTEN)
        planned = plan(text, str(path), path.parent, given, wanted, prices)
    with contextlib.ExitStack() as stack:
        if out is None:
            passing = stack.enter_context(tempfile.TemporaryDirectory(prefix="blockyard-"))
            directory = Path(passing) / planned.name
        else:
            directory = Path(out)
        try:
            engine = engines.named(on, workers)
            stack.callback(engine.close)
            stop = stack.enter_context(execution.stopping())
            made = making.make(planned, directory, engine, stop, resume=resume)
        except (engines.EngineError, making.UnusableError) as error:
            raise ValueError(str(error)) from error
        if made.about.status == "interrupted":
            raise KeyboardInterrupt
        if out is None:
            # Read while they are there.
            _ = made.runs, made.latencies
        return made


@dataclass(frozen=True)
class Prices:
    """By which prices runs are priced; None stands for what the scenario says, or the usual."""

    region: str | None = None
    term: str = "on-demand"
    file: Place | None = None


def plan(
    text: str,
    name: str,
    folder: Path,
    sets: Sequence[str],
    goals: Sequence[str],
    prices: Prices,
) -> Planned:
    """The runs of a sweep file, of which each combination was read once.

    Raises ScenarioError, and OSError or FileError for what cannot be read.
    """
    file = SweepFile.read(text, name)
    base = ScenarioFile.read(folder / file.base, sets)
    scenario = base.scenario().to_yaml()
    # Complete, so that no other machine needs the files that it names.
    bases = [(scenario, base.name)]
    if file.demand is not None:
        bases = [_under(folder / demand, base) for demand in file.demand]
    made = file.plan(
        bases,
        _points(file),
        list(goals),
        region=prices.region,
        term=prices.term,
        prices=billing.prices(prices.file),
    )
    made.examine(len(os.sched_getaffinity(0)))
    if goals:
        # Refuses what is no grid, before anything is written.
        made.search([None] * made.combinations)
    return Planned(file.name, text, scenario, made, file.merge_seeds, search=bool(goals))


def _under(demand: Path, base: ScenarioFile) -> tuple[str, str]:
    """A scenario under the load that a file shows, and its name."""
    replayed = observed_load.under(demand, base, MOST_IOS)
    return replayed.scenario.to_yaml(), f"{base.name} under {demand.name}"


def _points(file: SweepFile) -> list[list[float]] | None:
    """The places of a sample: a share of each axis. Raises ScenarioError without scipy."""
    if file.sample is None:
        return None
    count, axes, method = file.sample
    try:
        from scipy.stats import qmc
    except ImportError as error:
        message = "sample: needs scipy; install it with `pip install 'blockyard[sample]'`"
        raise ScenarioError(message) from error
    sampler = (qmc.Sobol if method == "sobol" else qmc.LatinHypercube)(axes, rng=0)
    with warnings.catch_warnings():
        # Numbers that are no power of 2 are less even, which the documentation says.
        warnings.simplefilter("ignore", UserWarning)
        points: list[list[float]] = sampler.random(count).tolist()
    return points
