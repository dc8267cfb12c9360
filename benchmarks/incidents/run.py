"""Makes labelled incidents, has each source of data judge them, and prints how often it is right.

    python benchmarks/incidents/run.py --incidents 1000 --folder incidents
    python benchmarks/incidents/run.py --database postgres --incidents 60 --folder incidents
    python benchmarks/incidents/run.py --judge --folder incidents

What was seen of an incident stays in the folder, and can be judged again.
"""

import argparse
import json
import multiprocessing
import shutil
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import database_incident
from incident import Incident, draw
from loaded import DATABASES, image
from made import make
from matrix import counted, said
from sources import is_made, verdicts

# Of the incidents' seed, number, folder and database.
_Order = tuple[str, int, Path, str | None]


def _drawn(order: _Order) -> Incident:
    seed, number, _, database = order
    return database_incident.draw(seed, number, database) if database else draw(seed, number)


def _images(folder: Path) -> Path:
    """Where filled databases lie: in memory, for the runs of a folder."""
    return Path("/dev/shm") / f"blockyard-incidents-{folder.name}"  # noqa: S108


def made(order: _Order) -> str | None:
    """Make an incident; give what went wrong."""
    _, number, folder, database = order
    own = folder / str(number)
    if (own / "devices.json").exists():
        return None
    try:
        shutil.rmtree(own, ignore_errors=True)
        own.mkdir(parents=True)
        data = (database, _images(folder) / f"{database}.image") if database else None
        devices = make(_drawn(order), own, data)
        (own / "devices.json").write_text(json.dumps(devices))
    except Exception:  # noqa: BLE001 - one that fails does not end the others
        return f"{number}: {traceback.format_exc()}"
    return None


def judged(order: _Order) -> dict[str, Any] | None:
    """What each source says of an incident; None of one that was not made."""
    _, number, folder, _ = order
    own = folder / str(number)
    if not (own / "devices.json").exists():
        return None
    incident = _drawn(order)
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


def _make(options: argparse.Namespace, orders: list[_Order]) -> None:
    images = _images(options.folder)
    # One that is there serves several runs in the same folder.
    kept = images.exists()
    if options.database:
        images.mkdir(exist_ok=True)
        image(options.database, images)
    try:
        for wrong in filter(None, _each(options.parallel, made, orders)):
            print(wrong)
    finally:
        if not kept:
            shutil.rmtree(images, ignore_errors=True)


def main() -> None:
    """Make the incidents, and print the matrices."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--incidents", type=int, default=1000)
    asked.add_argument("--parallel", type=int, default=12)
    asked.add_argument("--seed", default="drive")
    asked.add_argument("--folder", type=Path, required=True)
    asked.add_argument("--database", choices=DATABASES, help="what makes the load, instead of fio")
    asked.add_argument("--label", help="only those of this label")
    asked.add_argument("--judge", action="store_true", help="only judge what was made")
    options = asked.parse_args()
    numbers = range(options.incidents)
    orders = [(options.seed, number, options.folder, options.database) for number in numbers]
    orders = [one for one in orders if options.label in (None, _drawn(one).label)]
    if not options.judge:
        _make(options, orders)
    outcomes = [one for one in _each(2, judged, orders) if one]
    outcomes.sort(key=lambda one: one["number"])
    lines = [json.dumps(one) + "\n" for one in outcomes]
    (options.folder / "outcomes.jsonl").write_text("".join(lines))
    print(counted(outcomes) if options.database else said(outcomes))


if __name__ == "__main__":
    main()
