"""One run of a database on an emulated layout."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from load import THREADS

from databases.emulated import volumes
from databases.filled import Filled

#: Layouts by name, as a scenario has them. The gp2 begins without credits.
LAYOUTS = {
    "gp2 of 1,002 IOPS": "{type: gp2, size: 334GiB, burst_balance: 0%}",
    "io1 of 2,000 IOPS": "{type: io1, size: 100GiB, iops: 2000}",
    "gp3 of 3,000 IOPS": "{type: gp3, size: 100GiB}",
}


def measured(database: Filled, layout: str, warm_up: int, seconds: int) -> dict[str, Any]:
    """What a copy of a database does on a layout in `seconds`, after `warm_up` seconds of load."""
    # `Filled` knows of the database that a kind of these derives from.
    kind: Any = database.kind
    running: Any
    with (
        tempfile.TemporaryDirectory() as folder,
        volumes(f"  data: {layout}\n", Path(folder)) as served,
    ):
        with database.on(served.device(), **kind.SETTINGS) as running, running.bypass():
            running.run(warm_up)
            before, cpu_s, start = running.counters(), running.cpu_s(), served.uptime()
            with _busy() as busy:
                load = running.run(seconds)
            end, cpu_s = served.uptime(), running.cpu_s() - cpu_s
            after = running.counters()
            counted = {name: value - before.get(name, 0) for name, value in after.items()}
            work, sizes = running.work(counted, load.transactions), running.sizes()
            version, variables = running.query("select version()"), running.variables()
        served.end()
        # Whole seconds under load; its client takes a moment to start and to end.
        device, limit = _device(served.served.run, start + 1, end - 2)
    return {
        "version": version,
        "variables": variables,
        "volume": layout,
        "engine": kind.ENGINE,
        "threads": THREADS,
        "cores": os.cpu_count(),
        "warm_up": warm_up,
        "seconds": seconds,
        **{f"{name}_bytes": size for name, size in asdict(sizes).items()},
        **asdict(load),
        "transaction": asdict(work) | {"cpu_us": cpu_s * 1e6 / load.transactions},
        "device": {name: value / load.tps for name, value in device.items()} | {"limit": limit},
        "machine_busy": busy[0],
    }


def _device(run: Path, start: float, end: float) -> tuple[dict[str, float], float]:
    """What a volume did in a second, on average, and which share of its IOPS limit it used."""
    kept = [("t_s", ">=", start), ("t_s", "<=", end)]
    volume = pq.read_table(run / "volumes.parquet", filters=kept).to_pylist()
    per_s: dict[str, float] = {}
    for row in pq.read_table(run / "intervals.parquet", filters=kept).to_pylist():
        for what in ("ios", "bytes"):
            name = f"{row['op']}_{what}"
            per_s[name] = per_s.get(name, 0) + row[what] / len(volume)
    # Of a gp2's two limits the lower one is what it has without credits.
    rate = min(rate for name, rate in volume[0]["limits"] if name.startswith("iops"))
    return per_s, sum(row["ios"] for row in volume) / len(volume) / rate


@contextmanager
def _busy() -> Iterator[list[float]]:
    """The share of the machine's processor time that was used, by anything, while it ran."""
    found: list[float] = []
    before = _ticks()
    yield found
    idle, total = (now - then for now, then in zip(_ticks(), before, strict=True))
    found.append(1 - idle / total)


def _ticks() -> tuple[int, int]:
    line = Path("/proc/stat").read_text().splitlines()[0].split()[1:9]
    ticks = list(map(int, line))
    return ticks[3] + ticks[4], sum(ticks)
