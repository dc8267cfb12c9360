"""What comparisons say of simulations, held to what fresh seeds come to.

Some dozen pairs of short simulated runs, of which one has a limit or a load that is lower or
higher by half, or nothing but other seeds. `BLOCKYARD_PARTS=40` draws forty times as many.
"""

import os
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

import blockyard as by
from blockyard.types.comparison import Change, Comparison

pytestmark = pytest.mark.slow

# Each part has enough pairs to tell by itself.
_PARTS = int(os.environ.get("BLOCKYARD_PARTS", "1"))
_PAIRS = 30
_REPEATED = 25
_REPEATS = 5
_SEEDS = 8
# Seeds that no comparison has seen.
_FRESH = range(1001, 1021)

_FIGURES = ("iops", "latency.p99")

Sets = Mapping[str, object]


@dataclass(frozen=True)
class Pair:
    """A scenario, and what is changed in it."""

    scenario: Mapping[str, object]
    changed: Sets


def _pair(number: int) -> Pair:
    """A scenario of a second or two, whose limit holds it back or does not."""
    chosen = random.Random(number)
    iops = chosen.randrange(6000, 10_001, 500)
    job: dict[str, object] = {
        "kind": "ranread",
        "on": "data",
        "file_size": "10GiB",
        "block": chosen.choice(["4KiB", "8KiB", "16KiB"]),
    }
    # From a tenth of what the volume grants to one and a half.
    busy = chosen.uniform(0.1, 1.5)
    if chosen.random() < 0.5:
        job["processes"] = max(1, round(busy * iops * 0.0008))
    else:
        job |= {"rate": f"{round(busy * iops)}/s", "max_outstanding": 64}
    scenario = {
        "name": f"pair {number}",
        "duration": "2s",
        "warmup": "500ms",
        "interval": "100ms",
        "storage": {
            "data": {"type": "gp3", "size": "100GiB", "iops": iops, "throughput": "500MiB/s"}
        },
        "workload": {"readers": job},
    }
    factor = chosen.choice([0.5, 1.5])
    if chosen.random() < 0.5:
        return Pair(scenario, {"storage.data.iops": round(iops * factor)})
    if "rate" in job:
        return Pair(scenario, {"workload.readers.rate": f"{round(busy * iops * factor)}/s"})
    return Pair(
        scenario, {"workload.readers.processes": max(1, round(busy * iops * 0.0008 * factor))}
    )


def _changes(comparison: Comparison) -> dict[str, Change]:
    found = {row["figure"]: row["changes"][0] for row in comparison["rows"]}
    return {figure: change for figure in _FIGURES if (change := found[figure])}


def _fresh(pair: Pair) -> dict[str, tuple[float, float]]:
    """By how much each figure changes with fresh seeds, and the most that this may be off."""
    asked = [
        (pair.scenario, {**sets, "seed": seed}) for sets in ({}, pair.changed) for seed in _FRESH
    ]
    table = by.simulate_many(asked)
    return {
        "iops": _ratio(table["iops"].to_pylist()),
        "latency.p99": _ratio(table["latency_p99_us"].to_pylist()),
    }


def _ratio(values: list[Any]) -> tuple[float, float]:
    half = len(values) // 2
    ratios = [
        after / before - 1 for before, after in zip(values[:half], values[half:], strict=True)
    ]
    mean = sum(ratios) / half
    squares = sum((ratio - mean) ** 2 for ratio in ratios)
    return mean, 3 * (squares / (half - 1) / half) ** 0.5


# Where fresh seeds leave more room than this, they do not tell a change from none.
_SMALL = 0.02


@pytest.mark.parametrize("part", range(_PARTS))
def test_what_is_shown_is_so_with_fresh_seeds(part: int) -> None:
    shown, nulls, false = 0, 0, 0
    for number in range(part * _PAIRS, (part + 1) * _PAIRS):
        pair = _pair(number)
        before, after = by.simulate(pair.scenario), by.simulate(pair.scenario, pair.changed)
        comparison = by.compare(before, after, anyway=True)
        assert len(comparison["seeds"]) == _SEEDS
        fresh = _fresh(pair)
        for figure, change in _changes(comparison).items():
            truth, off = fresh[figure]
            case = (number, figure, change, truth, off)
            says = change["verdict"] in ("better", "worse")
            if abs(truth) <= max(off, 0.001) and off <= _SMALL:
                nulls += 1
                false += says
            elif says and abs(truth) > off:
                shown += 1
                assert (change["relative"] > 0) == (truth > 0), case
            else:
                # What is not shown is never a doubling, and within the interval: volumes
                # differ from seed to seed, and so does what a change does to them.
                assert change["interval"], case
                low, high = change["interval"]
                assert abs(truth) < 0.5, case
                assert low - off <= truth <= high + off, case
    assert shown > _PAIRS / 2
    assert nulls > _PAIRS / 4
    assert false <= 0.07 * nulls


def test_other_seeds_are_no_difference() -> None:
    false = dict.fromkeys(_FIGURES, 0)
    for number in range(_REPEATED):
        scenario = _pair(number).scenario
        # Scenarios with the same seeds would all have the same luck.
        seeds = range(2 * _REPEATS * number, 2 * _REPEATS * (number + 1))
        runs = [by.simulate(scenario, {"seed": seed}) for seed in seeds]
        changes = _changes(by.compare(runs[:_REPEATS], runs[_REPEATS:]))
        for figure, change in changes.items():
            assert change["basis"] == "repeats"
            false[figure] += change["verdict"] in ("better", "worse")
    assert sum(false.values()) <= 0.07 * len(_FIGURES) * _REPEATED, false
