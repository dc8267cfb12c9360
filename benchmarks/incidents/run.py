"""Makes labelled incidents, has each source of data judge them, and prints how often it is right.

    python benchmarks/incidents/run.py --incidents 1000 --folder incidents
    python benchmarks/incidents/run.py --judge --folder incidents

What was seen of an incident stays in the folder, and can be judged again.
"""

import argparse
import json
import multiprocessing
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from incident import draw
from made import make
from matrix import said
from sources import is_made, verdicts

_Order = tuple[str, int, Path]


def made(order: _Order) -> str | None:
    """Make an incident; give what went wrong."""
    seed, number, folder = order
    own = folder / str(number)
    if (own / "devices.json").exists():
        return None
    try:
        own.mkdir(parents=True)
        devices = make(draw(seed, number), own)
        (own / "devices.json").write_text(json.dumps(devices))
    except Exception:  # noqa: BLE001 - one that fails does not end the others
        return f"{number}: {traceback.format_exc()}"
    return None


def judged(order: _Order) -> dict[str, Any] | None:
    """What each source says of an incident; None of one that was not made."""
    seed, number, folder = order
    own = folder / str(number)
    if not (own / "devices.json").exists():
        return None
    incident = draw(seed, number)
    devices = json.loads((own / "devices.json").read_text())
    found: dict[str, Any] = {"number": number, "label": incident.label}
    try:
        found["left_out"] = is_made(incident, own)
        found["sources"] = verdicts(incident, own, devices)
    except Exception:  # noqa: BLE001 - one that cannot be read does not end the others
        found["left_out"] = traceback.format_exc()
    return found


def _each(parallel: int, work: Callable[[_Order], Any], orders: list[_Order]) -> list[Any]:
    # Each worker forks services of its own.
    context = multiprocessing.get_context("spawn")
    with context.Pool(parallel, maxtasksperchild=40) as pool:
        return list(pool.imap_unordered(work, orders))


def main() -> None:
    """Make the incidents, and print the matrices."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--incidents", type=int, default=1000)
    asked.add_argument("--parallel", type=int, default=12)
    asked.add_argument("--seed", default="drive")
    asked.add_argument("--folder", type=Path, required=True)
    asked.add_argument("--judge", action="store_true", help="only judge what was made")
    options = asked.parse_args()
    orders = [(options.seed, number, options.folder) for number in range(options.incidents)]
    if not options.judge:
        for wrong in filter(None, _each(options.parallel, made, orders)):
            print(wrong)
    outcomes = [one for one in _each(2, judged, orders) if one]
    outcomes.sort(key=lambda one: one["number"])
    lines = [json.dumps(one) + "\n" for one in outcomes]
    (options.folder / "outcomes.jsonl").write_text("".join(lines))
    print(said(outcomes))


if __name__ == "__main__":
    main()
