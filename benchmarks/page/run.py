"""How fast a page simulates: its module in Node beside the command's own, in turn.

    make build
    .venv/bin/python benchmarks/page/run.py [--rounds 5]

Both simulate one seed of the same scenarios, record the same tables and latencies, and explain the
run. The share is native time over Node's, of pairs that ran one after the other; 0.5 is half as
fast. Last, a thousand short runs in one module, with its memory after each hundred.
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

import blockyard

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from engine import Engine  # noqa: E402 - found by the line above

CASES = (
    ("B.080", "scenarios/intersystems-2022/b080.yaml", "5m"),
    ("B.083", "scenarios/intersystems-2022/b083.yaml", "2m"),
    ("test 1, io2", "scenarios/intersystems-2023/test1-io2.yaml", "1m"),
    ("a small database", "scenarios/examples/small-database.yaml", "30s"),
    ("mirror over two hosts", "scenarios/examples/two-hosts.yaml", "30s"),
)

SHORT = "scenarios/examples/gp3.yaml"


def main() -> None:
    """Print the table, and the memory of many runs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="runs of each case (default: 5)")
    parser.add_argument("--runs", type=int, default=1000, help="short runs (default: 1,000)")
    asked = parser.parse_args()
    print("| case | IOs | native, s | Node, s | share |\n| --- | --- | --- | --- | --- |")
    for name, path, duration in CASES:
        pairs = [pair(ROOT / path, duration) for _ in range(asked.rounds)]
        native, node = (statistics.median(seconds) for seconds in zip(*pairs, strict=True))
        share = statistics.median(ours / theirs for ours, theirs in pairs)
        ios = sum(total["ios"] for total in simulated(ROOT / path, duration).result["totals"])
        print(f"| {name} | {ios:,} | {native:.2f} | {node:.2f} | {share:.2f} |", flush=True)
    flat(asked.runs)


def simulated(path: Path, duration: str) -> blockyard.RunView:
    """A run of the command's own."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        return blockyard.simulate(path, {"duration": duration}, seeds=1, out=out)


def pair(path: Path, duration: str) -> tuple[float, float]:
    """Seconds of a run, natively and in a new module of Node that has run before."""
    text = path.read_text(encoding="utf-8")
    begun = time.perf_counter()
    simulated(path, duration)
    native = time.perf_counter() - begun
    with Engine() as engine:
        # Compiles what the run will need.
        engine.ask(ask="run", text=text, sets=[f"duration={duration}"], seeds=1, until_s=1.0)
        begun = time.perf_counter()
        answer = engine.ask(ask="run", text=text, sets=[f"duration={duration}"], seeds=1)
        node = time.perf_counter() - begun
    if "error" in answer:
        raise SystemExit(f"{path}: {answer['error']['message']}")
    return native, node


def flat(runs: int) -> None:
    """Prints the module's memory after hundreds of runs."""
    text = (ROOT / SHORT).read_text(encoding="utf-8")
    with Engine() as engine:
        for number in range(1, runs + 1):
            engine.ask(ask="run", text=text, sets=[f"seed={number}"], seeds=1, until_s=5.0)
            if number == 1 or number % 100 == 0:
                print(f"memory after {number:,} runs: {engine.memory() / 2**20:.1f} MiB")


if __name__ == "__main__":
    main()
