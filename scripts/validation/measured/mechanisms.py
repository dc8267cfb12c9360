"""The mechanisms of the model, each as a change of a scenario that takes it away."""

import json
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import yaml

from blockyard._core import Scenario
from blockyard.runs.observer import Observer
from validation.measured.compare import Change
from validation.measured.samples import CATALOG
from validation.measured.storage import with_volumes

# Without seeks a random place says the same as the next one.
SEEKING = {"st1", "sc1", "standard"}


def _volume_type(scenario: dict[str, Any]) -> str:
    first = next(iter(scenario["storage"].values()))
    return str(first.get("of", first)["type"])


def _of_network(change: Change) -> Change:
    """A change of network volumes alone."""
    return lambda it: None if _volume_type(it) == "instance-store" else change(it)


def _volumes(**more: Any) -> Change:
    return lambda it: it | {"storage": with_volumes(it["storage"], more)}


def _without(key: str) -> Change:
    return lambda it: {name: value for name, value in it.items() if name != key}


def _no_merging(scenario: dict[str, Any]) -> dict[str, Any] | None:
    """Every IO at a random place, so that none continues another."""
    if _volume_type(scenario) in SEEKING:
        return None
    return scenario | {
        "workload": {
            name: job | {"pattern": job["pattern"] | {"random": "100%"}}
            for name, job in scenario["workload"].items()
        }
    }


def _no_journal(scenario: dict[str, Any]) -> dict[str, Any]:
    return scenario | {
        "workload": {
            name: {key: value for key, value in job.items() if key != "file_system"}
            for name, job in scenario["workload"].items()
        }
    }


def of_profile(change: Callable[[str], dict[str, Any]]) -> Change:
    """Another part of the profile that the volumes have."""
    return lambda it: _volumes(latency={"like": _profile(it)} | change(_profile(it)))(it)


def _profile(scenario: dict[str, Any]) -> str:
    """The profile of its volumes, by a run of a moment."""
    times = {"duration": "10ms", "warmup": "0ms", "interval": "10ms"}
    return _profile_of(json.dumps(scenario | times))


@cache
def _profile_of(text: str) -> str:
    result = Scenario.load(text, "row").simulate(Observer())
    return str(json.loads(result or "")["rests_on"][0]["profile"])


def _constant(profile: str) -> dict[str, Any]:
    """Each operation's mean, always."""
    tables = latencies()[profile]
    ops = ("read", "write", "sequential_read", "sequential_write")
    means = {op: mean_ns(tables[op]["value"]) for op in ops if op in tables}
    return {op: {"min": f"{mean}ns", "max": f"{mean}ns"} for op, mean in means.items()}


@cache
def latencies() -> dict[str, Any]:
    """All profiles of the catalog."""
    found: dict[str, Any] = yaml.safe_load((CATALOG / "latency.yaml").read_text())
    return found


def mean_ns(quantiles: dict[str, str]) -> int:
    """The mean of a table of quantiles, linear in between."""
    points = [(share(name), nanos(value)) for name, value in quantiles.items()]
    pairs = pairwise(points)
    return round(sum((right - left) * (low + high) / 2 for (left, low), (right, high) in pairs))


def share(name: str) -> float:
    """Below which share of all a quantile lies."""
    ends = {"min": 0.0, "max": 1.0}
    return ends[name] if name in ends else float(name[1:].replace("_", ".")) / 100


def nanos(value: str) -> float:
    """A duration of the catalog."""
    for unit, factor in (("us", 1e3), ("ms", 1e6), ("ns", 1.0)):
        if value.endswith(unit):
            return float(value.removesuffix(unit)) * factor
    raise ValueError(value)


# What is said of it, and what is left without it.
MECHANISMS: dict[str, Change] = {
    "tokens saved up at rest": _of_network(_volumes(tokens="0%")),
    "merging of sequential IOs": _of_network(_no_merging),
    "reads and writes in turn": _of_network(_volumes(discipline="fifo")),
    "an instance's limits": _of_network(_without("host")),
    "differences between volumes": of_profile(lambda _: {"spread": "0%"}),
    "latency beyond its mean": of_profile(_constant),
    "latency by size of IO": of_profile(lambda _: {"per_kib": "0ns"}),
    "a file system's journal": _no_journal,
}
