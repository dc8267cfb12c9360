"""What `import blockyard` offers: runs as Python objects."""

import contextlib
import dataclasses
import os
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from blockyard import _core
from blockyard._core import Scenario
from blockyard.formats.loading import load
from blockyard.pages.view import RunView
from blockyard.questions.arguments import (
    LINE_OF_A_DICT,
    Asked,
    Place,
    Variant,
    file_of,
    given,
    in_python_words,
)
from blockyard.runs import billing, execution
from blockyard.runs.billing import Term, Terms
from blockyard.runs.execution import Outcome, RunSpec
from blockyard.runs.execution import bench as bench_mode
from blockyard.runs.execution import simulate as simulate_mode
from blockyard.runs.execution.simulate import Options
from blockyard.runs.new_folder import NewFolder
from blockyard.runs.observer import Observer
from blockyard.runs.run import Run
from blockyard.types import capacity as largest_load
from blockyard.types import what_if as alternatives
from blockyard.types.bill import Bill
from blockyard.types.capacity import Capacity
from blockyard.types.what_if import Alternatives

if TYPE_CHECKING:
    import pyarrow as pa


@in_python_words
def simulate(
    scenario: Asked,
    sets: Mapping[str, object] | None = None,
    *,
    out: Place | None = None,
    seeds: int | None = 1,
) -> RunView:
    """Simulate a scenario, a file or a dict of what stands in one, in virtual time.

    `sets` overrides values by their paths, as `{"storage.data.iops": 6000, "seed": 2}` or
    nested, `{"storage": {"data": {"iops": 6000}}}`; None takes a value away.
    The run directory is written to `out`, which must not exist, or else not kept. Of a
    scenario with repeats this is the first run; the others differ by their seeds. With `seeds`
    above 1 it is simulated with so many in all, and the result says under `by_seed` between
    what its figures lie; None takes as many, up to 8, as the command does.

    Raises ScenarioError for what is wrong with the scenario, OSError if something cannot
    be read or written, and KeyboardInterrupt on Ctrl-C.

        >>> run = blockyard.simulate("scenarios/examples/gp3.yaml", {"duration": "30s"})
        >>> run.result["status"]
        'complete'
    """
    if seeds is not None and seeds < 1:
        raise ValueError(f"seeds: {seeds}; expected 1 or more, or None for as many as suffice")

    def carry_out(run: RunSpec, directory: NewFolder, stop: threading.Event) -> Outcome | None:
        return simulate_mode.simulate(
            run, directory, options=Options(seeds=seeds), stop=stop, view=Observer()
        )

    return _made(scenario, sets, out, carry_out)


def simulate_many(
    scenarios: Iterable[Variant],
    *,
    threads: int | None = None,
    detail: Literal["totals", "intervals", "transactions"] = "totals",
) -> "pa.Table":
    """Simulate many scenarios on all processors and give one table of what they came to.

    A scenario is a file, a dict of what stands in one, either with the overrides that
    `simulate` takes as `sets`, or a `Scenario`. The table has a row for each run, job, device
    and operation, in the order of the scenarios whatever the `threads`; a scenario's repeats
    follow each other. The figures are those of `simulate`. With `detail="intervals"` it has
    their intervals instead, which takes longer and more memory; with `detail="transactions"` a
    row for each run and `oltp` job: its transactions a second, their latencies, and what the
    engine read and wrote for each. A scenario that cannot be run has one row, which says why
    under `error`.

    Raises OSError if a file cannot be read, ValueError for what `threads` and `detail` cannot
    be, and KeyboardInterrupt on Ctrl-C; no run is kept then.

        >>> gp3 = "scenarios/examples/gp3.yaml"
        >>> asked = [(gp3, {"duration": "30s", "storage.data.iops": n}) for n in (3000, 4000)]
        >>> table = blockyard.simulate_many(asked)
        >>> table["scenario"].to_pylist(), table["throttled_by"].to_pylist()
        ([0, 1], ['data.iops', 'data.iops'])
    """
    import pyarrow as pa

    asked = [given(scenario) for scenario in scenarios]
    count = len(os.sched_getaffinity(0)) if threads is None else threads
    if count < 1:
        raise ValueError(f"threads: {count}; expected 1 or more")
    table = pa.Table.from_batches([pa.record_batch(_core.simulate_many(asked, count, detail))])
    sets = [[] if isinstance(one, Scenario) else list(one[2]) for one in asked]
    return _with_sets(table, sets)


