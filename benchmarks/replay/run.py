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
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[2] / "tests"))
sys.path.append(str(Path(__file__).parents[1] / "oltp"))

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import readwrite
import tpcb
import yaml

import blockyard as by
from databases.emulated import Volumes, volumes
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
# Of a replay by real IO on the emulated storage.
BENCHED = ", bench"
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
    """What was done: reads and writes of data a second, and their p99 in ms.

    `device_ms` is the p99 without what they waited for flushes at the loop device.
    """

    iops: float
    p99_ms: float
    device_ms: float

    @classmethod
    def of(cls, run: Path, seconds: float) -> "Done":
        """By a database, as `observe` recorded it."""
        ios = pyarrow.csv.read_csv(run / "ios.csv")
        ios = ios.filter(pc.is_valid(ios["completed_ns"]))
        flushes = ios.filter(pc.equal(ios["op"], "flush"))
        ios = ios.filter(pc.greater(ios["bytes"], 0))
        latency = pc.subtract(ios["completed_ns"], ios["due_ns"])
        own = pc.subtract(latency, pa.array(flush_waits(ios, flushes)))
        [p99], [device] = (pc.quantile(one, 0.99).to_pylist() for one in (latency, own))
        return cls(ios.num_rows / seconds, p99 / 1e6, device / 1e6)

    @classmethod
    def simulated(cls, trace: Path, name: str, loop: str, seconds: float) -> "Done":
        """By a simulated replay of what was recorded."""
        return cls.replayed(by.simulate(again(trace, name, loop, seconds)))

    @classmethod
    def benched(cls, trace: Path, name: str, loop: str, seconds: float) -> "Done":
        """By a replay of real IO on the emulated storage: that waits for flushes, too."""
        with tempfile.TemporaryDirectory() as folder, emulated(name, Path(folder)) as (_, device):
            scenario, out = Path(folder) / "again.yaml", Path(folder) / "run"
            scenario.write_text(yaml.safe_dump(again(trace, name, loop, seconds), sort_keys=False))
            command = [sys.executable, "-m", "blockyard", "bench", str(scenario)]
            command += ["--map", f"data={device}", "--overwrite", device, "--out", str(out)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603
            return cls.replayed(by.load(out))

    @classmethod
    def replayed(cls, run: by.Run) -> "Done":
        """As a replay's run has it."""
        iops = sum(one["iops"] for one in run.result["totals"] if one["op"] != "flush")
        tags = ["database.data.read", "database.data.write"]
        [p99] = run.latencies.merged(tags).quantiles_us([0.99])
        return cls(iops, p99 / 1e3, p99 / 1e3)


def again(trace: Path, name: str, loop: str, seconds: float) -> dict[str, Any]:
    """The scenario that replays what was recorded on a storage."""
    return {
        "name": "again",
        "duration": f"{seconds}s",
        "storage": {"data": yaml.safe_load(storage(name))},
        "workload": {
            "database": {"kind": "replay", "on": "data", "trace": str(trace), "loop": loop}
        },
    }


def flush_waits(ios: pa.Table, flushes: pa.Table) -> list[int]:
    """How long each IO waited for a flush under way when it was issued, in nanoseconds.

    A loop device over FUSE carries out a flush before all that comes after it.
    """
    begun: list[int] = []
    over: list[int] = []
    issued, ended = (flushes[name].to_pylist() for name in ("issued_ns", "completed_ns"))
    for begin, end in sorted(zip(issued, ended, strict=True)):
        begun.append(begin)
        over.append(max(end, over[-1] if over else 0))
    waits = []
    issued, ended = (ios[name].to_pylist() for name in ("issued_ns", "completed_ns"))
    for begin, end in zip(issued, ended, strict=True):
        last = bisect_right(begun, begin) - 1
        free = min(over[last], end) if last >= 0 else begin
        waits.append(max(free - begin, 0))
    return waits


@contextmanager
def emulated(name: str, folder: Path) -> Iterator[tuple[Volumes, str]]:
    """A storage, emulated, and its device."""
    with volumes(f"  data: {storage(name)}\n", folder) as served:
        device = served.device()
        # Above 2 ms the kernel would hold writes back for the sake of reads.
        (Path("/sys/block") / Path(device).name / "queue/wbt_lat_usec").write_text("0")
        yield served, device


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
        emulated(name, Path(folder)) as (served, device),
    ):
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
    parser.add_argument("--bench", action="store_true", help="replay by real IO, too")
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
    ways: list[tuple[str, Any]] = [(loop, Done.simulated) for loop in LOOPS]
    if options.bench:
        ways.append((f"commits{BENCHED}", Done.benched))
    print("| storage | the database | loop | replayed | IOPS, ratio | p99, ratio | of the volume |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in STORAGES:
        truth = Done.of(keep / name, options.seconds)
        for loop, replay in ways:
            trace = keep / RECORDED / "ios.csv"
            found = replay(trace, name, loop.removesuffix(BENCHED), PART * options.seconds)
            iops, p99 = found.iops / truth.iops, found.p99_ms / truth.p99_ms
            # A replay by real IO has those waits, too, and is beside the truth as it was seen.
            device = "" if BENCHED in loop else f"{found.device_ms / truth.device_ms:.2f}"
            own = f"{truth.iops:,.0f} IOPS, p99 {truth.p99_ms:.1f} ms ({truth.device_ms:.1f})"
            again = f"{found.iops:,.0f} IOPS, p99 {found.p99_ms:.1f} ms"
            ratios = f"{iops:.2f} | {p99:.2f} | {device}"
            print(f"| {name} | {own} | {loop} | {again} | {ratios} |")


if __name__ == "__main__":
    main()
