"""What is said to bind transactions does: half more of it brings more, of all else nothing."""

import copy
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import blockyard
from blockyard.text.formatting import latency, number
from blockyard.types.facts import Bound, Facts, LimitId
from blockyard.types.result import Result
from blockyard.words.headline import headline
from blockyard.words.paragraphs import paragraphs
from told import counterfactual

Scenario = dict[str, Any]

# What is raised, and by so much.
HALF = 1.5

# What does not matter brings less.
NOTHING = 0.03

# Limits that are far off.
FAST = {"type": "gp3", "size": "100GiB", "iops": 16000, "throughput": "1000MiB/s"}

# Log writes that take their time.
SLOW = {
    "type": "gp3",
    "size": "10GiB",
    "latency": {
        "like": "gp3",
        "write": {"min": "15ms", "p50": "20ms", "p99": "30ms", "max": "40ms"},
    },
}

LIGHT = {"pages": 4, "changes": 1, "log": "1KiB", "cpu": "200us"}


def scenario(volume: dict[str, Any], kind: dict[str, Any] | None = None, **job: Any) -> Scenario:
    """A shop on a volume, with a pool that has 5% of its pages."""
    shop = {
        "kind": "oltp",
        "engine": "innodb",
        "on": "data",
        "data_size": "1280MiB",
        "pool": "64MiB",
        "cores": 16,
        "threads": 64,
        "flush": {"depth": 512, "rate": "300/s", "most": "10000/s"},
        "transactions": {"pay": kind or {"pages": 12, "changes": 4, "log": "3KiB", "cpu": "1ms"}},
        **job,
    }
    return {
        "name": "shop",
        "duration": "14s",
        "warmup": "5s",
        "storage": {"data": volume},
        "workload": {"shop": {key: value for key, value in shop.items() if value is not None}},
    }


def on_slow_log() -> Scenario:
    found = scenario(FAST, LIGHT, on={"data": "data", "log": "log"}, threads=16, pool="1280MiB")
    found["storage"]["log"] = copy.deepcopy(SLOW)
    return found


def more(key: str) -> Callable[[Scenario], None]:
    """Half more of a number of the job."""

    def change(found: Scenario) -> None:
        shop = found["workload"]["shop"]
        if key in shop:
            shop[key] = round(HALF * shop[key])

    return change


def more_cleaners(found: Scenario) -> None:
    flush = found["workload"]["shop"]["flush"]
    flush["cleaners"] = round(HALF * flush["cleaners"])


def a_faster_log(found: Scenario) -> None:
    write = found["storage"]["log"]["latency"]["write"]
    for key, value in write.items():
        write[key] = f"{1e6 * float(value.removesuffix('ms')) / HALF:.0f}ns"


