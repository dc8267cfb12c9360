"""Fills the tables of docs/validation.md from fresh runs.

Each table stands between `<!-- begin: NAME -->` and `<!-- end: NAME -->`. With
`--check` nothing is written; a page that differs from the runs is an error.
The simulation is deterministic, so the page can be compared to the letter.
"""

import json
import re
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import mean
from typing import TypeAlias

from blockyard._core import Scenario
from blockyard.result import Cycle, Result

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "validation.md"
SCENARIOS = ROOT / "scenarios"

# Columns of an interval's job rows that are used here.
JOB, DEVICE, OP, IOS, MEAN_US = 1, 2, 3, 4, 6

Series: TypeAlias = dict[int, tuple[int, float]]
"""IOs and mean latency in microseconds, by second."""


@dataclass(frozen=True)
class Run:
    """A finished simulation with its seconds."""

    result: Result
    series: dict[tuple[str, str, str], Series]

    @cached_property
    def reads(self) -> Series:
        """The readers' seconds."""
        return self.series["readers", "data", "read"]

    @cached_property
    def writes(self) -> Series:
        """The database writes' seconds."""
        return self.series["writers", "data", "write"]

    def means_ms(self, width: int) -> list[float]:
        """The read latency in windows of `width` seconds."""
        windows: dict[int, list[tuple[int, float]]] = {}
        for second, row in self.reads.items():
            windows.setdefault(second // width, []).append(row)
        return [
            sum(ios * us for ios, us in rows) / sum(ios for ios, _ in rows) / 1000
            for rows in windows.values()
        ]

    def read_ms(self, seconds: Iterable[int]) -> float:
        """The mean read latency of some seconds."""
        rows = [self.reads[second] for second in seconds if second in self.reads]
        return sum(ios * us for ios, us in rows) / sum(ios for ios, _ in rows) / 1000

    def seconds_above(self, iops: float) -> int:
        """Seconds in which reads and database writes together passed `iops`."""
        return sum(
            ios + self.writes.get(second, (0, 0.0))[0] > iops
            for second, (ios, _) in self.reads.items()
        )

    @cached_property
    def cycles(self) -> list[Cycle]:
        """The write-daemon cycles."""
        return self.result["cycles"]

    def phase(self, begin: str, end: str) -> set[int]:
        """Whole seconds of all cycles between two of their times."""
        return {
            second
            for cycle in self.cycles
            for second in range(int(_time(cycle, begin)) + 1, int(_time(cycle, end)))
        }

    def idle(self) -> set[int]:
        """Seconds without any of a cycle's phases."""
        return set(self.reads) - {
            second
            for cycle in self.cycles
            for second in range(int(cycle["start_s"]), int(cycle["end_s"]) + 1)
        }

    def latency_ms(self, device: str, op: str, figure: str = "mean") -> float:
        """A figure of the writers' or readers' latency on a device."""
        for total in self.result["totals"]:
            if total["device"] == device and total["op"] == op:
                latency = json.loads(json.dumps(total["latency_us"]))
                return float(latency[figure]) / 1000
        raise KeyError(device, op)


def _time(cycle: Cycle, name: str) -> float:
    return float(json.loads(json.dumps(cycle))[name])


def run(job: tuple[str, tuple[str, ...]]) -> Run:
    """Simulates a scenario with some overrides."""
    name, sets = job
    path = SCENARIOS / name
    scenario = Scenario.load(path.read_text(), name, list(sets))
    series: dict[tuple[str, str, str], Series] = {}

    def observe(done_s: float, rows: Sequence[tuple[object, ...]], _volumes: object) -> bool:
        for row in rows:
            ios, us = row[IOS], row[MEAN_US]
            if isinstance(ios, int) and isinstance(us, float):
                key = (str(row[JOB]), str(row[DEVICE]), str(row[OP]))
                series.setdefault(key, {})[round(done_s) - 1] = (ios, us)
        return True

    return Run(json.loads(scenario.simulate(observe)), series)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def error(simulated: float, published: float) -> str:
    """How far off a figure is."""
    return f"{100 * (simulated / published - 1):+.1f} %"


def published(runs: dict[str, Run]) -> str:
    """The published figures beside the simulated ones."""
    a002, b080, a006, b083 = (runs[name] for name in ("a002", "b080", "a006", "b083"))
    in_range = "within"
    best = lambda series: max(ios for ios, _ in series.values())  # noqa: E731
    last_step = b080.result["steps"][-1]
    run_mean = b080.latency_ms("data", "read")
    rows = [
        ["A.002", "10 s means of the read latency", "0.7 to 1.5 ms",
         f"{min(a002.means_ms(10)):.2f} to {max(a002.means_ms(10)):.2f} ms", in_range],
        ["A.002", "IOPS, 10 readers", "nears 16,000",
         f"{a002.result['steps'][1]['iops']:,.0f}", error(a002.result["steps"][1]["iops"], 16000)],
        ["B.080", "IOPS, 50 readers", "nears 80,000",
         f"{last_step['iops']:,.0f}", error(last_step["iops"], 80000)],
        ["B.080", "mean read latency", "0.7 ms", f"{run_mean:.2f} ms", error(run_mean, 0.7)],
        ["B.080", "worst 10 s mean against A.002's", "below",
         f"{max(b080.means_ms(10)):.2f} against {max(a002.means_ms(10)):.2f} ms", in_range],
    ]
    for name, peaks in (("A.006", (a006, 12000, 8000)), ("B.083", (b083, 60000, 40000))):
        result, reads, writes = peaks
        for what, series, figure in (
            ("reads", result.reads, reads),
            ("writes", result.writes, writes),
        ):
            rows.append([name, f"{what} in the best second", f"about {figure:,}",
                         f"{best(series):,}", error(best(series), figure)])
    rows += [
        ["B.083", "worst second's mean read latency", "under 1.4 ms",
         f"{max(b083.means_ms(1)):.2f} ms", in_range],
        ["B.083", "most reads and writes in a second", "above 80,000",
         f"{b083.result['hosts'][0]['peak_iops_1s']:,.0f}", in_range],
    ]
    return table(["test", "figure", "published", "simulated", "error"], rows)


def phases(runs: dict[str, Run]) -> str:
    """How reads fare in the phases of the write-daemon cycle."""
    rows = []
    for name in ("a006", "a006-wij-on-data", "b083"):
        result = runs[name]
        rows.append([
            name.upper().replace("-WIJ-ON-DATA", ", WIJ on the data volume"),
            f"{result.read_ms(result.idle()):.2f} ms",
            f"{result.read_ms(result.phase('listed_s', 'wij_done_s')):.2f} ms",
            f"{result.read_ms(result.phase('journal_done_s', 'database_done_s')):.2f} ms",
            f"{mean(c['wij_done_s'] - c['listed_s'] for c in result.cycles):.1f} s",
            f"{mean(c['database_done_s'] - c['journal_done_s'] for c in result.cycles):.1f} s",
        ])
    head = ["test", "reads, idle", "reads, WIJ phase", "reads, database phase",
            "WIJ phase", "database phase"]
    return table(head, rows)


SENSITIVITY = {"a006": (16000, (3, 6, 12)), "b083": (80000, (14, 28, 56))}
SEEDS = range(1, 6)


def sensitivity(runs: dict[str, Run]) -> str:
    """What the assumed outstanding database writes decide."""
    rows = []
    for name, (limit, values) in SENSITIVITY.items():
        for outstanding in values:
            result = runs[f"{name}/{outstanding}"]
            phase = result.phase("journal_done_s", "database_done_s")
            rows.append([
                name.upper(), str(outstanding),
                f"{max(ios for ios, _ in result.writes.values()):,}",
                f"{result.read_ms(phase):.2f} ms",
                f"{max(result.means_ms(1)):.2f} ms",
                f"{mean(c['database_done_s'] - c['journal_done_s'] for c in result.cycles):.1f} s",
                f"{result.seconds_above(1.01 * limit) / len(result.cycles):.1f} s",
            ])
    head = ["test", "outstanding", "writes, best second", "reads, database phase",
            "reads, worst second", "database phase", "above the limit, a cycle"]
    return table(head, rows)


def seeds(runs: dict[str, Run]) -> str:
    """How far the figures move with the seed."""
    results = {name: [runs[f"{name}@{seed}"] for seed in SEEDS] for name in ("a002", "b080")}
    spread = lambda values, form: f"{min(values):{form}} to {max(values):{form}}"  # noqa: E731
    rows = [
        ["A.002 worst 10 s mean, ms", spread([max(r.means_ms(10)) for r in results["a002"]], ".2f")],
        ["B.080 worst 10 s mean, ms", spread([max(r.means_ms(10)) for r in results["b080"]], ".2f")],
        ["B.080 mean read latency, ms",
         spread([r.latency_ms("data", "read") for r in results["b080"]], ".3f")],
        ["B.080 IOPS, 50 readers",
         spread([r.result["steps"][-1]["iops"] for r in results["b080"]], ",.0f")],
    ]
    return table(["figure", f"seeds {SEEDS[0]} to {SEEDS[-1]}"], rows)


def predictions(runs: dict[str, Run]) -> str:
    """What the model says of the 2023 tests."""
    one, two = runs["test1-io2"], runs["test2-gp3-stripe"]

    def both(what: str, figure: object) -> list[str]:
        assert callable(figure)
        return [what, figure(one), figure(two)]

    def disturbance(result: Run, begin: str, end: str) -> str:
        calm, busy = result.read_ms(result.idle()), result.read_ms(result.phase(begin, end))
        return f"{busy:.2f} ms ({error(busy, calm)})"

    rows = [
        both("reads, IOPS over the run", lambda r: f"{mean(i for i, _ in r.reads.values()):,.0f}"),
        both("reads, mean latency", lambda r: f"{r.latency_ms('data', 'read'):.2f} ms"),
        both("reads, p99", lambda r: f"{r.latency_ms('data', 'read', 'p99'):.2f} ms"),
        both("reads, mean outside the cycle", lambda r: f"{r.read_ms(r.idle()):.2f} ms"),
        both("reads, mean in the WIJ phase", lambda r: disturbance(r, "listed_s", "wij_done_s")),
        both("reads, mean in the database phase",
             lambda r: disturbance(r, "journal_done_s", "database_done_s")),
        both("database writes, mean latency", lambda r: f"{r.latency_ms('data', 'write'):.2f} ms"),
        both("database writes, best second",
             lambda r: f"{max(i for i, _ in r.writes.values()):,}"),
        both("WIJ writes, mean latency", lambda r: f"{r.latency_ms('wij', 'write'):.2f} ms"),
        both("WIJ phase",
             lambda r: f"{mean(c['wij_done_s'] - c['listed_s'] for c in r.cycles):.1f} s"),
        both("database phase",
             lambda r: f"{mean(c['database_done_s'] - c['journal_done_s'] for c in r.cycles):.1f} s"),
    ]
    return table(["figure", "test 1: io2", "test 2: gp3 stripe"], rows)


def jobs() -> dict[str, tuple[str, tuple[str, ...]]]:
    """Everything that is run, by the name that the tables use."""
    files = [("intersystems-2022", name) for name in
             ("a002", "b080", "a006", "a006-wij-on-data", "b083")]
    files += [("intersystems-2023", name) for name in ("test1-io2", "test2-gp3-stripe")]
    found: dict[str, tuple[str, tuple[str, ...]]] = {
        name: (f"{folder}/{name}.yaml", ()) for folder, name in files
    }
    for name, (_, values) in SENSITIVITY.items():
        for outstanding in values:
            override = f"workload.writers.wdparm.outstanding={outstanding}"
            found[f"{name}/{outstanding}"] = (f"intersystems-2022/{name}.yaml", (override,))
    for name in ("a002", "b080"):
        for seed in SEEDS:
            found[f"{name}@{seed}"] = (f"intersystems-2022/{name}.yaml", (f"seed={seed}",))
    return found


def main() -> int:
    """Runs everything and fills in, or compares, the page."""
    planned = jobs()
    with ThreadPoolExecutor() as pool:
        runs = dict(zip(planned, pool.map(run, planned.values()), strict=True))
    page = PAGE.read_text()
    filled = page
    for make in (published, phases, sensitivity, seeds, predictions):
        mark = make.__name__
        pattern = re.compile(f"(<!-- begin: {mark} -->\n).*?(<!-- end: {mark} -->)", re.DOTALL)
        text = make(runs)
        filled, count = pattern.subn(lambda m, text=text: f"{m[1]}\n{text}\n\n{m[2]}", filled)  # type: ignore[misc]
        if count != 1:
            print(f"{PAGE}: no place for the table `{mark}`", file=sys.stderr)
            return 2
    if "--check" in sys.argv[1:]:
        if filled != page:
            print(f"{PAGE} is out of date; run scripts/validation.py", file=sys.stderr)
        return int(filled != page)
    PAGE.write_text(filled)
    return 0


if __name__ == "__main__":
    sys.exit(main())
