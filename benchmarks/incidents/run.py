"""Makes labelled incidents, has each source of data judge them, and prints how often it is right.

    python benchmarks/incidents/run.py --incidents 1000 --parallel 12 --outcomes outcomes.jsonl
"""

import argparse
import json
import multiprocessing
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

from incident import draw
from made import cleared, make
from matrix import said
from sources import is_made, verdicts


def carried_out(order: tuple[str, int, str]) -> dict[str, Any]:
    """One incident, from its making to the verdicts on it."""
    seed, number, place = order
    incident = draw(seed, number)
    folder = Path(tempfile.mkdtemp(prefix=f"incident-{number}-", dir=place))
    found: dict[str, Any] = {"number": number, "label": incident.label}
    try:
        devices = make(incident, folder)
        found["left_out"] = is_made(incident, folder)
        found["sources"] = verdicts(incident, folder, devices)
    except Exception:  # noqa: BLE001 - one that fails does not end the others
        found["left_out"] = traceback.format_exc()
    if not sys.flags.dev_mode:
        cleared(folder)
    return found


def main() -> None:
    """Make the incidents, and print the matrices."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--incidents", type=int, default=1000)
    asked.add_argument("--first", type=int, default=0)
    asked.add_argument("--parallel", type=int, default=12)
    asked.add_argument("--seed", default="drive")
    asked.add_argument("--outcomes", type=Path, default=Path("outcomes.jsonl"))
    asked.add_argument("--folder", default="/dev/shm")  # noqa: S108 - small, and removed
    options = asked.parse_args()
    numbers = range(options.first, options.first + options.incidents)
    orders = [(options.seed, number, options.folder) for number in numbers]
    # Each worker forks services of its own.
    context = multiprocessing.get_context("spawn")
    with (
        options.outcomes.open("a") as kept,
        context.Pool(options.parallel, maxtasksperchild=40) as pool,
    ):
        for found in pool.imap_unordered(carried_out, orders):
            print(json.dumps(found), file=kept, flush=True)
            if found["left_out"]:
                print(f"{found['number']}: left out: {found['left_out']}", file=sys.stderr)
    print(said([json.loads(line) for line in options.outcomes.open()]))


if __name__ == "__main__":
    main()
