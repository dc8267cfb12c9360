"""`make demo`: what to buy, the published tests in virtual time, and a small one on this disk.

Plans what to buy for a database, with its price. Then simulates
scenarios/intersystems-2022/{a002,b080,b083}.yaml for their full 30 minutes and prints one table:
test, load, published figure, simulated figure, and what throttled it. Then it runs a small
database for some seconds on files in the current folder, serves an emulated stripe for as long,
and shows each beside its simulation. Finally it makes a report of B.083, to open in a browser.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import pyarrow.compute as pc
import pyarrow.parquet as pq
from rich import box
from rich.console import Console
from rich.table import Table

from blockyard import MachineError, RunError, ScenarioError
from blockyard._core import waited_in_words
from blockyard.cli import files
from blockyard.cli.running import dated
from blockyard.cli.simulate import carry_out
from blockyard.cli.status import CommandError, Status
from blockyard.formats.loading import load
from blockyard.pages import report
from blockyard.pages.page import html
from blockyard.runs.execution import ScenarioFile
from blockyard.text import formatting
from blockyard.types.facts import Waited
from blockyard.types.result import Result, Step, Total
from demo_bench import beside_each_other
from demo_emulate import beside_its_twin
from demo_plan import what_to_buy

SCENARIOS = Path(__file__).parent.parent / "scenarios" / "intersystems-2022"

SOURCE = (
    "https://community.intersystems.com/post/using-lvm-stripe-increase-aws-ebs-iops-and-throughput"
)


@dataclass(frozen=True)
class Simulated:
    """A run to read figures from."""

    directory: Path
    result: Result

    def total(self, op: str) -> Total:
        """The totals of `op` on the database."""
        return next(total for total in self.result["totals"] if _on_database(total, op))

    def step(self, op: str, number: int) -> Step:
        """The same in a load step."""
        return next(
            step
            for step in self.result["steps"]
            if step["step"] == number and _on_database(step, op)
        )

    def worst_second_us(self, op: str) -> float:
        """The highest one-second mean latency on the database."""
        table = pq.read_table(
            self.directory / "intervals.parquet",
            filters=[("device", "==", "data"), ("op", "==", op)],
        )
        return float(pc.max(table["latency_mean_us"]).as_py())

    def database_plateau(self) -> float:
        """Database writes in the median of the whole seconds in which the daemons write it."""
        table = pq.read_table(
            self.directory / "intervals.parquet",
            filters=[("device", "==", "data"), ("op", "==", "write")],
        )
        phases = [(one["journal_done_s"], one["database_done_s"]) for one in self.result["cycles"]]
        return median(
            float(row["ios"])
            for row in table.select(["t_s", "ios"]).to_pylist()
            if any(start <= row["t_s"] and row["t_s"] + 1 <= end for start, end in phases)
        )

    def throttled(self, from_s: float, to_s: float) -> list[Waited]:
        """The limits that throttled IOs of the database's volumes in a part of the run."""
        facts = load(self.directory).facts
        modelled = facts and facts["modelled"]
        times_us = [
            (
                series["limit"],
                sum(
                    us
                    for t_s, us in zip(series["t_s"], series["waited_us"], strict=True)
                    if from_s <= t_s < to_s
                ),
            )
            for series in (modelled["series"] if modelled else [])
            if series["limit"]["device"] in (None, "data")
        ]
        whole = sum(us for _, us in times_us)
        return [{"limit": limit, "share": us / whole} for limit, us in times_us if us]


def _on_database(total: Total, op: str) -> bool:
    return total["device"] == "data" and total["op"] == op


@dataclass(frozen=True)
class Published:
    """A published figure, and how to read the simulated one."""

    test: str
    load: str
    figure: str
    simulated: Callable[[Simulated, Total], str]
    op: str = "read"
    step: int | None = None


def _mean(_: Simulated, total: Total) -> str:
    latency = total["latency_us"]
    return formatting.latency(latency["mean"]) if latency else "-"


def _rate(run: Simulated, total: Total) -> str:
    return f"{total['iops']:,.0f} IOPS, {_mean(run, total)}"


