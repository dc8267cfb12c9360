"""Simulate scenarios, one or many, in virtual time."""

import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from blockyard._core import Scenario
from blockyard._core import simulate_many as run_many
from blockyard.pages.view import RunView
from blockyard.questions.arguments import (
    LINE_OF_A_DICT,
    Asked,
    Place,
    Variant,
    given,
    in_python_words,
)
from blockyard.questions.fresh_run import fresh_run
from blockyard.runs.execution import Outcome, RunSpec
from blockyard.runs.execution import simulate as mode
from blockyard.runs.execution.simulate import Options
from blockyard.runs.new_folder import NewFolder
from blockyard.runs.observer import Observer

if TYPE_CHECKING:
    import pyarrow as pa


@in_python_words
def simulate(
    scenario: Asked,
    sets: Mapping[str, object] | None = None,
    *,
    out: Place | None = None,
    seeds: int | None = 1,
    advice: bool = False,
) -> RunView:
    """Simulate a scenario, a file or a dict of what stands in one, in virtual time.

    `sets` overrides values by their paths, as `{"storage.data.iops": 6000, "seed": 2}` or
    nested, `{"storage": {"data": {"iops": 6000}}}`; None takes a value away.
    The run directory is written to `out`, which must not exist, or else not kept. Of a
    scenario with repeats this is the first run; the others differ by their seeds. With `seeds`
    above 1 it is simulated with so many in all, and the result says under `by_seed` between
    what its figures lie; None takes as many, up to 8, as the command does. With `advice` what
    would help is tried, for its report, which takes up to some seconds.

    Raises ScenarioError for what is wrong with the scenario, OSError if something cannot
    be read or written, and KeyboardInterrupt on Ctrl-C.

        >>> run = blockyard.simulate("scenarios/examples/gp3.yaml", {"duration": "30s"})
        >>> run.result["status"]
        'complete'
    """
    if seeds is not None and seeds < 1:
        raise ValueError(f"seeds: {seeds}; expected 1 or more, or None for as many as suffice")

    def carry_out(run: RunSpec, directory: NewFolder, stop: threading.Event) -> Outcome | None:
        return mode.simulate(
            run, directory, options=Options(seeds=seeds, advice=advice), stop=stop, view=Observer()
        )

    return fresh_run(scenario, sets, out, carry_out)


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
    table = pa.Table.from_batches([pa.record_batch(run_many(asked, count, detail))])
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
