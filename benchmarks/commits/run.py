"""A checkout of another commit beside this one: what a change costs or saves.

    python3 benchmarks/commits/run.py OTHER [--rounds N] [--only simulate|emulate] [--bare]

OTHER is a checkout of another commit, such as `git worktree add ../before COMMIT` makes;
both need `make build`. The same scenarios run in turn on both, and processor time counts,
not the clock's: the simulator's for an IO, and the NBD server's while fio reads. Prints
medians, their ratios and the spread. Needs fio with its engine `nbd` for the latter.
"""

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

HERE = Path(__file__).parents[2]
Sides = tuple[Path, int]
PUBLISHED = "scenarios/intersystems-2022"

# Thirty readers of volumes that would let far more through, and 64 of volumes at their limit.
FREE = """
name: free
duration: 100s
storage:
  data:
    stripe: {{chunk: 64KiB, width: {count}}}
    of: {{type: io1, size: 2TiB, iops: 64000}}
workload: {{readers: {{kind: ranread, on: data, file_size: 1TiB, processes: 30}}}}
"""
FULL = """
name: full
duration: 500s
storage: {data: {type: io1, size: 1TiB, iops: 10000}}
workload: {readers: {kind: ranread, on: data, file_size: 512GiB, processes: 64}}
"""
STRIPED = """
name: striped
duration: 100s
storage: {data: {stripe: {chunk: 64KiB, width: 64}, of: {type: io1, size: 1TiB, iops: 500}}}
workload: {readers: {kind: ranread, on: data, file_size: 512GiB, processes: 256}}
"""
# Served without latency, so that fio is as fast as the server: without limits, with limits
# that are not reached, and at them.
SERVED = """
name: served
storage:
  data:
    stripe: {{chunk: 64KiB, width: {count}}}
    of: {{type: io1, size: 2TiB, iops: {iops}, latency: none}}
"""
UNLIMITED = "{name: served, storage: {data: {type: unlimited, size: 1GiB}}}"


@dataclass(frozen=True)
class Case:
    """What runs: a scenario, or a file of the checkout, and what is set in it."""

    name: str
    scenario: str
    sets: tuple[str, ...] = ()


SIMULATED = (
    Case("B.080", f"{PUBLISHED}/b080.yaml"),
    Case(
        "A.006, 64 writes in flight",
        f"{PUBLISHED}/a006.yaml",
        ("workload.writers.wdparm.outstanding=64",),
    ),
    Case("1 volume below its limit", FREE.format(count=1)),
    Case("64 volumes below their limits", FREE.format(count=64)),
    Case("1 volume at its limit", FULL),
    Case("64 volumes at their limits", STRIPED),
)
EMULATED = (
    Case("no limits", UNLIMITED),
    Case("1 volume below its limit", SERVED.format(count=1, iops=64000)),
    Case("64 volumes below their limits", SERVED.format(count=64, iops=64000)),
    Case("64 volumes at their limits", SERVED.format(count=64, iops=500)),
)
DEPTH = 64
BARE = Path(__file__).with_name("bare.py")


def simulated(checkout: Path, case: Case, options: list[str]) -> float:
    """Processor time of `blockyard simulate` for an IO, in nanoseconds."""
    with tempfile.TemporaryDirectory() as folder:
        sets = [part for value in case.sets for part in ("--set", value)]
        run = Path(folder) / "run"
        only = [] if checkout == HERE else options
        only = [*only, *_without_advice(checkout)]
        command = ["simulate", file_of(checkout, case, folder), *sets, *only, "--out", run]
        before = os.times()
        subprocess.run(  # noqa: S603 - our own program
            [program(checkout), *map(str, command)], check=True, capture_output=True
        )
        after = os.times()
        result = json.loads((run / "result.json").read_text())
        ios = sum(total["ios"] for total in result["totals"])
        used = after.children_user + after.children_system
        used -= before.children_user + before.children_system
        return float(used * 1e9 / ios)


def _without_advice(checkout: Path) -> list[str]:
    """The option that leaves out what older commits did in reports, where it is known."""
    option = "--no-advice"
    known = (checkout / "python/blockyard/cli/simulate.py").read_text()
    return [option] if option in known else []


def bare(checkout: Path, case: Case) -> float:
    """Processor time of one simulation by the module alone for an IO, in nanoseconds."""
    with tempfile.TemporaryDirectory() as folder:
        command = [BARE, file_of(checkout, case, folder), *case.sets]
        done = subprocess.run(  # noqa: S603 - our own program
            [program(checkout).with_name("python"), *map(str, command)],
            check=True,
            capture_output=True,
            text=True,
        )
        used, ios = map(float, done.stdout.split())
        return used * 1e9 / ios


