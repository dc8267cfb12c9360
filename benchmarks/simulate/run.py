"""Blockyard beside other simulators: simulated IOs a second of the whole process.

    python3 benchmarks/simulate/run.py [--rounds N]

Builds what it needs (cargo, and SimPy in a virtual environment of its own), runs
the engines in turn, and prints medians and ratios. Needs `make build` before.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SCENARIO = ROOT / "scenarios" / "intersystems-2022" / "b080.yaml"
BLOCKYARD = ROOT / ".venv" / "bin" / "blockyard"
SIMPY = "simpy==4.1.2"


@dataclass
class Engine:
    """One engine: how to run it, and what came out."""

    name: str
    note: str
    command: Callable[[str], list[str]]
    seconds: list[float] = field(default_factory=list)
    ios: int = 0
    iops: float = 0.0
    mean_us: float = 0.0

    def run(self) -> None:
        """One round."""
        with tempfile.TemporaryDirectory() as place:
            start = time.monotonic()
            done = subprocess.run(  # noqa: S603 - our own programs
                self.command(place), check=True, capture_output=True, text=True
            )
            self.seconds.append(time.monotonic() - start)
            if self.name.startswith("blockyard"):
                result = json.loads((Path(place) / "run" / "result.json").read_text())
                total = result["totals"][0]
                self.ios, self.iops = total["ios"], result["steps"][-1]["iops"]
                self.mean_us = result["steps"][-1]["latency_us"]["mean"]
            else:
                ios, iops, mean = done.stdout.split()
                self.ios, self.iops, self.mean_us = int(ios), float(iops), float(mean)

    def rate(self) -> float:
        """Simulated IOs a second, median over the rounds."""
        return self.ios / median(self.seconds)

    def spread(self) -> float:
        """Slowest round against the fastest."""
        return max(self.seconds) / min(self.seconds) - 1


def set_up() -> tuple[Path, Path]:
    """Builds the peers; gives the folder of their programs and SimPy's Python."""
    environment = HERE / ".venv"
    python = environment / "bin" / "python"
    if not python.exists():
        venv.create(environment, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", SIMPY], check=True)  # noqa: S603
    build = ["cargo", "build", "--release", "--locked", "--quiet"]
    subprocess.run(build, cwd=HERE, check=True)  # noqa: S603
    target = Path(os.environ.get("CARGO_TARGET_DIR", HERE / "target"))
    return target / "release", python


def engines(programs: Path, python: Path) -> list[Engine]:
    """All engines, Blockyard first. The others run the scenario's last step."""
    command = [str(BLOCKYARD), "simulate", str(SCENARIO), "--out"]
    peer = [str(SCENARIO), "600"]
    return [
        Engine("blockyard", "whole process, all files written", lambda at: [*command, f"{at}/run"]),
        Engine("odem-rs 0.4.0", "Blockyard's model", lambda _: [str(programs / "odem"), *peer]),
        Engine("nexosim 1.0.0", "Blockyard's model", lambda _: [str(programs / "nexosim"), *peer]),
        Engine(
            "SimPy 4.1.2",
            "a simpler model in Python",
            lambda _: [str(python), str(HERE / "simpy_b080.py"), "20"],
        ),
    ]


def memory_mib(minutes: int) -> float:
    """Peak memory of a run of so many minutes."""
    with tempfile.TemporaryDirectory() as place:
        command = [str(BLOCKYARD), "simulate", str(SCENARIO), "--set", f"duration={minutes}m"]
        code = (
            "import resource, subprocess, sys;"
            "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL);"
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        )
        measured = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-c", code, *command, "--out", f"{place}/run"],
            check=True,
            capture_output=True,
            text=True,
        )
        return int(measured.stdout) / 1024


def main() -> None:
    """Runs all engines in turn and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    all_engines = engines(*set_up())
    for _ in range(rounds):
        for engine in all_engines:
            engine.run()
    ours = all_engines[0]
    print(
        f"{'engine':15} {'IOs':>12} {'median s':>9} {'IOs/s':>12} {'ratio':>7}  IOPS, mean us of 50"
    )
    for engine in all_engines:
        print(
            f"{engine.name:15} {engine.ios:12,} {median(engine.seconds):9.2f} "
            f"{engine.rate():12,.0f} {ours.rate() / engine.rate():6.1f}x  "
            f"{engine.iops:,.0f} {engine.mean_us:.0f}  {engine.note}"
        )
    widest = max(engine.spread() for engine in all_engines)
    noise = "noisy: " if widest > 0.1 else ""
    print(f"{noise}rounds differ by up to {100 * widest:.0f} %, {rounds} rounds")
    print(f"blockyard's peak memory: {memory_mib(10):.0f} MiB for 10 minutes of B.080, ", end="")
    print(f"{memory_mib(60):.0f} MiB for 60")


if __name__ == "__main__":
    main()
