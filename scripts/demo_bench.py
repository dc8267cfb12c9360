"""The second part of `make demo`: a small database simulated, and on this machine's disk."""

import statistics
from collections.abc import Callable
from pathlib import Path

from rich import box
from rich.table import Table

from blockyard.cli import running
from blockyard.cli.live_display import live
from blockyard.cli.simulate import carry_out
from blockyard.cli.status import CommandError, Status
from blockyard.runs.execution import Outcome, RunSpec, ScenarioFile, stopping_on_signals
from blockyard.runs.execution.bench import bench
from blockyard.text import formatting
from blockyard.types.result import Result, Total

SCENARIO = Path(__file__).parent.parent / "scenarios" / "examples" / "small-database.yaml"
FILES = {"data": Path("demo-data.dat"), "wij": Path("demo-wij.dat")}


def beside_each_other() -> tuple[Table, list[Path]]:
    """The scenario simulated and benched for some seconds, in a table; the run directories.

    Raises CommandError if either fails.
    """
    # Long enough for one cycle of the write daemons.
    (run,) = ScenarioFile.read(SCENARIO, ["duration=15s"]).runs()
    paths = [running.dated(f"{run.name}-{how}") for how in ("simulated", "benched")]
    (simulated,) = carry_out([run], paths[:1])
    results = [whole(outcome) for outcome in (simulated, _on_disk(run, paths[1]))]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for heading in ("a small database", "simulated on gp3", "on this disk"):
        table.add_column(heading)
    for name, figure in FIGURES:
        table.add_row(name, *(figure(result) for result in results))
    return table, paths


def _on_disk(run: RunSpec, path: Path) -> Outcome | None:
    """Some seconds on files in the current folder, which are removed again."""
    arguments = {"map": [(device, str(file)) for device, file in FILES.items()]}
    try:
        with (
            stopping_on_signals() as stop,
            running.opened(path) as directory,
            live(run, full_screen=False) as view,
        ):
            return bench(run, directory, arguments, stop=stop, view=view)
    finally:
        for file in FILES.values():
            file.unlink(missing_ok=True)


def whole(outcome: Outcome | BaseException | None) -> Result:
    """The result of a complete run. Raises CommandError for any other."""
    if isinstance(outcome, BaseException):
        raise CommandError(str(outcome), Status.FAILED) from outcome
    if outcome is None or outcome.result["status"] == "interrupted":
        raise CommandError("interrupted", Status.INTERRUPTED)
    if outcome.result["status"] == "failed":
        raise CommandError(str(outcome.result["reason"]), Status.FAILED)
    return outcome.result


def _of(result: Result, job: str, device: str, op: str) -> Total:
    return next(
        total
        for total in result["totals"]
        if (total["job"], total["device"], total["op"]) == (job, device, op)
    )


def _latency(result: Result, *key: str) -> str:
    latency = _of(result, *key)["latency_us"]
    if latency is None:
        return "-"
    return f"{formatting.latency(latency['mean'])}, p99 {formatting.latency(latency['p99'])}"


def _cycle(result: Result) -> str:
    lengths = [cycle["end_s"] - cycle["start_s"] for cycle in result["cycles"]]
    return f"{statistics.mean(lengths):.2f} s" if lengths else "-"


FIGURES: list[tuple[str, Callable[[Result], str]]] = [
    ("reads a second", lambda result: f"{_of(result, 'readers', 'data', 'read')['iops']:,.0f}"),
    ("read latency", lambda result: _latency(result, "readers", "data", "read")),
    ("write-daemon cycle", _cycle),
    (
        "database writes, best second",
        lambda result: f"{_of(result, 'writers', 'data', 'write')['peak_iops']:,.0f}",
    ),
    ("database write latency", lambda result: _latency(result, "writers", "data", "write")),
    ("WIJ and journal write latency", lambda result: _latency(result, "writers", "wij", "write")),
    ("flush latency", lambda result: _latency(result, "writers", "wij", "flush")),
]