def emulated(checkout: Path, case: Case, seconds: int) -> float:
    """Processor time of the NBD server for an IO of fio's, in nanoseconds."""
    with tempfile.TemporaryDirectory() as folder, serving(checkout, case, folder) as server:
        before = cpu_s(server.pid)
        reads = fio(f"nbd+unix:///?socket={folder}/nbd", seconds)
        return (cpu_s(server.pid) - before) * 1e9 / reads


@contextlib.contextmanager
def serving(checkout: Path, case: Case, folder: str) -> Iterator[subprocess.Popen[str]]:
    """`blockyard emulate` over NBD on a socket in `folder`."""
    scenario = file_of(checkout, case, folder)
    command = ["emulate", scenario, "--as", f"nbd={folder}/nbd", "--out", f"{folder}/run"]
    with subprocess.Popen(  # noqa: S603 - our own program
        [program(checkout), *map(str, command)], stdout=subprocess.PIPE, text=True
    ) as process:
        line = process.stdout.readline() if process.stdout else ""
        if ":" not in line:
            raise RuntimeError(f"blockyard emulate did not start: {line!r}")
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)


def fio(uri: str, seconds: int) -> int:
    """4 KiB random reads; how many there were."""
    command = ["fio", "--name=reads", "--ioengine=nbd", f"--uri={uri}", "--rw=randread"]
    options = ["--bs=4k", "--size=512m", "--norandommap", "--time_based", f"--iodepth={DEPTH}"]
    done = subprocess.run(  # noqa: S603 - fio
        [*command, *options, f"--runtime={seconds}", "--output-format=json"],
        check=True,
        capture_output=True,
        text=True,
    )
    (job,) = json.loads(done.stdout[done.stdout.index("{") :])["jobs"]
    reads: int = job["read"]["total_ios"]
    return reads


def cpu_s(pid: int) -> float:
    """Processor time of a process so far, with that of threads that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def program(checkout: Path) -> Path:
    """The checkout's own `blockyard`."""
    return checkout / ".venv" / "bin" / "blockyard"


def file_of(checkout: Path, case: Case, folder: str) -> Path:
    """The case's scenario as a file."""
    if "\n" not in case.scenario and case.scenario.endswith(".yaml"):
        return checkout / case.scenario
    file = Path(folder) / "scenario.yaml"
    file.write_text(case.scenario)
    return file


def compare(kind: str, case: Case, run: Callable[[Path], float], sides: Sides) -> None:
    """Both checkouts in turn; a row of the table."""
    other, rounds = sides
    measured = [(run(other), run(HERE)) for _ in range(rounds)]
    before, after = (median(side) for side in zip(*measured, strict=True))
    ratios = sorted(mine / theirs for theirs, mine in measured)
    row(
        kind,
        case.name,
        f"{before:,.0f}",
        f"{after:,.0f}",
        f"{median(ratios):.2f}",
        f"{ratios[0]:.2f} to {ratios[-1]:.2f}",
    )


def row(*cells: str) -> None:
    """Print a row of a table."""
    print("| " + " | ".join(cells) + " |", flush=True)


def main() -> int:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", type=Path, help="a built checkout of another commit")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3, help="of fio a round")
    parser.add_argument("--only", choices=["simulate", "emulate"])
    parser.add_argument(
        "--bare",
        action="store_true",
        help="simulations by the module alone: one seed, nothing tried (from d861734 on)",
    )
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        help="for the other's `simulate` alone; 6b2cb69 took --option=--stepwise, emulate's engine",
    )
    asked = parser.parse_args()
    for checkout in (HERE, asked.other):
        if not program(checkout).exists():
            parser.error(f"{checkout}: not built; run `make build` there")
    sides = (asked.other.resolve(), asked.rounds)
    row("", "case", "other, ns an IO", "this, ns an IO", "ratio", "ratio of pairs")
    row(*["---"] * 6)
    if asked.only != "emulate":
        for case in SIMULATED:
            full = partial(simulated, case=case, options=asked.option)
            compare("simulate", case, partial(bare, case=case) if asked.bare else full, sides)
    if asked.only != "simulate":
        for case in EMULATED:
            compare("emulate", case, partial(emulated, case=case, seconds=asked.seconds), sides)
    return 0


if __name__ == "__main__":
    sys.exit(main())
