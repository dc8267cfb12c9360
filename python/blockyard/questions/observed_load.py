"""A scenario's layout under the load that a file shows: what it would have done last night."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

import yaml

from blockyard._core import Scenario, ScenarioError
from blockyard.formats import loading
from blockyard.questions import demand_window, described_rest, described_threads
from blockyard.questions.demand_schedule import Steps, jobs_of
from blockyard.questions.demand_window import FLOWS, Window
from blockyard.questions.described_threads import Loop
from blockyard.questions.recorded_places import random_percent
from blockyard.runs.execution import ScenarioFile
from blockyard.runs.run import Run
from blockyard.text.formatting import duration, latency, share
from blockyard.types.layout import Layout
from blockyard.types.result import Result

if TYPE_CHECKING:
    from blockyard.formats.foreign.reading import Reading

_MIB = 1 << 20
# For its changes and seeds `what-if` simulates a load about so often.
_RUNS = 60
# Longest name of what is made.
_NAME = 60
# What belongs to the load that is replaced.
_REPLACED = ("workload", "goals", "events", "repeats", "description", "source", "warmup")


@dataclass(frozen=True)
class Replayed:
    """A layout under an observed load."""

    scenario: Scenario
    # The same as text, without overrides, and that under all of the load, to be kept.
    text: str
    night: str
    # What is simulated.
    window: Window
    # What to know of the load.
    notes: list[str]
    # The part of it that is in closed loops.
    loops: Sequence[Loop] = ()

    def beside(self, result: Result) -> list[str]:
        """The mean latencies that were seen, beside those of the layout as it is."""
        found = []
        for op, flow in FLOWS.items():
            seen = self.window.mean_us(op)
            totals = [
                (total["ios"], total["latency_us"]["mean"])
                for total in result["totals"]
                if total["op"] == op and total["latency_us"]
            ]
            ios = sum(count for count, _ in totals)
            if seen is not None and ios:
                simulated = sum(count * mean for count, mean in totals) / ios
                found.append(f"{flow} {latency(seen)} seen, {latency(simulated)} simulated")
        if not found:
            return []
        return [
            f"mean latencies in this window: {'; '.join(found)}. If the scenario is the storage "
            "that was observed, they show how well it is modelled"
        ]


def under(
    workload: str | Path,
    file: ScenarioFile,
    most_ios: int,
    reading: "Reading | None" = None,
    places: Mapping[str, str] | None = None,
) -> Replayed:
    """Put the load that a file shows on a layout, for as many runs as a question takes.

    Raises what `loading.load` and `replayed` do.
    """
    run = loading.load(workload, reading)
    return replayed(run, file, max(1, most_ios // _RUNS), places or {})


def replayed(
    run: Run,
    file: ScenarioFile,
    most_ios: int,
    places: Mapping[str, str],
    *,
    closed: bool = False,
) -> Replayed:
    """Put the load of `run` on the layout of a scenario.

    If `closed`, threads that waited for their IO do so again, where that is known. Of a run with
    more IOs than `most_ios` the busiest part is taken. `places` says on which observed device a
    device of the scenario has its load from. Overrides apply last. Raises ScenarioError.
    """
    # What is set of the layout tells the sizes of devices.
    of_layout = [one for one in file.sets if one.split(".")[0].split("=")[0] not in _REPLACED]
    layout = Scenario.load(file.text, file.name, of_layout)
    whole = described_rest.moving(run)
    window = demand_window.busiest(whole, most_ios)
    sizes = {device["name"]: device["size"] for device in _layout(layout)["devices"]}
    devices = _places(run, whole, [*sizes], places)
    random = random_percent(run, devices)
    loops: list[Loop] = []
    rest = window
    if closed and window is whole:
        loops, own = described_threads.loops(run, Steps.of(window))
        rest = described_rest.without(window, own) if own else window
    text, steps = _text(run, layout, sizes, devices, rest, random, loops)
    notes = [*run.result.get("notices", [])] if run.scenario is None else []
    notes += [*_which(run, whole, window), *(loop.said(steps.step_s) for loop in loops)]
    notes += [*([_where(random)] if rest.ios else []), *steps.notes]
    if rest.ios:
        notes += demand_window.carried(whole, _started(run))
    night = text if window is whole else _text(run, layout, sizes, devices, whole, random)[0]
    return Replayed(Scenario.load(text, file.name, file.sets), text, night, window, notes, loops)


def _text(
    run: Run,
    layout: Scenario,
    sizes: Mapping[str, int],
    devices: Mapping[str, str],
    window: Window,
    random: Mapping[tuple[str, str], int],
    loops: Sequence[Loop] = (),
) -> tuple[str, Steps]:
    """A scenario of a layout under the load of a window, and its steps."""
    tree = yaml.safe_load(layout.to_yaml())
    steps = Steps.of(window)
    jobs = dict(jobs_of(window, steps, devices, random))
    for loop in loops:
        on = devices[loop.device]
        jobs[re.sub(r"[^\w-]+", "-", f"{on}-{loop.name}")] = loop.job(on, steps)
    if not jobs:
        raise ScenarioError(f"{run.name}: never one IO a second; there is no load to simulate")
    for device, size in sizes.items():
        own = [job for job in jobs.values() if job["on"] == device]
        each = size // max(1, len(own)) // _MIB
        for job in own:
            job["file_size"] = f"{each}MiB"
    for key in _REPLACED:
        tree.pop(key, None)
    tree |= {"duration": f"{steps.duration_s}s", "interval": f"{steps.interval_s}s"}
    name = re.sub(r"[^\w-]+", "-", f"{tree['name']}-{run.name}")
    tree |= {"workload": jobs, "name": name[:_NAME]}
    return yaml.safe_dump(tree, sort_keys=False, allow_unicode=True), steps


def _layout(scenario: Scenario) -> Layout:
    return cast(Layout, json.loads(scenario.layout()))


def _places(
    run: Run, window: Window, devices: Sequence[str], places: Mapping[str, str]
) -> dict[str, str]:
    """The scenario's device of each observed one."""
    seen = sorted({device for slot in window.slots for device, _ in slot.flows})
    for device, of in places.items():
        if device not in devices:
            raise ScenarioError(f"--map: `{device}`; expected {' or '.join(devices)}")
        if of not in seen:
            raise ScenarioError(f"--map: `{of}`; {run.name} has {' and '.join(seen)}")
    named = {of: device for device, of in places.items()}
    if len(devices) == 1:
        return dict.fromkeys(seen, devices[0])
    missing = [of for of in seen if of not in named and of not in devices]
    if missing:
        raise ScenarioError(
            f"{run.name} has IO on {', '.join(seen)}, the scenario devices {', '.join(devices)}; "
            f"say which is which: --map {devices[0]}={missing[0]}"
        )
    return {of: named.get(of, of) for of in seen}


def _which(run: Run, whole: Window, window: Window) -> Iterator[str]:
    """Which part of the file is simulated."""
    if window is whole:
        yield f"all {duration(whole.duration_s)} of {run.name} are taken"
    else:
        when = demand_window.times(_started(run), window.start_s, window.duration_s)
        yield (
            f"of the {duration(whole.duration_s)} of {run.name} the busiest "
            f"{duration(window.duration_s)} are simulated, {when}, with "
            f"{share(window.ios / whole.ios)} of its IOs; --most-ios takes more, -o FILE keeps "
            "all. Credits begin as the scenario has them, whatever was used before; --sustained "
            "begins with none"
        )


def _where(random: Mapping[tuple[str, str], int]) -> str:
    """How IOs are placed."""
    if not random:
        return "IOs are taken for random ones of their mean size"
    shares = (
        f"{100 - percent}% of {device}'s {FLOWS[op]}" for (device, op), percent in random.items()
    )
    return (
        f"{' and '.join(shares)} go on where another ended; the others are taken for random ones, "
        "and all have their mean size"
    )


def _started(run: Run) -> str:
    machine = run.result["machine"]
    return machine["started"] if machine else ""