CASES: dict[str, tuple[Scenario, str, Callable[[Scenario], None] | None]] = {
    "iops": (scenario({"type": "gp3", "size": "100GiB"}), "data IOPS", None),
    "iops, few threads": (
        scenario({"type": "gp3", "size": "100GiB"}, threads=2),
        "data IOPS",
        None,
    ),
    "throughput": (
        scenario({"type": "gp3", "size": "100GiB", "iops": 16000}),
        "data throughput",
        None,
    ),
    "credits": (
        scenario({"type": "gp2", "size": "300GiB", "burst_balance": "0%"}, threads=8),
        "data IOPS baseline",
        None,
    ),
    "beyond its limit": (
        scenario({"type": "gp3", "size": "100GiB"}, threads=None, rate="600/s"),
        "data IOPS",
        None,
    ),
    "processors": (
        scenario(FAST, {"pages": 12, "cpu": "10ms"}, cores=2, pool="1152MiB"),
        "processor cores",
        more("cores"),
    ),
    "commits": (on_slow_log(), "the latency of commits", a_faster_log),
    "few threads": (scenario(FAST, threads=4), "its number of threads", more("threads")),
    "log space": (
        scenario(
            FAST,
            {**LIGHT, "changes": 4, "log": "8KiB"},
            pool="1280MiB",
            log={"file_size": "4MiB"},
            flush={"rate": "10/s", "most": "20/s", "cleaners": 2, "batch": 1},
        ),
        "space in the redo log",
        more_cleaners,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_half_more_of_what_binds_brings_more_and_of_all_else_nothing(name: str) -> None:
    found, by, raised = CASES[name]
    run = blockyard.simulate(found, seeds=1)
    facts = run.facts
    assert facts
    said = headline(run.result, facts)
    effect = "throttled" if by.startswith("data") else "limited"
    assert f", {effect} by {by}" in said
    before, bound = tps(run.result), bound_of(facts)
    binding = bound["by"]
    assert binding
    limits = [limit["limit"] for limit in facts["limits"]]
    if binding["kind"] == "limit":
        limits.remove(binding["limit"])
        after = tps(counterfactual(found, raises([binding["limit"]])))
    else:
        assert raised
        after = tps(counterfactual(changed(found, raised), []))
    # What is left of the time is as long as before.
    share = next((one["share"] for one in bound["parts"] if one["by"] == binding), 1.0)
    assert after / before >= 0.9 * min(HALF, 1 / max(1 - share, 0.01)), (before, after, said)
    assert bound["more_threads"] == (binding["kind"] in ("threads", "commit"))
    others = [] if binding["kind"] == "cpu" else [more("cores")]
    if not bound["more_threads"]:
        others.append(more("threads"))
    idle = tps(counterfactual(changed(found, *others), raises(limits)))
    assert abs(idle / before - 1) <= NOTHING, (before, idle, said)


def test_the_headline_and_what_would_help_are_told_in_transactions() -> None:
    found = scenario({"type": "gp3", "size": "100GiB"})
    found["goals"] = ["shop.transactions.tps > 100", "shop.transactions.latency.p99 < 1ms"]
    run = blockyard.simulate(found, seeds=2, advice=True)
    assert run.facts
    [total] = run.result["transactions"]
    us = total["latency_us"]
    assert us
    said = headline(run.result, run.facts)
    assert said.startswith(
        f"64 threads of shop do {total['tps']:,.0f} transactions a second at "
        f"{latency(us['mean'])} (p99 {latency(us['p99'])}), throttled by data IOPS (3,000 IOPS): "
    )
    engine = total["engine"]
    assert engine
    hits = f"hit ratio {100 * engine['hit_ratio']:.0f}%"
    assert f"% of their time; {hits}; 1 of 2 goals missed." in said
    # A goal is held to what results have.
    tps_met, p99_missed = run.result["goals"]
    assert tps_met["met"]
    assert tps_met["measured"] == f"{total['tps']:.1f}"
    assert not p99_missed["met"]
    assert p99_missed["measured"].startswith(f"{us['p99'] / 1e3:.3f}ms, ")
    assert run.result["by_seed"]
    assert run.result["by_seed"]["goals_met"] == [2, 0]
    [helps] = [one for one in paragraphs(run) if one.heading.startswith("What would help")]
    first = helps.sentences[0]
    assert first.startswith("Raising data IOPS from 3,000 to 4,500 was tried: shop's p99 ")
    [moved] = run.trials.raised[0][1]
    after = moved["after"]["iops"]
    assert f", {number(total['tps'])} to {number(after)} transactions a second" in first


def test_a_loop_that_falls_behind_tells_how_far() -> None:
    run = blockyard.simulate(CASES["beyond its limit"][0], seeds=1)
    assert run.facts
    [total] = run.result["transactions"]
    said = headline(run.result, run.facts)
    short = 600 - total["tps"]
    assert said.startswith(
        f"Of 600 transactions a second due of shop, {total['tps']:.0f} are done, {short:.0f} too "
        "few, throttled by data IOPS (3,000 IOPS): "
    )
    # At this rate they would wait for longer than anybody has looked.
    assert total["waiting"] / total["tps"] > run.result["duration_s"]
    assert said.endswith("; what came due last waits longer than the run.")
    slow = scenario(FAST, threads=None, rate="100/s")
    run = blockyard.simulate(slow, seeds=1)
    said = headline(run.result, run.facts)
    assert said.startswith("All 100 transactions a second due of shop are done at ")
    assert ", no limit reached; the nearest is data IOPS, " in said


def raises(limits: Sequence[LimitId]) -> list[dict[str, object]]:
    return [{"limit": {**limit, "factor": HALF}} for limit in limits]


def changed(found: Scenario, *changes: Callable[[Scenario], None]) -> Scenario:
    more_of_it = copy.deepcopy(found)
    for change in changes:
        change(more_of_it)
    return more_of_it


def tps(result: Result) -> float:
    [total] = result["transactions"]
    return total["tps"]


def bound_of(facts: Facts) -> Bound:
    assert facts["modelled"]
    [bound] = facts["modelled"]["transactions"]
    return bound
