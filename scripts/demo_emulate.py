"""The last part of `make demo`: an emulated stripe, used for real, beside its simulation."""

import tempfile
from collections.abc import Callable
from pathlib import Path

from rich import box
from rich.table import Table

from blockyard.cli import running
from blockyard.cli.live_display import live
from blockyard.cli.simulate import carry_out
from blockyard.runs.execution import RunSpec, ScenarioFile, stopping_on_signals
from blockyard.runs.execution.bench import bench
from blockyard.text import formatting
from blockyard.types.result import Result
from demo_bench import whole
from served import serving

SCENARIO = Path(__file__).parent.parent / "scenarios" / "examples" / "stripe-2000.yaml"


def beside_its_twin() -> tuple[Table, list[Path]]:
    """The scenario simulated, and benched on the emulated device, as a table; run directories.

    Raises CommandError if either fails, with MachineError's status where FUSE is missing.
    """
    (run,) = ScenarioFile.read(SCENARIO, ["duration=10s", "warmup=2s"]).runs()
    paths = [running.dated(f"{run.name}-{how}") for how in ("simulated", "emulated", "benched")]
    (simulated,) = carry_out([run], paths[:1])
    with tempfile.TemporaryDirectory() as folder:
        benched = _on_emulated(run, Path(folder), paths[1], paths[2])
    results = [whole(simulated), benched]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for heading in ("five volumes of 2,000 IOPS", "simulated", "emulated, and benched"):
        table.add_column(heading)
    for name, figure in FIGURES:
        table.add_row(name, *(figure(result) for result in results))
    return table, paths


def _on_emulated(run: RunSpec, mount: Path, served: Path, path: Path) -> Result:
    """Some seconds on the device that another process serves."""
    arguments = {"map": [("data", str(mount / "data"))]}
    with (
        serving(SCENARIO, mount, served),
        stopping_on_signals() as stop,
        running.opened(path) as directory,
        live(run, full_screen=False) as view,
    ):
        return whole(bench(run, directory, arguments, stop=stop, view=view))


def _latency(result: Result, figure: str) -> str:
    latency = result["totals"][0]["latency_us"]
    return "-" if latency is None else formatting.latency(latency[figure])  # type: ignore[literal-required]


FIGURES: list[tuple[str, Callable[[Result], str]]] = [
    ("reads a second", lambda result: f"{result['totals'][0]['iops']:,.0f}"),
    ("mean latency", lambda result: _latency(result, "mean")),
    ("p50", lambda result: _latency(result, "p50")),
    ("p99", lambda result: _latency(result, "p99")),
]