def _peak(_: Simulated, total: Total) -> str:
    return f"peak {total['peak_iops']:,.0f}/s"


def _plateau(run: Simulated, _: Total) -> str:
    return f"plateau {run.database_plateau():,.0f}/s"


def _worst_second(run: Simulated, total: Total) -> str:
    return f"worst second {formatting.latency(run.worst_second_us(total['op']))}"


PUBLISHED = [
    Published("A.002", "5 readers", "0.7 to 1.5 ms", _rate, step=1),
    Published("A.002", "10 readers", "nears 16,000 IOPS", _rate, step=2),
    *(Published("B.080", f"{10 * step} readers", "", _rate, step=step) for step in range(1, 5)),
    Published("B.080", "50 readers", "nears 80,000 IOPS", _rate, step=5),
    Published("B.080", "all steps", "0.7 ms", _mean),
    Published("B.083", "reads", "peak about 60,000/s", _peak),
    Published("B.083", "reads", "under 1.4 ms", _worst_second),
    Published("B.083", "writes", "peak about 40,000/s", _plateau, op="write"),
]


def _table(simulated: dict[str, Simulated]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for heading in ("test", "load", "published", "simulated"):
        table.add_column(heading, no_wrap=heading == "test")
    table.add_column("throttled by")
    for row in PUBLISHED:
        run = simulated[row.test]
        if row.step is None:
            total, from_s, to_s = run.total(row.op), 0.0, run.result["duration_s"]
        else:
            step = run.step(row.op, row.step)
            total, from_s, to_s = step, step["from_s"], step["to_s"]
        throttled = waited_in_words(json.dumps(run.throttled(from_s, to_s)))
        table.add_row(row.test, row.load, row.figure, row.simulated(run, total), throttled)
    return table


def _simulate() -> dict[str, Simulated]:
    """Simulate all tests in full. Raises CommandError if one fails."""
    scenarios = [SCENARIOS / f"{test}.yaml" for test in ("a002", "b080", "b083")]
    runs = [run for file in scenarios for run in ScenarioFile.read(file, []).runs()]
    paths = [dated(run.name) for run in runs]
    simulated = {}
    for run, path, outcome in zip(runs, paths, carry_out(runs, paths), strict=True):
        if isinstance(outcome, BaseException):
            raise CommandError(f"{run.name}: {outcome}", Status.FAILED) from outcome
        if outcome is None or outcome.result["status"] == "interrupted":
            raise CommandError(f"{run.name}: interrupted", Status.INTERRUPTED)
        simulated[run.name] = Simulated(path, outcome.result)
    return simulated


def _emulated() -> tuple[Table | None, list[Path]]:
    """Serve a stripe and bench it. If the machine cannot serve files, say so and go on."""
    try:
        return beside_its_twin()
    except CommandError as error:
        if error.status != Status.LACKING:
            raise
        print(f"demo: no emulated stripe: {error}", file=sys.stderr)
        return None, []


def _reported(directory: Path) -> Path:
    """The report of a run, beside its directory."""
    page = directory.parent / f"{directory.name}.html"
    files.write(html(report.report([load(directory)], bin_s=5.0)), page)
    return page


def main() -> int:
    """Plan, simulate, bench, print what came of it, and make a report."""
    console = Console(highlight=False)
    try:
        print(what_to_buy())
        simulated = _simulate()
        console.print(_table(simulated))
        console.print(f"Published: {SOURCE}\n", soft_wrap=True)
        table, paths = beside_each_other()
        console.print(table)
        emulated, more = _emulated()
        page = _reported(simulated["B.083"].directory)
    except CommandError as error:
        print(f"demo: {error}", file=sys.stderr)
        return error.status
    except (MachineError, RunError, ScenarioError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return Status.FAILED
    if emulated:
        console.print(emulated)
    runs = ", ".join(map(str, [*(run.directory for run in simulated.values()), *paths, *more]))
    console.print(f"\nRuns: {runs}", soft_wrap=True)
    console.print(f"Open in a browser: {page}", soft_wrap=True)
    return Status.DONE


if __name__ == "__main__":
    sys.exit(main())
