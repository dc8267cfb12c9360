"""Fits the engine's parameters to the public rows, to all and with each left out.

`PYTHONPATH=scripts python -m validation.percona_fit` fills the part of docs/validation-percona.md
on rows left out. Takes some five minutes of processor time, so that nothing calls it.

Three factors on the scenario's values: pages of a transaction, changed pages, pages that are
written a second in the background. What is least is the sum of squares of the logarithms of
simulated over published transactions a second: Gauss and Newton's steps over differences, with
Broyden's correction after each step, and a step that brings nothing is halved once. To find the
steps, runs are short; what a short run has against a whole one with the scenario's own values is
taken off. The errors that are published are those of whole runs.
"""

import re
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import log
from statistics import median

import numpy as np
from numpy.typing import NDArray

from marked import fill, settled
from validation.percona import BASE, PAGE, PUBLISHED, Row, tps
from validation.run import SCENARIOS

Vector = NDArray[np.float64]

COMMAND = "PYTHONPATH=scripts .venv/bin/python -m validation.percona_fit"

# How far from the scenario's values the differences are taken: far enough that the rounding of
# pages to whole ones, and chance, are small beside them.
APART = 0.1

# Steps from the scenario's values to all rows' fit, and from there to each with a row left out.
STEPS, STEPS_WITHOUT = 2, 1

# Of runs by which steps are found.
SHORT = ("warmup=150s", "duration=350s")

# Half of a step without gain.
HALF = 0.5

_SCENARIO = (SCENARIOS / BASE).read_text()

# Of each kind the pages that it accesses and changes, as the scenario has them.
_KINDS = [
    (kind, int(pages), int(changes or 0))
    for kind, pages, changes in re.findall(
        r"(\w+): {.*?pages: (\d+)(?:, changes: (\d+))?", _SCENARIO
    )
]
_FLUSH = int(re.findall(r"flush: {rate: (\d+)/s", _SCENARIO)[0])

# By what the scenario's own values are above what the statements count.
_PAGES, _CHANGES = 1.75, 1.5


@dataclass(frozen=True)
class Point:
    """Logarithms of the factors, and of simulated over published of each row."""

    factors: Vector
    errors: Vector

    def squares(self, rows: Sequence[int]) -> float:
        """The sum of squares of some rows."""
        return float((self.errors[list(rows)] ** 2).sum())


def sets(factors: Vector) -> tuple[str, ...]:
    """The overrides by which the scenario has these."""
    pages, changes, flush = np.exp(factors)
    found = [f"workload.tpcc.flush.rate={round(_FLUSH * flush)}/s"]
    for kind, accesses, changes_of_kind in _KINDS:
        path = f"workload.tpcc.transactions.{kind}"
        accessed = max(1, round(accesses * pages))
        found.append(f"{path}.pages={accessed}")
        if changes_of_kind:
            # No page is changed that is not accessed.
            changed = min(accessed, max(1, round(changes_of_kind * changes)))
            found.append(f"{path}.changes={changed}")
    return tuple(found)


class Fit:
    """Evaluations on a few threads."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self._pool = pool
        start = np.zeros(3)
        self.start = Point(start, self.whole([start] * len(PUBLISHED)))
        self._short = self._errors([start] * len(PUBLISHED), SHORT) - self.start.errors

    def _errors(self, factors: Sequence[Vector], more: tuple[str, ...]) -> Vector:
        def error(row: Row, own: Vector) -> float:
            return log(tps(row.run(*sets(own), *more)) / row.tps)

        return np.array(list(self._pool.map(error, PUBLISHED, factors)))

    def whole(self, factors: Sequence[Vector]) -> Vector:
        """The errors of whole runs, of each row with factors of its own."""
        return self._errors(factors, ())

    def at(self, factors: Vector) -> Point:
        """Simulate all rows."""
        point = Point(factors, self._errors([factors] * len(PUBLISHED), SHORT) - self._short)
        told = " ".join(f"{100 * np.expm1(error):+.1f}" for error in point.errors)
        print(f"{np.exp(factors).round(3)}: {told}", file=sys.stderr, flush=True)
        return point

    def slopes(self, start: Point) -> NDArray[np.float64]:
        """How the errors change with each factor."""
        apart = np.eye(len(start.factors)) * log(1 + APART)
        columns = [(self.at(start.factors + step).errors - start.errors) for step in apart]
        return np.array(columns).T / log(1 + APART)

    def least(
        self, start: Point, slopes: NDArray[np.float64], rows: Sequence[int], steps: int
    ) -> tuple[Point, NDArray[np.float64]]:
        """The best point for some rows after so many steps, and the slopes there."""
        kept, best = list(rows), start
        for _ in range(steps):
            step = -np.linalg.lstsq(slopes[kept], best.errors[kept])[0]
            found = self.at(best.factors + step)
            slopes = _corrected(slopes, best, found)
            if found.squares(rows) >= best.squares(rows):
                found = self.at(best.factors + HALF * step)
            if found.squares(rows) >= best.squares(rows):
                break
            best = found
        return best, slopes


def _corrected(slopes: NDArray[np.float64], before: Point, after: Point) -> NDArray[np.float64]:
    """Slopes that are right for the step that was made."""
    step = after.factors - before.factors
    missed = after.errors - before.errors - slopes @ step
    corrected: NDArray[np.float64] = slopes + np.outer(missed, step) / (step @ step)
    return corrected


def _values(point: Point) -> list[str]:
    pages, changes, flush = np.exp(point.factors)
    return [f"{_PAGES * pages:.2f}", f"{_CHANGES * changes:.2f}", f"{_FLUSH * flush:,.0f}"]


def _sums(errors: Sequence[float]) -> str:
    sizes = sorted(abs(np.expm1(error)) for error in errors)
    return f"median error {100 * median(sizes):.1f} %, largest {100 * sizes[-1]:.1f} %"


def written(whole: Point, without: Sequence[Point]) -> str:
    """The part of the page; with the errors of whole runs."""
    pages, changes, flush = _values(whole)
    held_out = [point.errors[place] for place, point in enumerate(without)]
    moved = [_range([_values(point)[place] for point in without]) for place in range(3)]
    return (
        f"Rows left out: {_sums(held_out)}; the fit to all: {_sums(list(whole.errors))}. The fit "
        f"to all has {pages} times the page count, {changes} times the changes, and {flush} pages "
        f"flushed a second; with a row left out they lie between {moved[0]}, {moved[1]}, and "
        f"{moved[2]}."
    )


def _range(values: Sequence[str]) -> str:
    rising = sorted(values, key=lambda value: float(value.replace(",", "")))
    return f"{rising[0]} and {rising[-1]}"


def main() -> int:
    """Fills in, or compares, the page."""
    everything = range(len(PUBLISHED))
    with ThreadPoolExecutor(2) as pool:
        fit = Fit(pool)
        whole, slopes = fit.least(fit.start, fit.slopes(fit.start), everything, STEPS)
        without = [
            fit.least(whole, slopes, [row for row in everything if row != left], STEPS_WITHOUT)[0]
            for left in everything
        ]
        whole = Point(whole.factors, fit.whole([whole.factors] * len(PUBLISHED)))
        left_out = fit.whole([point.factors for point in without])
        without = [Point(point.factors, left_out) for point in without]
    page = fill(PAGE.read_text(), "left out", written(whole, without))
    return int(not settled(PAGE, page, COMMAND))


if __name__ == "__main__":
    sys.exit(main())
