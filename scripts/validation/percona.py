"""Fills docs/validation-percona.md: `PYTHONPATH=scripts python -m validation.percona`.

Takes some twenty minutes of processor time, so that `make validate` leaves it out.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from marked import fill, settled
from validation import percona_cluster
from validation.markdown import off, table
from validation.percona_layouts import Layout, layouts
from validation.run import Job, Run

PAGE = Path(__file__).parents[2] / "docs" / "validation-percona.md"
BASE = "percona-2018/tables.yaml"

HEAD = (
    "volume", "published TPS", "predicted", "simulated", "off", "p95, simulated / published",
    "pages read + written of a transaction",
)  # fmt: skip
SIMULATED = HEAD.index("simulated")


@dataclass(frozen=True)
class Row:
    """A volume of the series, with its transactions a second and 95 % latency."""

    title: str
    volume: str
    tps: float = 0.0
    p95_ms: float = 0.0
    # What was committed for it before its results were known. The model has changed since.
    predicted: float | None = None
    sets: tuple[str, ...] = ()

    def job(self, *sets: str) -> Job:
        """What to run, with further overrides."""
        return Job(BASE, (f"storage.data={self.volume}", *self.sets, *sets))

    def run(self, *sets: str) -> Run:
        """Simulate it, with further overrides."""
        return self.job(*sets).run()


def gp2(size: int, tps: float = 0.0, p95_ms: float = 0.0, predicted: float | None = None) -> Row:
    """A gp2 volume of so many GB."""
    return Row(f"gp2 {size:,} GB", f"{{type: gp2, size: {size}GiB}}", tps, p95_ms, predicted)


def io1(iops: int, tps: float = 0.0, p95_ms: float = 0.0, predicted: float | None = None) -> Row:
    """An io1 volume of 1 TB."""
    volume = f"{{type: io1, size: 1000GiB, iops: {iops}}}"
    return Row(f"io1 {iops:,} IOPS", volume, tps, p95_ms, predicted)


def raid(size: int, tps: float, p95_ms: float, predicted: float) -> Row:
    """RAID 0 of two gp2 volumes, with 32 threads."""
    volume = f"{{stripe: {{chunk: 256KiB, width: 2}}, of: {{type: gp2, size: {size}GiB}}}}"
    title = f"RAID 0 of two gp2 {size:,} GB, 32 threads"
    return Row(title, volume, tps, p95_ms, predicted, (THREADS,))


def small_pool(row: Row) -> Row:
    """The same with half the pool."""
    title = f"{row.title}, pool 27 GB, 32 threads"
    return replace(row, title=title, sets=(THREADS, HALF_POOL))


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

# What they did became known after their predictions had been committed.
PREDICTED = (
    gp2(1400, 142.4, 1446, 150.7),
    gp2(3000, 302.9, 618, 300.4),
    io1(3000, 100.9, 2022, 108.3),
    io1(8000, 331.1, 493, 341.3),
    io1(15_000, 669.0, 243, 668.9),
    io1(25_000, 1122.3, 150, 1090.1),
    io1(30_000, 1070.5, 173, 1090),
    raid(2000, 480.1, 178, 556.8),
    raid(2800, 652.7, 135, 693.5),
    raid(3400, 654.7, 138, 694.1),
    small_pool(gp2(3400, 218.9, 695, 245.7)),
    small_pool(io1(10_000, 280.7, 543, 394)),
    small_pool(io1(20_000, 584.7, 256, 754)),
)


def on_page() -> Iterator[tuple[str, float]]:
    """The simulated rate of each volume, as the page has it."""
    text = PAGE.read_text().partition("<!-- begin: series -->")[2].partition("<!-- end")[0]
    for line in text.splitlines():
        title, *rest = line.strip("| ").split(" | ")
        if len(rest) >= SIMULATED and re.fullmatch(r"[\d,.]+", rest[SIMULATED - 1]):
            yield title, float(rest[SIMULATED - 1].replace(",", ""))


def tps(run: Run) -> float:
    """Its transactions a second."""
    [total] = run.result["transactions"]
    return total["tps"]


def p95_ms(run: Run) -> float:
    """The median of each second's 95 % latency after the warm-up, as the published one is."""
    [step] = run.result["transactions"][0]["steps"]
    after = [second.p95_ms for second in run.transactions if second.start_s >= step["from_s"]]
    return median(after)


def cells(row: Row, run: Run) -> list[str]:
    """A row beside what the model does."""
    [total] = run.result["transactions"]
    engine = total.get("engine")
    if engine is None:
        raise ValueError(f"{row.title}: no transactions")
    pages = f"{engine['reads_per_transaction']:.1f} + {engine['writes_per_transaction']:.1f}"
    predicted = "" if row.predicted is None else off(row.predicted, row.tps)
    return [
        row.title, f"{row.tps:,.1f}", predicted, f"{tps(run):,.1f}", off(tps(run), row.tps),
        f"{p95_ms(run) / row.p95_ms:.2f}", pages,
    ]  # fmt: skip


def series(runs: Sequence[tuple[Row, Run]]) -> str:
    """All rows, and how far they are off."""
    rows = [cells(row, run) for row, run in runs]
    now = {row.title: tps(run) for row, run in runs}
    known = errors((now[row.title], row.tps) for row in PUBLISHED)
    then = errors((row.predicted or 0.0, row.tps) for row in PREDICTED)
    others = errors((now[row.title], row.tps) for row in PREDICTED)
    return (
        f"{table(HEAD, rows)}\n\n"
        f"The first eight: {known}. The thirteen that were predicted: {then}; now: {others}."
    )


def errors(pairs: Iterable[tuple[float, float]]) -> str:
    """How far simulated rates are from published ones."""
    off_by = sorted(abs(done / own - 1) for done, own in pairs)
    return f"median error {100 * median(off_by):.1f} %, largest {100 * off_by[-1]:.1f} %"


def main() -> int:
    """Fills in, or compares, the page."""
    rows, nodes = [*PUBLISHED, *PREDICTED], layouts()
    with ThreadPoolExecutor(2) as pool:
        runs = list(zip(rows, pool.map(Row.run, rows), strict=True))
        cluster = list(zip(nodes, pool.map(Layout.run, nodes), strict=True))
    page = fill(PAGE.read_text(), "series", series(runs))
    page = fill(page, "cluster", percona_cluster.rows(cluster))
    page = fill(page, "relations", percona_cluster.relations(cluster))
    command = "PYTHONPATH=scripts .venv/bin/python -m validation.percona"
    return int(not settled(PAGE, page, command))


if __name__ == "__main__":
    sys.exit(main())
