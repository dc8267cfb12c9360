"""What `import blockyard` offers: runs as Python objects."""

import contextlib
import dataclasses
import json
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from blockyard import benching, execution
from blockyard.execution import Options, Outcome, Planned, ScenarioFile
from blockyard.fresh import NewFolder
from blockyard.loading import load
from blockyard.view import RunView

Place = str | Path

# A scenario file, or what stands in one.
Asked = Place | Mapping[str, object]


def simulate(
    scenario: Asked,
    sets: Mapping[str, object] | None = None,
    *,
    out: Place | None = None,
) -> RunView:
    """Simulate a scenario, a file or a dict of what stands in one, in virtual time.

    `sets` overrides values by their paths, as `{"storage.data.iops": 6000, "seed": 2}` or
    nested, `{"storage": {"data": {"iops": 6000}}}`; None takes a value away.
    The run directory is written to `out`, which must not exist, or else not kept. Of a
    scenario with repeats this is the first run; the others differ by their seeds.

    Raises ScenarioError for what is wrong with the scenario, OSError if something cannot
    be read or written, and KeyboardInterrupt on Ctrl-C.

        >>> run = blockyard.simulate("scenarios/examples/gp3.yaml", {"duration": "30s"})
        >>> run.result["status"]
        'complete'
    """
    def carry_out(run: Planned, directory: NewFolder, stop: threading.Event) -> Outcome | None:
        return execution.simulate(run, directory, options=Options(), stop=stop, advanced=_unshown)

    return _made(scenario, sets, out, carry_out)


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
    scenario: Asked,
    sets: Mapping[str, object] | None,
    out: Place | None,
    carry_out: Callable[[Planned, NewFolder, threading.Event], Outcome | None],
) -> RunView:
    """A run carried out and read back."""
    run = _file(scenario, tuple(_overrides(sets or {}))).runs()[0]
    kept = out is not None
    with contextlib.ExitStack() as stack:
        if out is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="blockyard-"))
            out = Path(folder) / run.name
        directory = stack.enter_context(NewFolder(Path(out)))
        stop = stack.enter_context(_stopping())
        outcome = carry_out(run, directory, stop)
        if stop.is_set() or outcome is None:
            raise KeyboardInterrupt
        made = load(Path(out))
        return made if kept else dataclasses.replace(made, path=None)


def _file(scenario: Asked, overrides: tuple[str, ...]) -> ScenarioFile:
    if isinstance(scenario, Mapping):
        return ScenarioFile(_json(scenario), "scenario", overrides)
    return ScenarioFile.read(Path(scenario), overrides)


def _overrides(sets: Mapping[str, object], above: str = "") -> Iterator[str]:
    """Values as `--set` takes them: PATH=VALUE."""
    for name, value in sets.items():
        path = f"{above}{name}"
        if isinstance(value, Mapping):
            yield from _overrides(value, f"{path}.")
        else:
            yield f"{path}={value if isinstance(value, str) else _json(value)}"


def _json(value: object) -> str:
    """A value as JSON, which is YAML too; what JSON lacks, such as a path, as its text."""
    return json.dumps(value, default=str, ensure_ascii=False)


@contextlib.contextmanager
def _stopping() -> Iterator[threading.Event]:
    """Set by Ctrl-C; where signals do not arrive, by nothing."""
    if threading.current_thread() is threading.main_thread():
        with execution.stopping_on_signals() as stop:
            yield stop
    else:
        yield threading.Event()
