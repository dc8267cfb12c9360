"""Write what iostat would have shown of a simulated night: the input of a how-to.

    .venv/bin/python scripts/night_iostat.py | xz > last-night.txt.xz

A stripe of two gp2 volumes has a steady load, and from 01:00 to 05:00 a batch job that uses up
their burst credits. The simulation's counts and mean latencies by minute are printed as
`iostat -x -t 60` prints them, with the two disks below the stripe and the system's disk.
"""

import sys
from collections.abc import Iterator
from datetime import datetime, timedelta

import blockyard
from blockyard.runs.run import Run

BEGIN = datetime(2026, 11, 20, 22, 0)
MINUTE = 60
# Reads and writes a second, half an hour each.
READS = [620, 560, 500, 460, 420, 400, 380, 380, 360, 360, 380, 400, 420, 460, 540, 640]
NIGHT = {
    "name": "night",
    "as_of": "2026-11-01",
    "duration": "8h",
    "interval": "60s",
    "host": {"instance": "r6i.2xlarge"},
    "storage": {
        "data": {"stripe": {"chunk": "256KiB", "width": 2}, "of": {"type": "gp2", "size": "250GiB"}}
    },
    "workload": {
        "reads": {
            "kind": "access_spec", "on": "data", "file_size": "150GiB",
            "pattern": {"size": "8KiB", "read": "100%", "random": "100%"},
            "schedule": [{"at": f"{at * 30}m", "rate": f"{r}/s"} for at, r in enumerate(READS)],
        },
        "writes": {
            "kind": "access_spec", "on": "data", "file_size": "150GiB",
            "pattern": {"size": "16KiB", "read": "0%", "random": "100%"},
            "schedule": [
                {"at": f"{at * 30}m", "rate": f"{rate // 4}/s"} for at, rate in enumerate(READS)
            ],
        },
        "batch": {
            "kind": "ranread", "on": "data", "file_size": "150GiB",
            "schedule": [
                {"at": "0s", "processes": 0},
                {"at": "3h", "processes": 2},
                {"at": "7h", "processes": 0},
            ],
        },
    },
}  # fmt: skip

HEADING = "Linux 6.1.0-18-amd64 (db1) \t11/20/2026 \t_x86_64_\t(8 CPU)\n\n"
CPU = "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n"
COLUMNS = (
    "Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s"
    "  %wrqm w_await wareq-sz  aqu-sz  %util\n"
)

# IOs, bytes and the sum of latencies in µs, by operation.
Sums = dict[str, tuple[float, float, float]]


def minutes(run: Run) -> Iterator[Sums]:
    """What was done in each minute."""
    by_time: dict[float, Sums] = {}
    for row in run.intervals.to_pylist():
        sums = by_time.setdefault(row["t_s"], {})
        ios, size, us = sums.get(row["op"], (0.0, 0.0, 0.0))
        took = row["ios"] * (row["latency_mean_us"] or 0.0)
        sums[row["op"]] = (ios + row["ios"], size + row["bytes"], us + took)
    yield from (sums for _, sums in sorted(by_time.items()))


def row(name: str, sums: Sums, share: float) -> str:
    """A device's row, with its share of what was done."""
    words = []
    in_flight = 0.0
    for op in ("read", "write"):
        ios, size, us = sums.get(op, (0.0, 0.0, 0.0))
        per_s, kib = share * ios / MINUTE, share * size / 1024 / MINUTE
        wait = us / ios / 1000 if ios else 0.0
        in_flight += per_s * wait / 1000
        each = kib / per_s if per_s else 0.0
        words += [f"{per_s:10.2f}{kib:10.2f}{0:9.2f}{0:7.2f}{wait:8.2f}{each:9.2f}"]
    return f"{name:10}{''.join(words)}{in_flight:8.2f}{min(100.0, 100 * in_flight):7.2f}\n"


def report(at: datetime, sums: Sums) -> str:
    """What iostat prints of a minute."""
    system = {"write": (MINUTE * 3.0, MINUTE * 3.0 * 8192, MINUTE * 3.0 * 900)}
    rows = [row("nvme0n1", system, 1.0), row("nvme1n1", sums, 0.5), row("nvme2n1", sums, 0.5)]
    stamp = f"{at:%m/%d/%Y %I:%M:%S %p}\n"
    cpu = f"{CPU}          12.00    0.00    3.00    4.00    0.00   81.00\n\n"
    return stamp + cpu + COLUMNS + "".join([*rows, row("dm-0", sums, 1.0)]) + "\n\n"


def main() -> None:
    """Simulate the night and print it."""
    run = blockyard.simulate(NIGHT)
    sys.stdout.write(HEADING)
    whole = list(minutes(run))
    # The first report is of the time since the boot.
    for number, sums in enumerate([whole[0], *whole]):
        sys.stdout.write(report(BEGIN + timedelta(seconds=MINUTE * number), sums))


if __name__ == "__main__":
    main()
