"""Run the workload of a scenario on real storage."""

import threading
import warnings
from collections.abc import Mapping, Sequence

from blockyard.pages.view import RunView
from blockyard.questions.arguments import Asked, Place, in_python_words
from blockyard.questions.fresh_run import fresh_run
from blockyard.runs.execution import Outcome, RunSpec
from blockyard.runs.execution import bench as mode
from blockyard.runs.new_folder import NewFolder
from blockyard.runs.observer import Observer


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
        return mode.bench(run, directory, arguments, stop=stop, view=_Warnings())

    return fresh_run(scenario, sets, out, carry_out)


class _Warnings(Observer):
    """Shows nothing but warnings, as Python's."""

    def warn(self, message: str) -> None:
        warnings.warn(message, stacklevel=2)
