"""Fills docs/validation-percona.md: `PYTHONPATH=scripts python -m validation.percona`.

Takes some ten minutes of processor time, so that `make validate` leaves it out.
"""

import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from marked import fill, settled
from validation import percona_cluster
from validation.markdown import off, table
from validation.percona_layouts import FITTED_FLUSH, Layout, layouts
from validation.run import Job, Run

PAGE = Path(__file__).parents[2] / "docs" / "validation-percona.md"
BASE = "percona-2018/single-node.yaml"


@dataclass(frozen=True)
class Row:
    """A volume of the series, with transactions a second and 95 % latency where published."""

    title: str
    volume: str
    tps: float = 0.0
    p95_ms: float = 0.0
    sets: tuple[str, ...] = ()

    def run(self, *sets: str) -> Run:
        """Simulate it, with further overrides."""
        return Job(BASE, (f"storage.data={self.volume}", *self.sets, *sets)).run()


def gp2(size: int, tps: float = 0.0, p95_ms: float = 0.0, *sets: str) -> Row:
    """A gp2 volume of so many GB."""
    return Row(f"gp2 {size:,} GB", f"{{type: gp2, size: {size}GiB}}", tps, p95_ms, sets)


def io1(iops: int, tps: float = 0.0, p95_ms: float = 0.0, *sets: str) -> Row:
    """An io1 volume of 1 TB."""
    volume = f"{{type: io1, size: 1000GiB, iops: {iops}}}"
    return Row(f"io1 {iops:,} IOPS", volume, tps, p95_ms, sets)


def raid(size: int) -> Row:
    """RAID 0 of two gp2 volumes, with 32 threads."""
    volume = f"{{stripe: {{chunk: 256KiB, width: 2}}, of: {{type: gp2, size: {size}GiB}}}}"
    return Row(f"RAID 0 of two gp2 {size:,} GB, 32 threads", volume, sets=(THREADS,))


THREADS = "workload.tpcc.threads=32"
HALF_POOL = "workload.tpcc.pool=27GiB"

# Means of seconds 900 to 3,600, and medians of each second's 95 % latency.
PUBLISHED = (
    gp2(1000, 96.3, 2199),
    gp2(2000, 222.2, 862),
    gp2(2600, 301.7, 612),
    gp2(3400, 305.2, 591),
    io1(4000, 142.1, 1304),
    io1(6000, 232.4, 746),
    io1(10_000, 428.0, 376),
    io1(20_000, 907.8, 180),
)


def small_pool(row: Row) -> Row:
    """The same with half the pool."""
    return Row(f"{row.title}, pool 27 GB, 32 threads", row.volume, sets=(THREADS, HALF_POOL))


PREDICTED = (
    gp2(1400), gp2(3000),
    *(io1(iops) for iops in (3000, 8000, 15_000, 25_000, 30_000)),
    *(raid(size) for size in (2000, 2800, 3400)),
    *(small_pool(row) for row in (gp2(3400), io1(10_000), io1(20_000))),
)  # fmt: skip


def tps(run: Run) -> float:
    """Its transactions a second."""
    [total] = run.result["transactions"]
    return total["tps"]


def p95_ms(run: Run) -> float:
    """The median of each second's 95 % latency after the warm-up, as the published one is."""
    [step] = run.result["transactions"][0]["steps"]
    after = [second.p95_ms for second in run.transactions if second.start_s >= step["from_s"]]
    return median(after)


def _figures(run: Run) -> tuple[float, float, str]:
    """Transactions a second, 95 % latency in milliseconds, and IOs of a transaction."""
    [total] = run.result["transactions"]
    engine = total.get("engine")
    if engine is None:
        raise ValueError(f"{run.result['scenario']}: no transactions")
    pages = f"{engine['reads_per_transaction']:.1f} + {engine['writes_per_transaction']:.1f}"
    return tps(run), p95_ms(run), pages


def _compared(runs: Iterable[tuple[Row, Run]]) -> Iterator[list[str]]:
    for row, run in runs:
        done, p95, pages = _figures(run)
        yield [
            row.title, f"{row.tps:,.1f}", f"{done:,.1f}", off(done, row.tps),
            f"{row.p95_ms:,.0f} ms", f"{p95:,.0f} ms", f"{p95 / row.p95_ms:.2f}", pages,
        ]  # fmt: skip


def published(runs: list[tuple[Row, Run]]) -> str:
    """The rows that the parameters were fitted to."""
    head = ("volume", "published TPS", "simulated", "off", "published p95", "simulated", "ratio",
            "pages read + written of a transaction")  # fmt: skip
    errors = sorted(abs(tps(run) / row.tps - 1) for row, run in runs)
    sums = f"Median error {100 * median(errors):.1f} %, largest {100 * errors[-1]:.1f} %."
    return table(head, _compared(runs)) + "\n\n" + sums


def predicted(runs: list[tuple[Row, Run]]) -> str:
    """Rows that are not known here."""
    head = ("volume", "predicted TPS", "predicted p95")
    rows = []
    for row, run in runs:
        # Over the whole time, as they were committed.
        us = run.result["transactions"][0].get("latency_us")
        p95 = us["p95"] / 1000 if us else 0.0
        rows.append([row.title, f"{tps(run):,.1f}", f"{p95:,.0f} ms"])
    return table(head, rows)


def cluster(page: str) -> str:
    """The page with what the cluster's layouts do."""
    own, fitted = layouts(), layouts(*FITTED_FLUSH)
    with ThreadPoolExecutor(2) as pool:
        runs = list(zip(own + fitted, pool.map(Layout.run, own + fitted), strict=True))
    with_own, with_fitted = runs[: len(own)], runs[len(own) :]
    page = fill(page, "cluster", percona_cluster.rows(with_own, with_fitted))
    return fill(page, "relations", percona_cluster.relations(with_own, with_fitted))


def main() -> int:
    """Fills in, or compares, the page."""
    rows = [*PUBLISHED, *PREDICTED]
    with ThreadPoolExecutor(2) as pool:
        runs = list(zip(rows, pool.map(Row.run, rows), strict=True))
    known = len(PUBLISHED)
    page = fill(PAGE.read_text(), "published", published(runs[:known]))
    page = fill(page, "predicted", predicted(runs[known:]))
    page = cluster(page)
    command = "PYTHONPATH=scripts .venv/bin/python -m validation.percona"
    return int(not settled(PAGE, page, command))


if __name__ == "__main__":
    sys.exit(main())
