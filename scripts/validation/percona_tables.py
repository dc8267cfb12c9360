"""Fills the part of docs/validation-percona.md on the scenario by table, from a cold start.

`PYTHONPATH=scripts python -m validation.percona_tables` takes some twelve minutes of processor
time, so that nothing calls it.

One number is fitted: pages written a second in the background, to the eight rows that were known
first. What is least, of two rates, is the sum of squares of the logarithms of simulated over
published transactions a second. With a row left out it is chosen again, by the others.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from math import log
from typing import NamedTuple

from marked import fill, settled
from validation.markdown import off, table
from validation.percona import (
    PAGE,
    PREDICTED,
    PUBLISHED,
    Row,
    errors,
    on_page,
    p95_ms,
    tps,
)
from validation.run import Job

BASE = "percona-2018/tables.yaml"
COMMAND = "PYTHONPATH=scripts .venv/bin/python -m validation.percona_tables"

# Pages a second; the scenario has the better of them. At 1,500 gp2 of 2,000 GB is 14 % too fast.
RATES = (2200, 3000)

# Published 95 % latencies of the rows that were predicted, in their order: milliseconds.
P95_MS = (1446, 618, 2022, 493, 243, 150, 173, 178, 135, 138, 695, 543, 256)


class Done(NamedTuple):
    """Transactions a second, and the median of each second's 95 % latency."""

    tps: float
    p95_ms: float


#: Of each rate and title.
Results = Mapping[tuple[int, str], Done]


def _run(rate: int, row: Row) -> Done:
    sets = row.job(f"workload.tpcc.flush.rate={rate}/s").sets
    run = Job(BASE, sets).run()
    return Done(tps(run), p95_ms(run))


def simulated() -> Results:
    """All rates of the rows that are fitted, and of the others the best."""

    def those(pool: ThreadPoolExecutor, keys: Sequence[tuple[int, Row]]) -> Results:
        done = pool.map(lambda key: _run(*key), keys)
        titles = [(rate, row.title) for rate, row in keys]
        return dict(zip(titles, done, strict=True))

    with ThreadPoolExecutor(2) as pool:
        fitted = those(pool, [(rate, row) for rate in RATES for row in PUBLISHED])
        rate = best(fitted, PUBLISHED)
        return {**fitted, **those(pool, [(rate, row) for row in PREDICTED])}


def best(results: Results, rows: Sequence[Row]) -> int:
    """The rate that has the least squares over these rows."""

    def squares(rate: int) -> float:
        return sum(log(results[rate, row.title].tps / row.tps) ** 2 for row in rows)

    return min(RATES, key=squares)


def _fitted(results: Results, rate: int) -> Iterator[tuple[list[str], float]]:
    for row in PUBLISHED:
        done = results[rate, row.title]
        own = best(results, [other for other in PUBLISHED if other != row])
        left_out = results[own, row.title].tps
        cells = [
            row.title, f"{row.tps:,.1f}", f"{done.tps:,.1f}", off(done.tps, row.tps),
            f"{off(left_out, row.tps)}, {own:,} a second", f"{done.p95_ms / row.p95_ms:.2f}",
        ]  # fmt: skip
        yield cells, left_out


def written(results: Results, predicted: Mapping[str, float]) -> str:
    """The part of the page, beside what was predicted for each title."""
    rate = best(results, PUBLISHED)
    head = ("volume", "published TPS", "simulated", "off", "left out", "p95, simulated / published")
    fitted = list(_fitted(results, rate))
    known = [(results[rate, row.title].tps, row.tps) for row in PUBLISHED]
    left_out = [(done, row.tps) for (_, done), row in zip(fitted, PUBLISHED, strict=True)]
    others = [replace(row, p95_ms=p95) for row, p95 in zip(PREDICTED, P95_MS, strict=True)]
    then = [(predicted[row.title], row.tps) for row in others]
    now = [(results[rate, row.title].tps, row.tps) for row in others]
    rows = [
        [
            row.title, f"{row.tps:,.1f}", off(predicted[row.title], row.tps),
            f"{results[rate, row.title].tps:,.1f}", off(results[rate, row.title].tps, row.tps),
            f"{results[rate, row.title].p95_ms / row.p95_ms:.2f}",
        ]
        for row in others
    ]  # fmt: skip
    own_head = ("volume", "published TPS", "predicted", "by table", "off", head[-1])
    return (
        f"The rows to which {rate:,} pages a second are fitted, of {_listed()}:\n\n"
        f"{table(head, [cells for cells, _ in fitted])}\n\n"
        f"Fitted: {errors(known)}. Left out: {errors(left_out)}.\n\n"
        "The rows that were predicted, by a model that was made knowing them:\n\n"
        f"{table(own_head, rows)}\n\n"
        f"Predicted: {errors(then)}. By table: {errors(now)}."
    )


def _listed() -> str:
    *first, last = (f"{rate:,}" for rate in RATES)
    return f"{', '.join(first)} and {last}"


def main() -> int:
    """Fills in, or compares, the page."""
    page = fill(PAGE.read_text(), "tables", written(simulated(), dict(on_page())))
    return int(not settled(PAGE, page, COMMAND))


if __name__ == "__main__":
    sys.exit(main())
