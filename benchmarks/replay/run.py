"""A database recorded on emulated storage and replayed on other storage, beside itself run there.

    .venv/bin/python benchmarks/replay/run.py [--database NAME] [--seconds N] [--keep FOLDER]

Needs `make build` before, root, and what scripts/peers.sh installs.
"""

import argparse
import json
import os
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

ROOT = Path(__file__).parents[2]
sys.path += [str(ROOT / "tests"), str(ROOT / "benchmarks/oltp")]

import readwrite
import tpcb
import yaml

from databases.emulated import volumes
from databases.filled import Filled, filled
from databases.programs import program

import blockyard as by


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
# By name: the latency of an IO in the median, and IOPS.
STORAGES = {
    RECORDED: (4000, 20000),
    "2x faster": (2000, 20000),
    "2x slower": (8000, 20000),
    "1,000 IOPS": (4000, 1000),
}
LOOPS = ["threads", "chains", "open"]


def storage(name: str) -> str:
    """A volume, as a scenario has it."""
    us, iops = STORAGES[name]
    times = {"min": 0.8, "p50": 1.0, "p90": 1.4, "p99": 3.0, "max": 6.0}
    of_op = ", ".join(f"{at}: {factor * us:.0f}us" for at, factor in times.items())
    latency = f"base_size: 4KiB, per_kib: 0ns, spread: 0%, read: {{{of_op}}}, write: {{{of_op}}}"
    return f"{{type: io1, size: 400GiB, iops: {iops}, latency: {{{latency}}}}}"


@dataclass(frozen=True)
class Seen:
    """What a storage did for the database: IOPS and p99 in ms by operation, and the length."""

    iops: dict[str, float]
    p99_ms: dict[str, float]

    @classmethod
    def of(cls, result: Any) -> "Seen":
        """That of a result."""
        iops: dict[str, float] = {}
        p99: dict[str, float] = {}
        for total in result["totals"]:
            if not total["ios"]:
                continue
            iops[total["op"]] = iops.get(total["op"], 0.0) + total["iops"]
            if total["latency_us"]:
                p99[total["op"]] = total["latency_us"]["p99"] / 1e3
        return cls(iops, p99)


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
            subprocess.run(command, check=True)
        served.end()
        shutil.copytree(served.served.run, out / "emulated")


def replayed(trace: Path, name: str, loop: str, seconds: int) -> Seen:
    """The recording on a storage."""
    job = {"kind": "replay", "on": "data", "trace": str(trace), "loop": loop}
    scenario = {
        "name": "again",
        "duration": f"{seconds}s",
        "storage": {"data": yaml.safe_load(storage(name))},
        "workload": {"database": job},
    }
    return Seen.of(by.simulate(scenario).result)


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--database", choices=DATABASES, default="postgres")
    parser.add_argument("--warm-up", type=int, default=15)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    kind, user, programs = DATABASES[options.database]
    for needed in programs:
        program(needed)
    keep = options.keep or Path(tempfile.mkdtemp())
    keep.mkdir(exist_ok=True)
    if not (keep / RECORDED).exists():
        with filled(kind, user, **kind.FILLING) as database:
            for name in STORAGES:
                recorded(database, name, options, keep / name)
    for name in STORAGES:
        truth = Seen.of(json.loads((keep / name / "result.json").read_text()))
        print(name, truth)
        for loop in LOOPS:
            found = replayed(keep / RECORDED / "ios.csv", name, loop, options.seconds * 0.4)
            iops = sum(found.iops.values()) / sum(truth.iops.values())
            ops = {op: round(found.iops.get(op, 0) / each, 2) for op, each in truth.iops.items()}
            p99 = {
                op: round(found.p99_ms.get(op, 0) / each, 2) for op, each in truth.p99_ms.items()
            }
            print(f"   {loop}: IOPS {iops:.2f} {ops} p99 {p99}")


if __name__ == "__main__":
    main()
