"""Sweeps on threads, Dask and Ray, beside other ways to do the same: README.md says how.

.venv/bin/python benchmarks/sweep/run.py threads dask ray processor speed memory parallel simpy
"""

import argparse
import importlib
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from blockyard.questions.sweep import Prices, plan
from blockyard.sweeps import engines, making
from blockyard.sweeps.dispatch import Progress
from blockyard.sweeps.making import Planned

HERE = Path(__file__).parent
# One gp3 at its limit of 3,000 IOPS.
BASE = {
    "name": "gp3",
    "storage": {"data": {"type": "gp3", "size": "100GiB"}},
    "workload": {
        "readers": {"kind": "ranread", "on": "data", "file_size": "80GiB", "processes": 4}
    },
}
WORKERS = 2


def planned(folder: Path, seeds: int, duration: str, interval: str = "1s") -> Planned:
    """A sweep of ten sizes, each with so many seeds."""
    (folder / "gp3.yaml").write_text(
        json.dumps(BASE | {"duration": duration, "interval": interval})
    )
    axes = {"storage.data.size": {"from": "100GiB", "to": "1000GiB", "step": "100GiB"}}
    sweep = {"base": "gp3.yaml", "axes": axes, "seeds": seeds, "figures": ["p99", "iops"]}
    return plan(json.dumps(sweep), "sweep", folder, (), (), Prices())


class Took(making.View):
    """How long the runs took where they were carried out."""

    seconds = 0.0

    def progressed(self, progress: Progress) -> None:
        """Keep the sum."""
        self.seconds = progress.took_s


def made(asked: Planned, folder: Path, on: str) -> tuple[float, float]:
    """How long a sweep takes, and its runs alone, in seconds."""
    engine = engines.named(on, WORKERS)
    try:
        view = Took()
        begun = time.perf_counter()
        making.make(asked, folder / "made", engine, threading.Event(), view)
        return time.perf_counter() - begun, view.seconds
    finally:
        engine.close()
        shutil.rmtree(folder / "made")


def overhead(on: str, rounds: int, seeds: int) -> None:
    """What a sweep takes more than its runs, as a share."""
    shares = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as name:
            asked = planned(Path(name), seeds, "10s")
            whole, runs = made(asked, Path(name), on)
            shares.append(WORKERS * whole / runs - 1)
    print(f"{on}: overhead {median(shares):.1%} of the runs' own time, {10 * seeds} runs")


def processor(rounds: int, seeds: int) -> None:
    """The processor time of a sweep on threads beside that of its runs in one piece."""
    shares = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as name:
            asked = planned(Path(name), seeds, "10s")
            begun = time.process_time()
            engines.carry_out(asked.plan.work([run for run, _ in asked.plan.runs()]))
            plain = time.process_time() - begun
            made(asked, Path(name), "threads")
            shares.append((time.process_time() - begun - plain) / plain - 1)
    print(f"processor: {median(shares):.1%} more than the runs in one piece, {10 * seeds} runs")


def speed(_rounds: int, _seeds: int) -> None:
    """10,000 simulations of 10 s at 3,000 IOPS."""
    with tempfile.TemporaryDirectory() as name:
        begun, used = time.perf_counter(), time.process_time()
        made(planned(Path(name), 1000, "10s"), Path(name), "threads")
        took, processor = time.perf_counter() - begun, time.process_time() - used
    print(f"speed: 10,000 runs in {took:.1f} s, {processor:.1f} s of processors")


def memory(_rounds: int, _seeds: int) -> None:
    """The most memory of 100,000 runs, and of these the least that Python takes."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with tempfile.TemporaryDirectory() as name:
        made(planned(Path(name), 10_000, "100ms", "100ms"), Path(name), "threads")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"memory: {most / 1024:.0f} MiB at most for 100,000 runs, {before / 1024:.0f} before")


def parallel(_rounds: int, _seeds: int) -> None:
    """The same by a `blockyard simulate` a run, as GNU parallel or xargs would start them."""
    count = 40
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        asked = planned(folder, count // 10, "10s")
        whole, _ = made(asked, folder, "threads")
        command = f"{Path(sys.executable).parent}/blockyard simulate gp3.yaml --seeds 1 --no-advice"
        tool = "parallel -j" if shutil.which("parallel") else "xargs -P"
        line = f"seq {count} | {tool} {WORKERS} -I N {command} --seed N --out N > /dev/null"
        begun = time.perf_counter()
        subprocess.run(["bash", "-c", line], cwd=folder, check=True)  # noqa: S603, S607
        took = time.perf_counter() - begun
    print(f"parallel ({tool.split()[0]}): {took / whole:.0f} times as long, {count} runs")


def simpy(_rounds: int, _seeds: int) -> None:
    """The least of the model in SimPy under Dask: one second of each run."""
    distributed: Any = importlib.import_module("distributed")

    sys.path.insert(0, str(HERE))
    from simpy_gp3 import ios

    ours, theirs = 400, 20
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        whole, _ = made(planned(folder, ours // 10, "10s"), folder, "dask")
    with distributed.Client(
        n_workers=WORKERS, threads_per_worker=1, dashboard_address=None
    ) as client:
        client.upload_file(str(HERE / "simpy_gp3.py"))
        client.gather(client.map(ios, [0.1] * WORKERS, range(WORKERS), pure=False))
        begun = time.perf_counter()
        client.gather(client.map(ios, [1.0] * theirs, range(theirs), pure=False))
        took = 10 * (time.perf_counter() - begun)
    print(f"simpy: {took / theirs / (whole / ours):.1f} times as long a run")


CASES: dict[str, Callable[[int, int], None]] = {
    "threads": lambda rounds, seeds: overhead("threads", rounds, seeds),
    "dask": lambda rounds, seeds: overhead("dask", rounds, seeds),
    "ray": lambda rounds, seeds: overhead("ray", rounds, seeds),
    "processor": processor,
    "speed": speed,
    "memory": memory,
    "parallel": parallel,
    "simpy": simpy,
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="+", choices=CASES)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seeds", type=int, default=100, help="of each of ten combinations")
    given = parser.parse_args()
    for case in given.cases:
        CASES[case](given.rounds, given.seeds)
