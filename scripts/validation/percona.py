"""Fills docs/validation-percona.md: `PYTHONPATH=scripts python -m validation.percona`.

Takes some ten minutes of processor time, so that `make validate` leaves it out.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from marked import fill, settled
from validation import percona_cluster
from validation.markdown import off, table
from validation.percona_layouts import PRODUCT_FLUSH, Layout, layouts
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

    def job(self, *sets: str) -> Job:
        """What to run, with further overrides."""
        return Job(BASE, (f"storage.data={self.volume}", *self.sets, *sets))

    def run(self, *sets: str) -> Run:
        """Simulate it, with further overrides."""
        return self.job(*sets).run()


def gp2(size: int, tps: float = 0.0, p95_ms: float = 0.0, *sets: str) -> Row:
    """A gp2 volume of so many GB."""
    return Row(f"gp2 {size:,} GB", f"{{type: gp2, size: {size}GiB}}", tps, p95_ms, sets)


def io1(iops: int, tps: float = 0.0, p95_ms: float = 0.0, *sets: str) -> Row:
    """An io1 volume of 1 TB."""
    volume = f"{{type: io1, size: 1000GiB, iops: {iops}}}"
    return Row(f"io1 {iops:,} IOPS", volume, tps, p95_ms, sets)


def raid(size: int, tps: float) -> Row:
    """RAID 0 of two gp2 volumes, with 32 threads."""
    volume = f"{{stripe: {{chunk: 256KiB, width: 2}}, of: {{type: gp2, size: {size}GiB}}}}"
    return Row(f"RAID 0 of two gp2 {size:,} GB, 32 threads", volume, tps, sets=(THREADS,))


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
    title = f"{row.title}, pool 27 GB, 32 threads"
    return Row(title, row.volume, row.tps, sets=(THREADS, HALF_POOL))


# What they did became known after their predictions had been committed.
PREDICTED = (
    gp2(1400, 142.4),
    gp2(3000, 302.9),
    io1(3000, 100.9),
    io1(8000, 331.1),
    io1(15_000, 669.0),
    io1(25_000, 1122.3),
    io1(30_000, 1070.5),
    raid(2000, 480.1),
    raid(2800, 652.7),
    raid(3400, 654.7),
    small_pool(gp2(3400, 218.9)),
    small_pool(io1(10_000, 280.7)),
    small_pool(io1(20_000, 584.7)),
)

# What was committed for them then: transactions a second, and the 95 % latency over the whole time
# in milliseconds. The model has changed since; these do not.
COMMITTED = (
    (150.7, 1041),
    (300.4, 519),
    (108.3, 1456),
    (341.3, 483),
    (668.9, 253),
    (1090.1, 168),
    (1090, 168),
    (556.8, 144),
    (693.5, 126),
    (694.1, 127),
    (245.7, 299),
    (394, 190),
    (754, 100),
)


def on_page() -> Iterator[tuple[str, float]]:
    """The simulated rate of each volume, as the page has it."""
    page = PAGE.read_text()
    for part, column in (("published", 2), ("predicted", 1)):
        text = page.partition(f"<!-- begin: {part} -->")[2].partition("<!-- end")[0]
        for line in text.splitlines():
            cells = line.strip("| ").split(" | ")
            if re.fullmatch(r"[\d,.]+", cells[min(column, len(cells) - 1)]):
                yield cells[0], float(cells[column].replace(",", ""))


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
    found = errors((tps(run), row.tps) for row, run in runs)
    return f"{table(head, _compared(runs))}\n\n{found[0].upper()}{found[1:]}."


def predicted(now: Sequence[float]) -> str:
    """Rows that were predicted before their results were known, and what the model does `now`."""
    head = ("volume", "predicted TPS", "published", "off", "predicted p95", "model now", "off")
    rows = [
        [
            row.title, f"{tps:,.1f}", f"{row.tps:,.1f}", off(tps, row.tps), f"{p95_ms:,.0f} ms",
            f"{done:,.1f}", off(done, row.tps),
        ]
        for row, (tps, p95_ms), done in zip(PREDICTED, COMMITTED, now, strict=True)
    ]  # fmt: skip
    known = [row.tps for row in PREDICTED]
    then = errors(zip((tps for tps, _ in COMMITTED), known, strict=True))
    return f"{table(head, rows)}\n\nPredicted: {then}. Now: {errors(zip(now, known, strict=True))}."


def errors(pairs: Iterable[tuple[float, float]]) -> str:
    """How far simulated rates are from published ones."""
    off_by = sorted(abs(done / own - 1) for done, own in pairs)
    return f"median error {100 * median(off_by):.1f} %, largest {100 * off_by[-1]:.1f} %"


def cluster(page: str) -> str:
    """The page with what the cluster's layouts do."""
    fitted, own = layouts(), layouts(*PRODUCT_FLUSH)
    with ThreadPoolExecutor(2) as pool:
        runs = list(zip(fitted + own, pool.map(Layout.run, fitted + own), strict=True))
    with_fitted, with_own = runs[: len(fitted)], runs[len(fitted) :]
    page = fill(page, "cluster", percona_cluster.rows(with_fitted))
    return fill(page, "relations", percona_cluster.relations(with_fitted, with_own))


def main() -> int:
    """Fills in, or compares, the page."""
    rows = [*PUBLISHED, *PREDICTED]
    with ThreadPoolExecutor(2) as pool:
        runs = list(zip(rows, pool.map(Row.run, rows), strict=True))
    known = len(PUBLISHED)
    page = fill(PAGE.read_text(), "published", published(runs[:known]))
    page = fill(page, "predicted", predicted([tps(run) for _, run in runs[known:]]))
    page = cluster(page)
    command = "PYTHONPATH=scripts .venv/bin/python -m validation.percona"
    return int(not settled(PAGE, page, command))


if __name__ == "__main__":
    sys.exit(main())