def _with_sets(table: "pa.Table", sets: Sequence[Sequence[str]]) -> "pa.Table":
    """The table of many runs with each scenario's overrides, and errors in Python's words."""
    import pyarrow as pa
    import pyarrow.compute as pc

    errors = pc.replace_substring_regex(table["error"], LINE_OF_A_DICT, "scenario: ")
    table = table.set_column(table.schema.get_field_index("error"), "error", errors)
    each = pa.array(sets, pa.list_(pa.string())).take(table["scenario"].combine_chunks())
    return table.add_column(1, "sets", each)


@in_python_words
def capacity(
    scenario: Asked,
    goals: str | Sequence[str] = (),
    sets: Mapping[str, object] | None = None,
    *,
    job: str | None = None,
    up_to: float | None = None,
    for_good: bool = False,
    most_ios: int = largest_load.MOST_IOS,
) -> Capacity:
    """Find the largest load at which `goals`, or else the scenario's, hold, to 1 %.

    The load is that of `job`, or of all jobs by one factor: processes, threads, IOs or
    transactions a second, up to `up_to`. As many IOs are simulated as `most_ios` allow. With
    `for_good` burst balances and saved-up tokens are used up before the start.
    `scenario` and `sets` are as for `simulate`.

    Raises ScenarioError for what is wrong with the scenario, a goal or the job, OSError if a file
    cannot be read, and KeyboardInterrupt on Ctrl-C.

        >>> gp3 = "scenarios/examples/gp3.yaml"
        >>> found = blockyard.capacity(gp3, "readers.latency.p99 < 1.5ms", {"duration": "30s"})
        >>> found["outcome"], found["holds"]
        ('found', 4)
    """
    asked = [goals] if isinstance(goals, str) else goals
    loaded = file_of(scenario, sets).scenario()
    return largest_load.find(
        loaded,
        asked,
        largest_load.nothing,
        job=job,
        up_to=up_to,
        for_good=for_good,
        most_ios=most_ios,
    )


@in_python_words
def what_if(
    scenario: Asked,
    sets: Mapping[str, object] | None = None,
    *,
    job: str | None = None,
    for_good: bool = False,
    region: str | None = None,
    term: Term = "on-demand",
    price_file: Place | None = None,
    most_ios: int = largest_load.MOST_IOS,
) -> Alternatives:
    """Try what one more volume, IOPS, throughput, a larger instance or another type would bring.

    Each change is simulated by itself, with the scenario's seed. Gains of all jobs count, or those
    of `job` alone; losses and goals of all count in either case. It costs what the prices of
    `region` or of `price_file` say, with instances paid for by `term`. `for_good` is as for
    `capacity`, `scenario` and `sets` are as for `simulate`, and so is what is raised.

        >>> found = blockyard.what_if("scenarios/examples/gp3.yaml", {"duration": "30s"})
        >>> [change["worth"] for change in found["changes"]][:2]
        ['pays', 'pays']
    """
    loaded = file_of(scenario, sets).scenario()
    return alternatives.find(
        loaded,
        largest_load.nothing,
        job=job,
        for_good=for_good,
        region=region,
        term=term,
        price_file=price_file,
        most_ios=most_ios,
    )


