"""What is said of open loops and of credits; tests/test_verdicts_drawn.py draws scenarios."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

import blockyard
from blockyard.runs.run import Run
from blockyard.types.facts import Behind, Facts, LimitBottleneck

# Seconds at the start that are looked at no more: rested buckets have a second of tokens.
WARMUP_S = 5


def facts(run: Run) -> Facts:
    assert run.facts
    return run.facts


def past_a_limit(seed: int) -> dict[str, Any]:
    """A scenario in which `reads` asks for more than its volumes' IOPS or throughput."""
    draw = random.Random(seed)
    # One of the two binds, and the other is far.
    if draw.random() < 0.5:
        iops, throughput, size_kib = draw.randrange(4000, 8000, 100), 1000, draw.choice([8, 16])
    else:
        iops, throughput, size_kib = 16_000, draw.randrange(125, 250, 5), draw.choice([64, 128])
    width = draw.choice([1, 1, 2, 4])
    writes = draw.choice([0, 0, 0.2, 0.4])
    lowest = min(iops, throughput * 1024 // size_kib) * width
    rate = int(lowest * draw.uniform(1.15, 2.2) * (1 - writes))
    volume = {"type": "gp3", "size": "500GiB", "iops": iops, "throughput": f"{throughput}MiB/s"}
    striped = {"stripe": {"width": width, "chunk": "64KiB"}, "of": volume}
    job = {"kind": "access_spec", "on": "data", "file_size": "200GiB"}
    pattern = {"size": f"{size_kib}KiB", "random": "100%"}
    workload: dict[str, Any] = {
        "reads": {
            **job,
            "rate": f"{rate}/s",
            "arrivals": draw.choice(["poisson", "even"]),
            "max_outstanding": draw.choice([256, 1024, 100_000]),
            "pattern": {**pattern, "read": "100%"},
        }
    }
    if writes:
        # Another open loop, which is served: it asks for less than its turn.
        workload["log"] = {
            **job,
            "rate": f"{int(lowest * writes)}/s",
            "pattern": {**pattern, "read": "0%"},
        }
    return {
        "name": f"past-{seed}",
        "seed": seed,
        "duration": "20s",
        "warmup": f"{WARMUP_S}s",
        "storage": {"data": striped if width > 1 else volume},
        "workload": workload,
    }


def one_behind(run: Run) -> tuple[Behind, LimitBottleneck]:
    [loop] = facts(run)["behind"]
    assert loop["job"] == "reads"
    assert loop["cause"]
    assert loop["cause"]["kind"] == "limit"
    return loop, loop["cause"]


def needed(loop: Behind) -> float:
    assert loop["takes"]
    return loop["takes"]["needed"] or 0.0


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 3, 7, 11])
def test_verdicts_do_not_depend_on_how_many_may_be_in_flight(seed: int) -> None:
    scenario = past_a_limit(seed)
    found = []
    for most in (256, 1024, 200_000):
        scenario["workload"]["reads"]["max_outstanding"] = most
        run = blockyard.simulate(scenario)
        loop, cause = one_behind(run)
        modelled = facts(run)["modelled"]
        assert modelled
        assert modelled["held"][0]["waited"] > 0.98
        found.append((loop, cause, modelled))
    first, *others = found
    for loop, cause, modelled in others:
        assert loop["served_per_s"] == pytest.approx(first[0]["served_per_s"], rel=0.02)
        assert loop["wait_s"] == pytest.approx(first[0]["wait_s"], rel=0.1)
        assert cause["limit"] == first[1]["limit"]
        assert needed(loop) == pytest.approx(needed(first[0]), rel=0.02)
        assert modelled["waited"] == pytest.approx(first[2]["waited"], abs=0.03)


def test_what_may_be_in_flight_is_why_where_it_is() -> None:
    job = {"kind": "ranread", "on": "data", "file_size": "50GiB", "rate": "2500/s"}
    scenario: dict[str, Any] = {
        "name": "one-in-flight",
        "duration": "20s",
        "storage": {"data": {"type": "gp3", "size": "100GiB"}},
        "workload": {"reads": {**job, "max_outstanding": 1}},
    }
    [loop] = facts(blockyard.simulate(scenario))["behind"]
    assert loop["cause"] == {"kind": "in_flight", "most": 1}
    scenario["workload"]["reads"] = job
    assert not facts(blockyard.simulate(scenario))["behind"]


# A gp2 volume, a stripe of them, an st1 volume, and the throughput of an instance.
SPENT: dict[str, dict[str, Any]] = {
    "gp2": {"data": {"type": "gp2", "size": "200GiB"}},
    "stripe": {
        "data": {"stripe": {"width": 2, "chunk": "64KiB"}, "of": {"type": "gp2", "size": "50GiB"}}
    },
    "st1": {"data": {"type": "st1", "size": "500GiB"}},
    "instance": {"data": {"type": "io2", "size": "500GiB", "iops": 20_000}},
}
RATES = {"gp2": "2900/s", "stripe": "5500/s", "st1": "100/s", "instance": "400/s"}


def ends(run: Run) -> Iterator[float]:
    modelled = facts(run)["modelled"]
    for balance in modelled["credits"] if modelled else []:
        if balance["last_s"] is not None:
            yield run.result["duration_s"] + balance["last_s"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", SPENT)
def test_credits_end_when_it_is_foretold(kind: str) -> None:
    large = kind in ("st1", "instance")
    pattern = {"size": "1MiB" if large else "8KiB", "read": "100%", "random": "100%"}
    load = {"kind": "access_spec", "on": "data", "file_size": "90GiB", "pattern": pattern}
    scenario: dict[str, Any] = {
        "name": kind,
        "as_of": "2026-10-01",
        "duration": "200s",
        "storage": SPENT[kind],
        "workload": {"reads": {**load, "rate": RATES[kind]}},
    }
    if kind == "instance":
        scenario["host"] = {"instance": "r5n.large"}
    short = blockyard.simulate(scenario)
    foretold = min(ends(short))
    run = blockyard.simulate(scenario, {"duration": f"{int(1.1 * foretold)}s"})
    modelled = facts(run)["modelled"]
    assert modelled
    [used_up] = modelled["used_up"]
    assert used_up["device"] == (None if kind == "instance" else "data")
    assert used_up["by_s"] == pytest.approx(foretold, rel=0.05)
    # And what is left then is what was foretold.
    [then] = [
        balance["then"]
        for balance in modelled["credits"]
        if balance["last_s"] == 0 and balance["then"]
    ]
    [limit] = [
        limit["limit"]
        for limit in facts(run)["limits"]
        if (limit["value"], limit["unit"]) == (*then,)
    ]
    assert limit["credits"]


def test_credits_that_are_not_spent_have_no_end() -> None:
    scenario = {
        "name": "rested",
        "duration": "60s",
        "storage": {"data": {"type": "gp2", "size": "200GiB"}},
        "workload": {
            "reads": {"kind": "ranread", "on": "data", "file_size": "50GiB", "rate": "500/s"}
        },
    }
    assert not list(ends(blockyard.simulate(scenario)))
