"""`blockyard bench` beside fio: the same job on the same file, in turn.

    python3 benchmarks/bench/run.py [--rounds N] [--seconds S] [--file PATH]

8 KiB random reads past the page cache at queue depths 1, 32 and 128, of one and of
two processes, and on storage that does nothing. Prints medians and ratios. Needs
`make build` before, and fio.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[2]
BLOCKYARD = ROOT / ".venv" / "bin" / "blockyard"
SIZE_MIB = 1024
# fio as people run it, and with all that its manual offers to go faster.
PEERS = {
    "fio": [],
    "fio tuned": ["--registerfiles", "--fixedbufs", "--iodepth_batch_submit=16"],
}


@dataclass(frozen=True)
class Case:
    """A job: queue depth of each process, and processes."""

    depth: int
    processes: int
    null: bool = False

    def __str__(self) -> str:
        """What the table calls it."""
        where = "null" if self.null else "file"
        return f"{where}, depth {self.depth}, {self.processes} proc"


@dataclass(frozen=True)
class Measured:
    """IOPS, and processor time of an IO in microseconds."""

    iops: float
    user_us: float
    system_us: float

    @property
    def cpu_us(self) -> float:
        """All of it."""
        return self.user_us + self.system_us


@dataclass
class Runs:
    """A program's runs of a case."""

    rounds: list[Measured] = field(default_factory=list)

    def of(self, figure: str) -> float:
        """The median of a figure."""
        return float(median(getattr(measured, figure) for measured in self.rounds))

    def spread(self) -> float:
        """Fastest round against the slowest."""
        rates = [measured.iops for measured in self.rounds]
        return max(rates) / min(rates) - 1


def blockyard(case: Case, file: Path, seconds: int) -> Measured:
    """One round of `blockyard bench`."""
    scenario = f"""
name: bench
duration: {seconds}s
storage: {{data: {{type: gp3, size: 100GiB}}}}
workload:
  readers:
    {{kind: access_spec, on: data, file_size: {SIZE_MIB}MiB, processes: {case.processes},
     outstanding: {case.depth}, pattern: {{size: 8KiB, read: 100%, random: 100%}}}}
"""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "bench.yaml"
        path.write_text(scenario)
        target = "null:" if case.null else str(file)
        command = [BLOCKYARD, "bench", path, "--map", f"data={target}"]
        done = _output([*command, "--json", "--out", Path(place) / "run"])
    result = json.loads(done)
    total, cpu = result["totals"][0], result["machine"]["cpu"]
    ios = total["ios"]
    return Measured(total["iops"], cpu["user_s"] * 1e6 / ios, cpu["system_s"] * 1e6 / ios)


def fio(case: Case, file: Path, seconds: int, options: list[str]) -> Measured:
    """One round of fio."""
    engine = "null" if case.null else "io_uring"
    target = [] if case.null else [f"--filename={file}"]
    done = _output(
        [
            "fio",
            "--name=bench",
            f"--ioengine={engine}",
            *target,
            f"--size={SIZE_MIB}M",
            "--rw=randread",
            "--bs=8k",
            "--direct=1",
            "--norandommap",
            "--time_based",
            f"--runtime={seconds}",
            f"--iodepth={case.depth}",
            f"--numjobs={case.processes}",
            "--group_reporting",
            "--output-format=json",
            *([] if case.null else options),
        ]
    )
    job = json.loads(done)["jobs"][0]
    ios, runtime_us = job["read"]["total_ios"], job["job_runtime"] * 1e3
    return Measured(
        job["read"]["iops"],
        job["usr_cpu"] / 100 * runtime_us / ios,
        job["sys_cpu"] / 100 * runtime_us / ios,
    )


def _output(command: list[object]) -> str:
    return subprocess.run(  # noqa: S603 - our own programs
        list(map(str, command)), check=True, capture_output=True, text=True
    ).stdout


def measure(cases: list[Case], file: Path, rounds: int, seconds: int) -> None:
    """Runs all cases, the programs in turn, and prints the table."""
    print("| job | program | IOPS | user µs | system µs | spread | IOPS ratio | CPU ratio | user |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for case in cases:
        peers = {"fio": []} if case.null else PEERS
        runs = {name: Runs() for name in ("blockyard", *peers)}
        for _ in range(rounds):
            runs["blockyard"].rounds.append(blockyard(case, file, seconds))
            for name, options in peers.items():
                runs[name].rounds.append(fio(case, file, seconds, options))
        ours = runs["blockyard"]
        for name, theirs in runs.items():
            ratios = (
                ["", "", ""]
                if theirs is ours
                else [
                    f"{ours.of(figure) / theirs.of(figure):.2f}"
                    for figure in ("iops", "cpu_us", "user_us")
                ]
            )
            figures = [
                f"{theirs.of('iops'):,.0f}",
                f"{theirs.of('user_us'):.2f}",
                f"{theirs.of('system_us'):.2f}",
                f"{theirs.spread():.0%}",
            ]
            print("| " + " | ".join([str(case), name, *figures, *ratios]) + " |", flush=True)


def main() -> int:
    """Makes the file, and measures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--file", type=Path, default=Path("blockyard-bench.dat"))
    arguments = parser.parse_args()
    if not shutil.which("fio"):
        print("fio is missing; install with: apt-get install fio", file=sys.stderr)
        return 3
    file = arguments.file.absolute()
    cases = [Case(depth, processes) for processes in (1, 2) for depth in (1, 32, 128)]
    cases += [Case(1, 1, null=True), Case(32, 1, null=True)]
    try:
        measure(cases, file, arguments.rounds, arguments.seconds)
    finally:
        file.unlink(missing_ok=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
