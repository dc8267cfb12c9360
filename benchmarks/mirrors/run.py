"""DRBD in the test machine beside the same mirror, simulated.

    .venv/bin/python benchmarks/mirrors/run.py [--rounds N]

A write at a time with the protocols A, B and C at two round trips, on legs that `emulate`
serves. Prints medians over the rounds. Needs `make build` before, and what scripts/peers.sh
installs.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[2]
BIN = ROOT / ".venv" / "bin"
SCENARIO = Path(__file__).with_name("mirror.yaml")

#: In the machine: serve the legs, and when they are there, measure.
MEASURE = f"""
PATH={BIN}:$PATH
blockyard emulate {SCENARIO} --as block --each-volume --out /tmp/run >/tmp/served 2>&1 &
until grep -q '^mirrored.far' /tmp/served; do
    kill -0 $! || {{ cat /tmp/served >&2; exit 1; }}
    sleep 0.2
done
python3 -S {ROOT}/tests/machine/drbd.py ABC $(sed 's/^[^ ]* \\([^ ]*\\) .*/\\1/' /tmp/served)
"""

#: A protocol, and a round trip in milliseconds.
Case = tuple[str, str]


def drbd() -> dict[Case, float]:
    """What a write takes, in milliseconds."""
    done = subprocess.run(  # noqa: S603 - our own
        [ROOT / "scripts/machine.sh", "sh", "-c", MEASURE],
        env=os.environ | {"PYTHON": str(BIN / "python")},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode or "failed" in done.stdout:
        sys.exit(done.stdout + done.stderr)
    lines = [line.split() for line in done.stdout.splitlines()]
    return {(letter, trip): float(took) for letter, trip, took, *_ in lines}


def model(case: Case) -> float:
    """What the model says that a write takes, in milliseconds."""
    letter, trip = case
    sets = [f"links.lan.round_trip={trip}ms", f"storage.mirrored.mirror.acknowledge={letter}"]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        options = [option for each in sets for option in ("--set", each)]
        command = [str(BIN / "blockyard"), "simulate", str(SCENARIO), *options, "--out", str(out)]
        subprocess.run(command, capture_output=True, check=True)  # noqa: S603 - our own
        result = json.loads((out / "result.json").read_text())
        return float(result["totals"][0]["latency_us"]["mean"]) / 1e3


def main() -> None:
    """Measure, simulate, and print both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    rounds: dict[Case, list[float]] = defaultdict(list)
    for _ in range(options.rounds):
        for case, took in drbd().items():
            rounds[case].append(took)
    measured = {case: median(took) for case, took in rounds.items()}
    modelled = {case: model(case) for case in measured}
    print(
        "| round trip | protocol | DRBD, ms | rounds, ms | model, ms | DRBD, to A | model, to A |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for case, took in measured.items():
        letter, trip = case
        spread = f"{min(rounds[case]):.1f} to {max(rounds[case]):.1f}"
        to_a = [times[case] / times["A", trip] for times in (measured, modelled)]
        print(
            f"| {trip} ms | {letter} | {took:.1f} | {spread} | {modelled[case]:.1f} |"
            f" {to_a[0]:.2f} | {to_a[1]:.2f} |"
        )


main()
