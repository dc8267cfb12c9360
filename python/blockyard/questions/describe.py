"""The load of a run as a scenario: what was asked of each device, second by second.

print(describe("runs/tuesday").text)
"""

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from blockyard._core import ScenarioError
from blockyard.formats import loading
from blockyard.formats.foreign import device_names
from blockyard.questions import described_rest, halves
from blockyard.questions.demand_window import FLOWS
from blockyard.questions.described_threads import Loop
from blockyard.questions.observed_load import replayed
from blockyard.runs.execution import ScenarioFile
from blockyard.runs.run import Run

_GIB = 1 << 30
_WIDTH = 96
# All of a run, however long.
_ALL = 2**62


@dataclass(frozen=True)
class Described:
    """A load as a scenario."""

    # The scenario, below what to know of it.
    text: str
    # The latter, note by note.
    notes: list[str]
    # Those of them that say what it is worth.
    error: list[str]


def describe(
    run: str | Path, layout: str | Path | None = None, places: Mapping[str, str] | None = None
) -> Described:
    """Describe the load of a run, or of a file of iostat and the like, as a scenario.

    It lies on the layout of the scenario `layout`, by default on the run's own; where that is
    not known, on a gp3 volume for each device. `places` says on which observed device a device of
    the layout has its load from. Raises FileError, ScenarioError and OSError, in one line, for
    what cannot be described.
    """
    seen = loading.load(run)
    places = dict(places or {})
    notes = []
    if layout is not None:
        file = ScenarioFile.read(Path(layout), [])
    elif seen.scenario is not None:
        file = ScenarioFile(seen.scenario, seen.name, ())
    elif places:
        raise ScenarioError(
            f"--map: {seen.name} has no layout; expected --on, whose devices these are"
        )
    else:
        file, places = _assumed(seen)
        notes = ["storage is not known: a gp3 volume stands for each device; --on has yours"]
        others = [f"{name} is {device}" for name, device in places.items() if name != device]
        notes += [f"{', '.join(others)} in {seen.name}"] if others else []
    replay = replayed(seen, file, _ALL, places, closed=True)
    whole = described_rest.moving(seen)
    error = [*halves.error(seen, whole)]
    notes += [*replay.notes, *_flushes(seen, replay.loops), *error]
    head = (textwrap.wrap(f"- {note}.", _WIDTH, subsequent_indent="  ") for note in notes)
    lines = [f"# The load of {seen.name}.", *(f"# {line}" for lines in head for line in lines)]
    return Described("\n".join([*lines, replay.night]), notes, error)


def _assumed(run: Run) -> tuple[ScenarioFile, dict[str, str]]:
    """A layout with a volume for each device that had a load, and which one that is."""
    machine = run.result["machine"]
    targets = machine["targets"] if machine else []
    sizes = {target["device"]: target["size_bytes"] for target in targets}
    used = {total["device"] for total in run.result["totals"] if total["op"] in FLOWS}
    places = device_names.in_scenario(sorted(used))
    unknown = [device for device in places.values() if not sizes.get(device)]
    if unknown:
        raise ScenarioError(
            f"{run.name}: the size of {unknown[0]} is not known; expected --on SCENARIO, whose "
            "layout has the load"
        )
    storage = {
        name: {"type": "gp3", "size": f"{math.ceil(sizes[device] / _GIB)}GiB"}
        for name, device in places.items()
    }
    tree = {"name": "load", "storage": storage}
    return ScenarioFile(yaml.safe_dump(tree, sort_keys=False), run.name, ()), places


def _flushes(run: Run, loops: Sequence[Loop]) -> Iterator[str]:
    """Flushes that are in no closed loop, which no job of this kind has."""
    flushes = sum(total["ios"] for total in run.result["totals"] if total["op"] == "flush")
    flushes -= sum(loop.flushes for loop in loops)
    written = sum(total["bytes"] for total in run.result["totals"] if total["op"] == "write")
    if flushes > 0:
        each = f"{written / flushes / 1024:,.0f} KiB written"
        why = "in an open loop no IO waits for one"
        yield f"{flushes:,} flushes are left out, one in {each}: {why}"
