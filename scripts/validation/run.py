"""A simulation with figures for each second."""

import json
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from statistics import mean, median
from typing import NamedTuple

import pyarrow as pa

from blockyard._core import RecordBatch, Scenario
from blockyard.runs.observer import Observer
from blockyard.types.result import Cycle, LatencyUs, Result

SCENARIOS = Path(__file__).parents[2] / "scenarios"


@dataclass(frozen=True)
class Job:
    """What to run: a scenario's path below `scenarios` and its overrides."""

    path: str
    sets: tuple[str, ...] = ()

    @property
    def scenario(self) -> Scenario:
        """The scenario with its overrides."""
        return Scenario.load((SCENARIOS / self.path).read_text(), self.path, list(self.sets))

    def run(self) -> "Run":
        """Simulate it."""
        return simulated(self.scenario)


@dataclass(frozen=True)
class Seconds:
    """IOs and mean latency in milliseconds of the seconds that had IO."""

    rows: dict[int, tuple[int, float]] = field(default_factory=dict)

    def ios(self, second: int) -> int:
        """IOs in a second."""
        return self.rows.get(second, (0, 0.0))[0]

    def best(self) -> int:
        """The most IOs in a second."""
        return max(ios for ios, _ in self.rows.values())

    def plateau(self, seconds: Iterable[int]) -> float:
        """IOs in the median of some seconds: neither a burst nor a pause moves it."""
        return median(self.ios(second) for second in seconds)

    def iops(self) -> float:
        """IOs a second over the seconds that had any."""
        return mean(ios for ios, _ in self.rows.values())

    def mean_ms(self, seconds: Iterable[int]) -> float:
        """The mean latency of some seconds."""
        rows = [self.rows[second] for second in seconds if second in self.rows]
        return sum(ios * ms for ios, ms in rows) / sum(ios for ios, _ in rows)

    def means_ms(self, width: int) -> list[float]:
        """The mean latency of each window of `width` seconds."""
        windows: dict[int, list[int]] = {}
        for second in self.rows:
            windows.setdefault(second // width, []).append(second)
        return [self.mean_ms(window) for window in windows.values()]


class TransactionSecond(NamedTuple):
    """A second in which transactions ended."""

    start_s: float
    # 95 % of them took no longer.
    p95_ms: float
    ended: int


class _Watch(Observer):
    """Collects the seconds of each job, device and operation, and those of transactions."""

    def __init__(self) -> None:
        self.seconds: dict[str, Seconds] = {}
        self.transactions: list[TransactionSecond] = []

    def rows(self, table: str, rows: RecordBatch) -> None:
        if table == "transactions":
            self.transactions += [
                TransactionSecond(row["t_s"], row["latency_p95_us"] / 1000, row["count"])
                for row in pa.record_batch(rows).to_pylist()
                if row["count"]
            ]
        if table != "intervals":
            return
        for row in pa.record_batch(rows).to_pylist():
            if row["ios"]:
                name = f"{row['job']}.{row['device']}.{row['op']}"
                series = self.seconds.setdefault(name, Seconds())
                series.rows[round(row["t_s"])] = (row["ios"], row["latency_mean_us"] / 1000)


@dataclass(frozen=True)
class Phase:
    """A phase of a write-daemon cycle: when it begins and ends."""

    begin: Callable[[Cycle], float]
    end: Callable[[Cycle], float]


WIJ = Phase(lambda cycle: cycle["listed_s"], lambda cycle: cycle["wij_done_s"])
DATABASE = Phase(lambda cycle: cycle["journal_done_s"], lambda cycle: cycle["database_done_s"])
CYCLE = Phase(lambda cycle: cycle["start_s"] - 1, lambda cycle: cycle["end_s"] + 1)


@dataclass(frozen=True)
class Run:
    """A finished simulation."""

    result: Result
    seconds: dict[str, Seconds]
    # Of its engine, if it has one.
    transactions: list[TransactionSecond] = field(default_factory=list)

    @cached_property
    def reads(self) -> Seconds:
        """The readers' reads."""
        return self.seconds["readers.data.read"]

    @cached_property
    def writes(self) -> Seconds:
        """The database writes."""
        return self.seconds["writers.data.write"]

    @cached_property
    def wij(self) -> Seconds:
        """The writes of the WIJ, where it has a device of its own."""
        return self.seconds["writers.wij.write"]

    def during(self, phase: Phase) -> set[int]:
        """Whole seconds of all cycles within a phase."""
        return {
            second
            for cycle in self.result["cycles"]
            for second in range(int(phase.begin(cycle)) + 1, int(phase.end(cycle)))
        }

    def idle(self) -> set[int]:
        """Seconds without any of a cycle's phases."""
        return set(self.reads.rows) - self.during(CYCLE)

    def length_s(self, phase: Phase) -> float:
        """Mean length of a phase."""
        return mean(phase.end(cycle) - phase.begin(cycle) for cycle in self.result["cycles"])

    def latency(self, device: str, op: str) -> LatencyUs:
        """The latency of a device's operation over the run."""
        for total in self.result["totals"]:
            if (total["device"], total["op"]) == (device, op) and total["latency_us"]:
                return total["latency_us"]
        raise KeyError(device, op)


# The finished simulations, by the name that the tables use.
Runs = Mapping[str, Run]


def run_all(jobs: Mapping[str, Job]) -> Runs:
    """Simulate all jobs, on all processors; those that ask for the same scenario, once."""
    asked = {name: job.scenario for name, job in jobs.items()}
    different = list(dict.fromkeys(asked.values()))
    with ThreadPoolExecutor() as pool:
        runs = dict(zip(different, pool.map(simulated, different), strict=True))
    return {name: runs[scenario] for name, scenario in asked.items()}


def simulated(scenario: Scenario) -> Run:
    """Simulate a scenario."""
    watch = _Watch()
    result = scenario.simulate(watch)
    if result is None:
        raise KeyboardInterrupt
    return Run(json.loads(result), watch.seconds, watch.transactions)
