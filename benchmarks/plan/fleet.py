"""A fleet of 500 databases beside Netflix's service-capacity-modeling, a database at a time.

.venv/bin/python benchmarks/plan/fleet.py
"""

import argparse
import csv
import random
import statistics
import tempfile
import time
from pathlib import Path

from run import asked, peer_python

import blockyard

DATABASES = 500
# Of so many the peer is asked, too.
BESIDE = 20

COLUMNS = [
    *("name", "size", "reads.iops", "writes.iops", "latency.read.p99"),
    *("instance.vcpu", "instance.memory", "as_of"),
    *("from.host.instance", "from.storage.data.type"),
    *("from.storage.data.size", "from.storage.data.iops"),
]

Load = tuple[int, int, int]


def drawn(rng: random.Random) -> Load:
    """GiB of data, reads and writes of 8 KiB a second: most databases small, some large."""
    gib = round(min(8192, max(20, rng.lognormvariate(5.5, 1.3))))
    reads = round(min(60_000, max(100, rng.lognormvariate(7.5, 1.2))))
    return gib, reads, max(20, reads // rng.choice([2, 3, 4, 10]))


def row(number: int, load: Load, rng: random.Random) -> list[object]:
    """A database that has 3 IOPS a GiB of gp2, or as many as it needs of io2."""
    gib, reads, writes = load
    goal = rng.choice(["", "1ms", "2ms", "3ms"])
    vcpu, instance = rng.choice([(4, "r5.xlarge"), (8, "r5.2xlarge"), (16, "r5.4xlarge")])
    needed = reads + writes
    if rng.random() < 0.5:
        today: list[object] = ["gp2", f"{min(16_384, max(gib, needed // 3))}GiB", ""]
    else:
        today = ["io2", f"{max(gib, needed // 400)}GiB", min(64_000, max(100, needed * 2))]
    name, size, memory = f"db{number:03}", f"{gib}GiB", f"{vcpu * 8}GiB"
    return [name, size, reads, writes, goal, vcpu, memory, "2026-11-01", instance, *today]


def main() -> int:
    """Print what the fleet takes with and without proof, and what the peer takes for a database."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--alone", action="store_true", help="without the peer")
    alone = parser.parse_args().alone
    rng = random.Random(1)  # noqa: S311
    loads = [drawn(rng) for _ in range(DATABASES)]
    with tempfile.TemporaryDirectory() as folder:
        fleet = Path(folder) / "fleet.csv"
        with fleet.open("w", newline="") as file:
            lines = csv.writer(file)
            lines.writerow(COLUMNS)
            lines.writerows(row(number, load, rng) for number, load in enumerate(loads))
        print("| 500 databases | processor s | wall s | planned | saved a month |")
        print("| --- | --- | --- | --- | --- |")
        for name, prove in (("without proof", False), ("with proof", True)):
            cpu, wall = time.process_time(), time.perf_counter()
            plans = blockyard.plan_fleet(fleet, prove=prove).plans
            took = time.process_time() - cpu, time.perf_counter() - wall
            planned = sum(plan.best is not None for plan in plans)
            saved = sum(plan.saving or 0 for plan in plans)
            print(f"| {name} | {took[0]:.1f} | {took[1]:.1f} | {planned} | ${saved:,.0f} |")
    if not alone:
        python = peer_python()
        each = [asked(python, load)["took_s"] for load in loads[:BESIDE]]
        print(f"\nthe peer, processor s a database, median of {BESIDE}:", end=" ")
        print(f"{statistics.median(each):.2f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
