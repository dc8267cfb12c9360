"""What a report says at its head of each run."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from blockyard.runs.run import Run
from blockyard.text.formatting import duration
from blockyard.types.result import Machine

_HOW = {
    "simulate": "modelled workload on modelled storage, in virtual time",
    "bench": "modelled workload on real storage",
    "emulate": "real workload on modelled storage",
    "fio": "read from what fio wrote",
    "iostat": "read from what iostat wrote",
    "yaspe": "read from yaspe's database",
    "sar": "read from what sar wrote",
    "diskstats": "read from copies of /proc/diskstats",
    "prometheus": "read from node_exporter's counters",
    "systemperformance": "read from a report of SystemPerformance",
    "pgbench": "read from what pgbench wrote",
    "sysbench": "read from what sysbench wrote",
}


@dataclass(frozen=True)
class Head:
    """A run: its name, facts as (what, value), and its scenario if it has one."""

    name: str
    facts: tuple[tuple[str, str], ...]
    scenario: str | None

    @classmethod
    def of(cls, run: Run) -> Self:
        """What is to be said of a run."""
        return cls(run.name, tuple(_facts(run)), run.scenario)


def _facts(run: Run) -> Iterator[tuple[str, str]]:
    result = run.result
    yield "mode", f"{result['mode']}: {_HOW[result['mode']]}"
    yield "duration", duration(result["duration_s"])
    reason = f": {result['reason']}" if result.get("reason") else ""
    yield "status", result["status"] + reason
    if run.scenario is not None:
        yield "scenario", result["scenario"]
        yield "seed", str(result["seed"])
    machine = result.get("machine")
    if machine:
        yield from _machine(machine)
    if run.path:
        yield "from", str(run.path)


def _machine(machine: Machine) -> Iterator[tuple[str, str]]:
    if machine["started"]:
        yield "started", machine["started"]
    yield "IO", machine["engine"]
    if machine["processors"]:
        yield "processors", f"{machine['processors']} of {machine['processor']}"
    if machine["kernel"]:
        yield "kernel", f"Linux {machine['kernel']}"
    for target in machine["targets"]:
        yield target["device"], target["path"]
