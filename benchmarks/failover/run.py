"""Nodes of real databases lost under load, and the same losses simulated.

    .venv/bin/python benchmarks/failover/run.py [--product NAME] [--rounds N] [--from FILE]

Needs `make build` before, root, and what scripts/peers.sh installs. What was measured goes to
a file, a round on each line, from which it can be compared with another version's model later.
"""

import argparse
import contextlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Any

sys.path.append(str(Path(__file__).parents[2] / "tests"))

import cluster
from cluster import Loss
from predicted import predicted

import undoing
from databases import filesystem, galera, postgres, standby
from databases.open_loop import Outcome
from databases.programs import program
from databases.standby import Failover

Case = Failover | Loss
CASES: dict[str, list[Case]] = {
    "postgres": [
        Failover(synchronous_commit="local", failover_s=3),
        Failover(synchronous_commit="on", failover_s=3),
    ],
    "galera": [
        Loss("writer", "killed", 5),
        Loss("writer", "frozen", 5),
        Loss("other", "frozen", 5),
        Loss("writer", "killed", 2),
        Loss("writer", "frozen", 2),
        Loss("other", "frozen", 2),
        Loss("writer", "frozen", 5, join_s=0.2),
    ],
}
PROGRAMS = {"postgres": postgres.PROGRAMS, "galera": galera.PROGRAMS}
SEEDS = 40

Measured = dict[str, Any]
Lose = Callable[[Any, Path, str], Outcome]


@contextlib.contextmanager
def prepared(product: str, folder: Path) -> Iterator[Lose]:
    """What loses a node of a product, given the case, a folder to make and a seed."""
    home = folder / product
    home.mkdir()
    if product == "postgres":
        data = standby.prepared(home)
        yield lambda asked, place, seed: standby.lose_primary(data, place, asked, seed)
    else:
        cluster.prepare(home)
        yield lambda asked, place, seed: cluster.lose_node(home, place, asked, seed)


def measure(product: str, options: argparse.Namespace) -> list[Measured]:
    """All rounds of a product; cases take turns, and each round is written when it has ended."""
    runs = []
    with (
        filesystem.workspace() as folder,
        undoing.mounted("tmpfs", folder / "memory", "-t", "tmpfs", "-o", "mode=755") as memory,
        prepared(product, memory) as lose,
        options.out.open("a") as file,
    ):
        for number in range(1, options.rounds + 1):
            for asked in CASES[product]:
                place = memory / "round"
                outcome = lose(asked, place, f"{asked} {number}")
                shutil.rmtree(place)
                run = {"case": str(asked), "round": number} | asdict(outcome)
                file.write(json.dumps(run) + "\n")
                file.flush()
                print(run, file=sys.stderr, flush=True)
                runs.append(run)
    return runs


def compare(asked: Case, runs: list[Measured]) -> None:
    """A row of the table: a case in both worlds."""
    model = [predicted(asked, seed) for seed in range(SEEDS)]
    cells, outside = [str(asked), str(len(runs))], []
    for figure, form in (("lost", ",.0f"), ("outage_s", ".2f")):
        real = sorted(run[figure] for run in runs)
        own = sorted(getattr(one, figure) for one in model)
        cells += [
            f"{median(side):{form}} ({side[0]:{form}} to {side[-1]:{form}})" for side in (real, own)
        ]
        away = min(median(real) - own[0], 0) + max(median(real) - own[-1], 0)
        if away:
            outside.append(f"{figure.removesuffix('_s')} {away:+{form}}")
    row(*cells, ", ".join(outside) or "-")


def row(*cells: str) -> None:
    """Print a row of the table."""
    print("| " + " | ".join(cells) + " |", flush=True)


def check(parser: argparse.ArgumentParser, products: list[str]) -> None:
    """End with a line that says so where something is missing."""
    if os.geteuid() != 0:
        parser.error("mounting takes root")
    try:
        for needed in [name for product in products for name in PROGRAMS[product]]:
            program(needed)
    except FileNotFoundError as error:
        parser.error(str(error))
    if "galera" in products and not Path(cluster.PROVIDER).exists():
        parser.error(f"{cluster.PROVIDER} is missing; scripts/peers.sh installs it")


def main() -> None:
    """Measure, simulate, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--product", choices=CASES, action="append", help="default: all")
    parser.add_argument("--rounds", type=int, default=7, help="of each case")
    parser.add_argument("--out", type=Path, default=Path("failover.jsonl"), help="what is measured")
    parser.add_argument("--from", dest="file", type=Path, help="what was measured: only simulate")
    options = parser.parse_args()
    products = options.product or list(CASES)
    if options.file:
        if not options.file.is_file():
            parser.error(f"{options.file} is no file")
        runs = [json.loads(line) for line in options.file.read_text().splitlines()]
    else:
        check(parser, products)
        with contextlib.closing(undoing.watchdog()):
            runs = [run for product in products for run in measure(product, options)]
    row(
        "case",
        "rounds",
        "lost",
        "lost, model",
        "outage, s",
        "outage, s, model",
        "outside of the model's range",
    )
    row(*["---"] * 7)
    for asked in [case for product in products for case in CASES[product]]:
        own = [run for run in runs if run["case"] == str(asked)]
        if own:
            compare(asked, own)


if __name__ == "__main__":
    main()