@in_python_words
def cost(
    of: Run | Variant,
    *,
    region: str | None = None,
    as_of: str | None = None,
    term: Term = "on-demand",
    hours_per_month: int = 730,
    price_file: Place | None = None,
    snapshots: str | None = None,
) -> Bill:
    """The bill of a run, or of a scenario as `simulate_many` takes it, line by line.

    `region` and `as_of` say where and on which day prices hold, in place of the scenario's;
    `term` how instances are paid for: `on-demand`, or reserved for one year as `1y-no-upfront`,
    `1y-partial-upfront` or `1y-all-upfront`. A `price_file` has prices of one's own, which come
    first. `snapshots`, as `"500GiB"`, adds that much of them. Of a run the bill also has what
    went from zone to zone, and under `work` what its IOs and transactions came to.

    Raises ScenarioError, in one line, for what is wrong with the scenario or the price file and
    for a price that is not known, which it says how to state; OSError if a file cannot be read.

        >>> bill = blockyard.cost("scenarios/examples/gp3.yaml", region="us-east-1")
        >>> [(line["of"], line["what"], line["per_month"]) for line in bill["lines"]]
        [('data', 'gp3', 8.0)]
    """
    terms = Terms(region, as_of, term, hours_per_month, price_file, snapshots)
    if isinstance(of, Run):
        return billing.of_run(of, terms)
    one = given(of)
    scenario = one if isinstance(one, Scenario) else Scenario.load(*one)
    return billing.of_scenario(scenario, terms)


@in_python_words
def bench(
    scenario: Asked,
    on: Mapping[str, Place],
    sets: Mapping[str, object] | None = None,
    *,
    size: str | None = None,
    out: Place | None = None,
    engine: str = "auto",
    threads: int | None = None,
    overwrite: Sequence[str] = (),
    verify: bool = False,
) -> RunView:
    """Run a scenario's workload on real files and block devices.

    `on` says what each device of the scenario is, as `{"data": "/mnt/data/test.dat"}`; a
    new file gets `size`, as `"4GiB"`. The rest is as for `simulate` and the command
    `blockyard bench`. Nothing that is mounted, in use or holds data is written to.

    Raises MachineError if the machine lacks something, RunError if the run failed before
    anything was measured, and else as `simulate`.
    """
    arguments = {
        "map": [(device, str(path)) for device, path in on.items()],
        "size": size,
        "overwrite": list(overwrite),
        "engine": engine,
        "threads": threads,
        "verify": verify,
    }

    def carry_out(run: RunSpec, directory: NewFolder, stop: threading.Event) -> Outcome | None:
        return bench_mode.bench(run, directory, arguments, stop=stop, view=_Warnings())

    return _made(scenario, sets, out, carry_out)


@in_python_words
def provision(
    layout: Scenario | Asked,
    form: str,
    sets: Mapping[str, object] | None = None,
    *,
    host: str | None = None,
    mounts: str | None = None,
) -> str:
    """Write what sets up the storage of a scenario, as text.

    `form` is `terraform` or `cloudformation`, which buy and attach volumes, `lvm`, a script that
    makes file systems of a host's volumes, or `iris`, the settings of its database server. For
    the last two `host` says which of the scenario's hosts, if there are several, and `mounts`
    where file systems are mounted, `/mnt` by default. The rest is as for `simulate`.

    Raises ScenarioError for what is wrong with the scenario, and for what the format has no form
    for. What it leaves out is a warning.

        >>> text = blockyard.provision("scenarios/examples/gp3.yaml", "terraform")
        >>> 'resource "aws_ebs_volume"' in text
        True
    """
    from blockyard.formats.provisioning import provisioned

    if isinstance(layout, Scenario):
        scenario, file = layout, layout.name
    else:
        asked = file_of(layout, sets)
        scenario, file = asked.scenario(), asked.name
    made = provisioned(scenario, file, form, host=host, mounts=mounts)
    for notice in made.notices:
        warnings.warn(notice, stacklevel=2)
    return made.text


class _Warnings(Observer):
    """Shows nothing but warnings, as Python's."""

    def warn(self, message: str) -> None:
        warnings.warn(message, stacklevel=2)


def _made(
    scenario: Asked,
    sets: Mapping[str, object] | None,
    out: Place | None,
    carry_out: Callable[[RunSpec, NewFolder, threading.Event], Outcome | None],
) -> RunView:
    """A run carried out and read back."""
    run = file_of(scenario, sets).runs()[0]
    kept = out is not None
    with contextlib.ExitStack() as stack:
        if out is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="blockyard-"))
            out = Path(folder) / run.name
        directory = stack.enter_context(NewFolder(Path(out)))
        stop = stack.enter_context(execution.stopping())
        outcome = carry_out(run, directory, stop)
        if stop.is_set() or outcome is None:
            raise KeyboardInterrupt
        made = load(Path(out))
        return made if kept else dataclasses.replace(made, path=None)
