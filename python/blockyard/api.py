"""What `import blockyard` offers: runs as Python objects."""

import contextlib
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from blockyard import benching, execution
from blockyard.execution import Options, Outcome, Planned, ScenarioFile
from blockyard.fresh import NewFolder
from blockyard.loading import load
from blockyard.run import Run

Place = str | Path


def simulate(
    scenario: Place,
    sets: Mapping[str, object] | None = None,
    *,
    out: Place | None = None,
    stepwise: bool = False,
) -> Run:
    """Simulate a scenario file in virtual time.

    `sets` overrides values by their paths, as `{"storage.data.iops": 6000, "seed": 2}`.
    The run directory is written to `out`, which must not exist, or else not kept. Of a
    scenario with repeats this is the first run; the others differ by their seeds.

    Raises ScenarioError for what is wrong with the scenario, OSError if something cannot
    be read or written, and KeyboardInterrupt on Ctrl-C, at the end of the interval.

        >>> run = blockyard.simulate("scenarios/examples/gp3.yaml", {"duration": "30s"})
        >>> run.result["status"]
        'complete'
    """
    options = Options(stepwise=stepwise)

    def carry_out(run: Planned, directory: NewFolder, stop: threading.Event) -> Outcome | None:
        return execution.simulate(run, directory, options=options, stop=stop, advanced=_unshown)

    return _made(scenario, sets, out, carry_out)


def bench(
    scenario: Place,
    on: Mapping[str, Place],
    sets: Mapping[str, object] | None = None,
    *,
    size: str | None = None,
    out: Place | None = None,
    engine: str = "auto",
    threads: int | None = None,
    overwrite: Sequence[str] = (),
    verify: bool = False,
) -> Run:
    """Run a scenario's workload on real files and block devices.

    `on` says what each device of the scenario is, as `{"data": "/mnt/data/test.dat"}`; a
    new file gets `size`, as `"4GiB"`. The rest is as for `simulate` and the command
    `blockyard bench`. Nothing that is mounted, in use or holds data is written to.

    Raises MachineError if the machine lacks something, RunError if the run failed before
    anything was measured, and else as `simulate`.
    """
    arguments = benching.usual([(device, str(path)) for device, path in on.items()]) | {
        "size": size,
        "overwrite": list(overwrite),
        "engine": engine,
        "threads": threads,
        "verify": verify,
    }

    def carry_out(run: Planned, directory: NewFolder, stop: threading.Event) -> Outcome | None:
        return benching.bench(run, directory, arguments, stop=stop, view=_Unseen())

    return _made(scenario, sets, out, carry_out)


def _unshown(_done_s: float) -> None:
    """No progress is shown."""


class _Unseen:
    """Shows nothing but warnings, as Python's."""

    def prepared(self, device: str, done: int, of: int) -> None:
        pass

    def interval(self, done_s: float, job_rows: list[tuple[object, ...]]) -> None:
        pass

    def warn(self, message: str) -> None:
        import warnings

        warnings.warn(message, stacklevel=2)


def _made(
    scenario: Place,
    sets: Mapping[str, object] | None,
    out: Place | None,
    carry_out: Callable[[Planned, NewFolder, threading.Event], Outcome | None],
) -> Run:
    """A run carried out and read back."""
    overrides = [f"{path}={_written(value)}" for path, value in (sets or {}).items()]
    run = ScenarioFile.read(Path(scenario), overrides).runs()[0]
    with contextlib.ExitStack() as stack:
        if out is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="blockyard-"))
            out = Path(folder) / run.name
        directory = stack.enter_context(NewFolder(Path(out)))
        stop = stack.enter_context(_stopping())
        outcome = carry_out(run, directory, stop)
        if stop.is_set() or outcome is None:
            raise KeyboardInterrupt
        return load(Path(out))


def _written(value: object) -> str:
    """A value as `--set` takes it: lists and booleans as YAML has them."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_written, value))}]"
    return str(value)


@contextlib.contextmanager
def _stopping() -> Iterator[threading.Event]:
    """Set by Ctrl-C; where signals do not arrive, by nothing."""
    if threading.current_thread() is threading.main_thread():
        with execution.stopping_on_signals() as stop:
            yield stop
    else:
        yield threading.Event()
