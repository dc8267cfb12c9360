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
import failed_disk
import linked
import replica
import snapshot
from cluster import Loss
from failed_disk import FailedDisk, FailedPrimary
from linked import Linked
from predicted import Case, Seen, predicted
from replica import SemiSynchronous
from snapshot import Snapshot

import undoing
from databases import filesystem, galera, mariadb, postgres, standby
from databases.network import Link
from databases.programs import program
from databases.standby import Failover

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
    "disk": [
        FailedPrimary(synchronous_commit="local", failover_s=3),
        FailedPrimary(synchronous_commit="on", failover_s=3),
        FailedDisk("writer"),
        FailedDisk("other"),
    ],
    "copy": [Snapshot("rsync"), Snapshot("mariabackup")],
    "link": [
        Linked(Link()),
        Linked(Link(0.005)),
        Linked(Link(0.02)),
        Linked(Link(0.005, loss=0.01)),
        Linked(Link(0.005, rate=125e3)),
        Linked(Link(0.005), cut=((2, 0),)),
        Linked(Link(0.005), cut=((2, 1),)),
    ],
    "restored": [Linked(Link(0.005), cut_s=cut_s) for cut_s in (1.2, 2, 3.5, 4.5)],
    "semi-sync": [
        SemiSynchronous(timeout_s=3),
        SemiSynchronous(timeout_s=3, is_lost=True),
        SemiSynchronous(timeout_s=10, is_lost=True),
    ],
}
NETWORK = ["unshare", "nsenter", "setpriv", "ip"]
PROGRAMS = {
    "postgres": postgres.PROGRAMS,
    "galera": galera.PROGRAMS,
    "disk": [*postgres.PROGRAMS, *galera.PROGRAMS, "mkfs.xfs"],
    "copy": [*galera.PROGRAMS, "mkfs.xfs", "mariadb-backup", "socat"],
    "link": [*galera.PROGRAMS, *NETWORK],
    "restored": [*galera.PROGRAMS, *NETWORK],
    "semi-sync": [*mariadb.PROGRAMS, *NETWORK],
}
#: What is compared: its name in the table, and how it is printed.
FIGURES = {
    "lost": ("lost", ",.0f"),
    "outage_s": ("outage, s", ".2f"),
    "asynchronous_s": ("asynchronous, s", ".2f"),
    "from_writer": ("from the writer", ".0f"),
    "copy_s": ("copy, s", ".2f"),
    "stopped_s": ("longest without a commit, s", ".2f"),
    "rate": ("commits/s", ".0f"),
    "p50_ms": ("p50, ms", ".1f"),
    "p99_ms": ("p99, ms", ".1f"),
}
SEEDS = 40

Measured = dict[str, Any]
Lose = Callable[[Any, Path, str], Seen]


@contextlib.contextmanager
def prepared(product: str, folder: Path) -> Iterator[Lose]:
    """What loses a node of a product, given the case, a folder to make and a seed."""
    home = folder / product
    home.mkdir()
    match product:
        case "postgres":
            data = standby.prepared(home)
            yield lambda asked, place, seed: standby.lose_primary(data, place, asked, seed)
        case "semi-sync":
            data = replica.prepare(home)
            yield lambda asked, place, seed: replica.cut_link(data, place, asked, seed)
        case "disk":
            nodes, alone = home / "galera", home / "postgres"
            nodes.mkdir()
            alone.mkdir()
            cluster.prepare(nodes)
            data = standby.prepared(alone)
            yield (
                lambda asked, place, seed: (
                    failed_disk.fail_disk(nodes, place, asked, seed)
                    if isinstance(asked, FailedDisk)
                    else failed_disk.fail_primary(data, place, asked, seed)
                )
            )
        case "copy":
            cluster.prepare(home, snapshot.FILL, snapshot.SETTINGS)
            yield lambda asked, place, seed: snapshot.lose_and_copy(home, place, asked, seed)
        case "link" | "restored":
            cluster.prepare(home)
            yield lambda asked, place, seed: linked.load_and_cut(home, place, asked, seed)
        case _:
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
                # Of everything on this machine: what is late at much of it is not the database.
                load = {"load": round(os.getloadavg()[0], 1)}
                run = {"case": str(asked), "round": number} | asdict(outcome) | load
                file.write(json.dumps(run) + "\n")
                file.flush()
                print(run, file=sys.stderr, flush=True)
                runs.append(run)
    return runs


def compare(cases: list[Case], runs: list[Measured]) -> None:
    """The table of a product: its cases in both worlds."""
    figures: list[str] = []
    for asked in cases:
        own = [run for run in runs if run["case"] == str(asked)]
        if not own:
            continue
        if not figures:
            figures = [figure for figure in FIGURES if figure in own[0]]
            names = [FIGURES[figure][0] for figure in figures]
            both = [name for own in names for name in (own, f"{own}, model")]
            row("case", "rounds", *both, "outside of the model's range")
            row(*["---"] * (3 + len(both)))
        model = [asdict(predicted(asked, seed)) for seed in range(SEEDS)]
        cells, outside = [], []
        for figure in figures:
            name, form = FIGURES[figure]
            sides = [sorted(run[figure] for run in side) for side in (own, model)]
            cells += [
                f"{median(side):{form}} ({side[0]:{form}} to {side[-1]:{form}})" for side in sides
            ]
            measured, (least, *_, most) = median(sides[0]), sides[1]
            away = min(measured - least, 0) + max(measured - most, 0)
            if float(f"{away:{form}}"):
                outside.append(f"{name.split(',')[0]} {away:+{form}}")
        row(str(asked), str(len(own)), *cells, ", ".join(outside) or "-")
    if figures:
        print()


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
    if {"disk", "copy"} & set(products) and not Path("/dev/fuse").exists():
        parser.error("/dev/fuse is missing, so there is no block device")
    of_galera = {"galera", "disk", "copy", "link", "restored"} & set(products)
    if of_galera and not Path(cluster.PROVIDER).exists():
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
    for product in products:
        compare(CASES[product], runs)


if __name__ == "__main__":
    main()
