"""Would fewer numbers do? `PYTHONPATH=scripts python -m validation.measured.fewer`.

Puts three parameters (median, log-normal spread, Pareto tail from p99 on) in place of each table of
quantiles in catalog/latency.yaml, in two ways, and prints the median errors of all rows with the
tables and without. docs/validation.md has the outcome. It takes minutes, so that nothing calls it.
"""

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist, median
from typing import Any

from validation.markdown import table
from validation.measured.cells import column_of, short
from validation.measured.compare import Compared, compare
from validation.measured.errors import by
from validation.measured.mechanisms import latencies, mean_ns, nanos, of_profile, share
from validation.measured.rows import Row, read
from validation.measured.samples import in_sample

# Profiles of storage that was measured, without disks that seek.
PROFILES = ("gp2", "gp3", "io1", "io2", "io2-block-express", "instance-store")
COLUMNS = ("mean", "p50", "p95", "p99", "p99_9")
QUANTILES = ("min", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p98", "p99", "p99_9",
             "p99_99", "max")  # fmt: skip
TAIL = 0.99


def _normal(at: float) -> float:
    return NormalDist().inv_cdf(at)


@dataclass(frozen=True)
class Shape:
    """A latency as three numbers: its median in ns, the spread of its logarithm, its tail."""

    median: float
    spread: float
    tail: float

    @staticmethod
    def through(quantiles: Mapping[str, float]) -> "Shape":
        """Of the table's own p50, p99 and p99.9."""
        p50, p99 = quantiles["p50"], quantiles["p99"]
        return Shape(p50, math.log(p99 / p50) / _normal(TAIL), quantiles["p99_9"] / p99)

    @staticmethod
    def nearest(quantiles: Mapping[str, float]) -> "Shape":
        """The least squares of p1 to p95, and the tail on to the table's own p99.9."""
        points = [(_normal(share(name)), math.log(ns)) for name, ns in quantiles.items()
                  if 0.005 < share(name) < 0.96]  # fmt: skip
        middle = sum(x for x, _ in points) / len(points)
        level = sum(y for _, y in points) / len(points)
        rise = sum((x - middle) * (y - level) for x, y in points)
        spread = rise / sum((x - middle) ** 2 for x, _ in points)
        p50 = math.exp(level - spread * middle)
        p99 = p50 * math.exp(spread * _normal(TAIL))
        return Shape(p50, spread, max(quantiles["p99_9"] / p99, 1.1))

    def at(self, name: str) -> float:
        """A quantile."""
        if name == "max":
            return 3 * self.at("p99_99")
        below = max(share(name), 1e-4)
        body = self.median * math.exp(self.spread * _normal(min(below, TAIL)))
        return float(body * self.tail ** max(0.0, math.log10((1 - TAIL) / (1 - below))))

    def quantiles(self) -> dict[str, str]:
        """As a table of the catalog."""
        return {name: f"{round(self.at(name))}ns" for name in QUANTILES}


WAYS = {"through p50, p99 and p99.9": Shape.through, "least squares": Shape.nearest}


def shaped(way: str, profile: str) -> dict[str, Any]:
    """A profile's reads and writes with three numbers each; nothing of one that stays."""
    if profile not in PROFILES:
        return {}
    tables = latencies()[profile]
    return {op: _shape(tables[op]["value"], way).quantiles() for op in ("read", "write")}


def _shape(quantiles: Mapping[str, str], way: str) -> Shape:
    return WAYS[way]({name: nanos(value) for name, value in quantiles.items()})


def _differences() -> str:
    """What both ways do to the tables themselves."""
    lines = []
    for profile in PROFILES:
        for op in ("read", "write"):
            own = latencies()[profile][op]["value"]
            for way in WAYS:
                made = _shape(own, way).quantiles()
                mean = mean_ns(made) / mean_ns(own) - 1
                p99 = nanos(made["p99"]) / nanos(own["p99"]) - 1
                lines.append([profile, op, way, f"{100 * mean:+.1f} %", f"{100 * p99:+.1f} %"])
    return table(("profile", "operation", "three numbers", "mean", "p99"), lines)


def errors(rows: list[Row]) -> str:
    """Median errors of all rows, as they are and in both ways, in-sample and out of sample."""
    ours = in_sample(rows)
    made = {way: compare(rows, of_profile(partial(shaped, way))).compared for way in WAYS}
    as_is = compare(rows).compared
    found = {"tables": {row: as_is[row] for row in next(iter(made.values()))}, **made}
    lines = []
    for inside in (False, True):
        for column in COLUMNS:
            cells = [_median(of, column, ours, inside) for of in found.values()]
            lines.append(["in-sample" if inside else "out of sample", short(column), *cells])
    return table(("rows", "figure", *found), lines)


def _median(
    compared: Mapping[str, tuple[Compared, ...]], column: str, ours: frozenset[str], inside: bool
) -> str:
    own = [one for of in compared.values() for one in of
           if column_of(one.figure.quantity) == column and (one.row in ours) == inside]  # fmt: skip
    signed = by(own, lambda _: "").get("", [])
    return f"{100 * median(abs(error) for error in signed):.1f} %" if signed else ""


def main() -> int:
    """Print both tables."""
    print(_differences())
    print()
    # Of capacities there is nothing but a limit.
    print(errors([row for row in read() if row.workload.rw != "capacity"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
