"""PostgreSQL and MariaDB on emulated volumes, and the same transactions simulated.

    .venv/bin/python benchmarks/oltp/run.py [--database NAME] [--rounds N] [--from FILE]

Needs `make build` before, root, and what scripts/peers.sh installs. What was measured goes to
a file, a run on each line, from which it can be compared with another version's model later.
"""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[2] / "tests"))

import readwrite
import tpcb
from measure import LAYOUTS, measured
from tables import MEASURED, TRANSACTION, Run, compare, show

from databases.filled import filled
from databases.programs import program

DATABASES = {
    "postgres": (tpcb.TpcB, tpcb.USER, tpcb.PROGRAMS),
    "mariadb": (readwrite.ReadWrite, readwrite.USER, readwrite.PROGRAMS),
}


def measure(name: str, options: argparse.Namespace) -> list[Run]:
    """All rounds of a database on all layouts; each run is written down when it has ended."""
    of_load, user, _ = DATABASES[name]
    kind: Any = of_load.resized(options.shrink, options.pool)
    layouts = {layout: LAYOUTS[layout] for layout in options.layout or LAYOUTS}
    runs = []
    with filled(kind, user, **kind.FILLING) as database, options.out.open("a") as file:
        for number in range(1, options.rounds + 1):
            for layout, volume in layouts.items():
                case = layout if options.pool == 1 else f"{layout}, {options.pool} x pool"
                run: Run = {"database": name, "layout": case, "round": number}
                run |= _rounded(measured(database, volume, options.warm_up, options.seconds))
                file.write(json.dumps(run) + "\n")
                file.flush()
                print(f"{name}, {case}: {run['tps']:.0f} TPS", file=sys.stderr, flush=True)
                runs.append(run)
    return runs


def _check(parser: argparse.ArgumentParser, names: list[str]) -> None:
    """End with a line that says so where something is missing."""
    if os.geteuid() != 0:
        parser.error("mounting takes root")
    try:
        for name in names:
            for needed in DATABASES[name][2]:
                program(needed)
    except FileNotFoundError as error:
        parser.error(str(error))


def _rounded(value: Any) -> Any:
    """The same with five digits, and without what was not counted at all."""
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items() if each != 0}
    return float(f"{value:.5g}") if isinstance(value, float) else value


def main() -> None:
    """Measure or read what was measured, and print it beside the model."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--database", choices=DATABASES, help="by default both")
    parser.add_argument(
        "--layout", action="append", choices=LAYOUTS, help="more than one if given again"
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--warm-up", type=int, default=20, help="seconds of load before each run")
    parser.add_argument("--seconds", type=int, default=60, help="of each run")
    parser.add_argument("--shrink", type=int, default=1, help="divide tables and pool by this")
    parser.add_argument("--pool", type=int, default=1, help="multiply the pool by this")
    parser.add_argument("--out", type=Path, default=Path("oltp.jsonl"), help="what is measured")
    parser.add_argument("--from", type=Path, dest="given", help="measure nothing, take this file")
    parser.add_argument("--no-model", action="store_true", help="simulate nothing")
    options = parser.parse_args()
    if options.given:
        runs = [json.loads(line) for line in options.given.read_text().splitlines()]
    else:
        names = [options.database] if options.database else list(DATABASES)
        _check(parser, names)
        runs = [run for name in names for run in measure(name, options)]
    show(runs, MEASURED)
    print()
    show(runs, TRANSACTION)
    if not options.no_model:
        print()
        compare(runs)


if __name__ == "__main__":
    main()
