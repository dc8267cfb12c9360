"""A database recorded on emulated storage and replayed on other storage, beside itself run there.

    .venv/bin/python benchmarks/replay/run.py [--database NAME] [--seconds N] [--keep FOLDER]

Needs `make build` before, root, and what scripts/peers.sh installs.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[2] / "tests"))
sys.path.append(str(Path(__file__).parents[1] / "oltp"))

import pyarrow.compute as pc
import pyarrow.csv
import readwrite
import tpcb
import yaml

import blockyard as by
from databases.emulated import volumes
from databases.filled import Filled, filled
from databases.programs import program


class Pgbench(tpcb.TpcB):
    """PostgreSQL under pgbench, without a checkpoint while it is watched."""

    SETTINGS = tpcb.TpcB.SETTINGS | {"checkpoint_timeout": "1h"}

    def start(self) -> None:
        """With the checkpoint behind it that follows a start."""
        super().start()
        self.query("checkpoint")


DATABASES: dict[str, Any] = {
    "postgres": (Pgbench, tpcb.USER, tpcb.PROGRAMS),
    "mariadb": (readwrite.ReadWrite, readwrite.USER, readwrite.PROGRAMS),
}
RECORDED = "as recorded"
# By name: the latency of half of the IOs in µs, and IOPS.
STORAGES = {
    RECORDED: (4000, 20000),
    "2x faster": (2000, 20000),
    "2x slower": (8000, 20000),
    "1,000 IOPS": (4000, 1000),
}
LOOPS = ["threads", "commits", "open"]
# The part of the recorded time that is replayed: on faster storage some threads are through long
# before others.
PART = 0.4
# An emulation takes what it measured of its machine's own delays off latencies: on a busy machine
# more than that is wrong.
MOST_OVERHEAD = 0.1


def storage(name: str) -> str:
    """A volume, as a scenario has it."""
    us, iops = STORAGES[name]
    times = {"min": 0.8, "p50": 1.0, "p90": 1.4, "p99": 3.0, "max": 6.0}
    of_op = ", ".join(f"{at}: {factor * us:.0f}us" for at, factor in times.items())
    latency = f"base_size: 4KiB, per_kib: 0ns, spread: 0%, read: {{{of_op}}}, write: {{{of_op}}}"
    return f"{{type: io1, size: 400GiB, iops: {iops}, tokens: 0%, latency: {{{latency}}}}}"


@dataclass(frozen=True)
class Done:
    """What was done: reads and writes of data a second, and their p99 in ms."""

    iops: float
    p99_ms: float

    @classmethod
    def of(cls, run: Path, seconds: float) -> "Done":
        """By a database, as `observe` recorded it."""
        ios = pyarrow.csv.read_csv(run / "ios.csv")
        of_data = pc.and_(pc.is_valid(ios["completed_ns"]), pc.greater(ios["bytes"], 0))
        ios = ios.filter(of_data)
        latency = pc.subtract(ios["completed_ns"], ios["due_ns"])
        [p99] = pc.quantile(latency, 0.99).to_pylist()
        return cls(ios.num_rows / seconds, p99 / 1e6)

    @classmethod
    def replayed(cls, trace: Path, name: str, loop: str, seconds: float) -> "Done":
        """By a replay of what was recorded."""
        job = {"kind": "replay", "on": "data", "trace": str(trace), "loop": loop}
        scenario = {
            "name": "again",
            "duration": f"{seconds}s",
            "storage": {"data": yaml.safe_load(storage(name))},
            "workload": {"database": job},
        }
        run = by.simulate(scenario)
        iops = sum(one["iops"] for one in run.result["totals"] if one["op"] != "flush")
        tags = ["database.data.read", "database.data.write"]
        [p99] = run.latencies.merged(tags).quantiles_us([0.99])
        return cls(iops, p99 / 1e3)


@contextmanager
def loaded(running: Any, seconds: int) -> Iterator[None]:
    """The database under load for at least so long."""
    load = threading.Thread(target=running.run, args=(seconds,))
    load.start()
    try:
        yield
    finally:
        load.join()


def recorded(database: Filled, name: str, options: argparse.Namespace, out: Path) -> None:
    """Record the database on a storage, as a run in `out`."""
    kind: Any = database.kind
    running: Any
    with (
        tempfile.TemporaryDirectory() as folder,
        volumes(f"  data: {storage(name)}\n", Path(folder)) as served,
    ):
        device = served.device()
        # Above 2 ms the kernel would hold writes back for the sake of reads.
        queue = Path("/sys/block") / Path(device).name / "queue"
        (queue / "wbt_lat_usec").write_text("0")
        with (
            database.on(device, **kind.SETTINGS) as running,
            running.bypass(),
            loaded(running, options.warm_up + options.seconds + 5),
        ):
            time.sleep(options.warm_up)
            command = [sys.executable, "-m", "blockyard", "observe", "--device", device]
            command += ["--duration", f"{options.seconds}s", "--io-log", "--out", str(out)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603
        served.end()
        result = served.served.result()
        own_us = max(result["machine"]["overhead_us"], result["lateness_us"]["p50"])
        if own_us > MOST_OVERHEAD * STORAGES[name][0]:
            shutil.rmtree(out)
            sys.exit(f"{name}: this machine adds {own_us:.0f} µs to answers: too busy")


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--database", choices=DATABASES, default="postgres")
    parser.add_argument("--warm-up", type=int, default=15, help="seconds of load before")
    parser.add_argument("--seconds", type=int, default=20, help="of each recording")
    parser.add_argument("--keep", type=Path, help="recordings, which are used again")
    options = parser.parse_args()
    kind, user, programs = DATABASES[options.database]
    for needed in programs:
        program(needed)
    keep = options.keep or Path(tempfile.mkdtemp())
    keep.mkdir(exist_ok=True)
    missing = [name for name in STORAGES if not (keep / name).exists()]
    if missing:
        with filled(kind, user, **kind.FILLING) as database:
            for name in missing:
                recorded(database, name, options, keep / name)
    print("| storage | the database | loop | replayed | IOPS, ratio | p99, ratio |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name in STORAGES:
        truth = Done.of(keep / name, options.seconds)
        for loop in LOOPS:
            trace = keep / RECORDED / "ios.csv"
            found = Done.replayed(trace, name, loop, PART * options.seconds)
            iops, p99 = found.iops / truth.iops, found.p99_ms / truth.p99_ms
            own = f"{truth.iops:,.0f} IOPS, p99 {truth.p99_ms:.1f} ms"
            again = f"{found.iops:,.0f} IOPS, p99 {found.p99_ms:.1f} ms"
            print(f"| {name} | {own} | {loop} | {again} | {iops:.2f} | {p99:.2f} |")


if __name__ == "__main__":
    main()
