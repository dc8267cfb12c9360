"""What is said of random scenarios is what comes of them once they are changed as it says.

`BLOCKYARD_SCENARIOS=5000` draws so many; a scenario that fails is named by its seed.
"""

import json
import os
from typing import Any

import pytest

import blockyard
import drawn
from blockyard.types.facts import LimitId, Next
from blockyard.types.result import Result
from told import (
    Said,
    agrees,
    counterfactual,
    felt,
    iops,
    mean_us,
    what_is_needed_serves_what_is_due,
)

SCENARIOS = int(os.environ.get("BLOCKYARD_SCENARIOS", "160"))

# So large a factor that a limit holds nothing up.
FAR = 50.0

# Of fewer IOs chance decides.
_ENOUGH = 1000


def used(result: Result, limit: LimitId, seconds: float) -> float:
    """How many IOs or bytes a second passed a limit."""
    counts = "ios" if limit["counts"] == "ios" else "bytes"
    owners = result["volumes"] if limit["device"] else result["hosts"]
    return sum(one[counts] for one in owners) / seconds  # type: ignore[literal-required]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SCENARIOS))
def test_what_is_said_comes_true(seed: int) -> None:
    said = Said(drawn.scenario(seed))
    raises_bring_what_is_told(said)
    the_next_limit_is_reached(said)
    idle_limits_bring_nothing(said)
    without_limits_the_wait_is_gone(said)
    what_is_needed_serves_what_is_due(said)
    processes_reach_the_limit(said)
    others_gain_what_is_told(said)
    credits_end_when_foretold(said)


def raises_bring_what_is_told(said: Said) -> None:
    """Half more of a limit, as one can buy it, moves each job the way and as far as is told."""
    for limit, moved in said.run.trials.raised:
        fresh = drawn.raised(said.scenario, limit)
        if not fresh or both_hold(said, limit):
            continue
        told = {(one["before"]["job"], one["before"]["op"]): one["after"] for one in moved}
        after = counterfactual(fresh, [])
        for before, found in zip(said.run.result["totals"], after["totals"], strict=True):
            agrees(told.get((before["job"], before["op"]), before), found)


def both_hold(said: Said, limit: LimitId) -> bool:
    """Whether another limit is in the way that is sold with this one: of instances, io1 and io2."""
    if limit["device"] and drawn.volume_of(said.scenario)["type"] == "gp3":
        return False
    met = [one["limit"] for one in said.modelled["waits"]] + felt(
        said.scenario, said.with_more((limit, 1.5))
    )
    return any(other["device"] == limit["device"] and other != limit for other in met)


def the_next_limit_is_reached(said: Said) -> None:
    """Once a limit holds up nothing, its next one does, or nothing if there is none."""
    for waits in said.modelled["waits"]:
        if not waits["raising"]:
            continue
        limit, lasts = waits["limit"], waits["raising"]["lasts"]
        found = said.run.told.next(json.dumps(limit))
        assert found
        beyond: Next = json.loads(found)
        far = said.with_more((limit, FAR))
        expected = [lasts["limit"]] if lasts else []
        if beyond["kind"] != "nothing":
            expected.append(beyond["limit"])
            # Two that are nearly reached together are one as good as the other.
            value, unit = beyond["value"]
            per_s = value * {"IOPS": 1, "MiB/s": 2**20, "MB/s": 10**6, "": 0}[unit]
            if used(far, beyond["limit"], 4) > 0.9 * per_s:
                continue
        if met := felt(said.scenario, far):
            assert met[0] in expected, (limit, met, beyond, lasts)


def idle_limits_bring_nothing(said: Said) -> None:
    """What is said to change nothing does not; what does matter was waited for unseen."""
    idle = [said.facts["limits"][place]["limit"] for place in said.modelled["idle"]]
    if said.run.trials.idle_matter is False:
        for limit in idle:
            if limit["device"] and (fresh := drawn.raised(said.scenario, limit)):
                assert counterfactual(fresh, [])["totals"] == said.run.result["totals"], limit
    elif idle:
        in_warmup = [one["limit"] for one in said.modelled["series"] if one["limit"] in idle]
        of_host = [one for one in said.modelled["waits"] if one["limit"]["device"] is None]
        assert in_warmup or of_host, idle


def without_limits_the_wait_is_gone(said: Said) -> None:
    """The share of a job's latency that it is said to wait is what it loses without limits."""
    if felt(said.scenario, said.free) or not said.steady():
        return
    # Of an IO that a stripe splits, all that its last part waited counts.
    exact = 0.15 if "stripe" in said.scenario["storage"]["data"] else 0.1
    for held in said.modelled["held"]:
        before, after = (mean_us(one, held["job"]) for one in (said.run.result, said.free))
        assert 1 - after / before == pytest.approx(held["waited"], abs=exact), held


def processes_reach_the_limit(said: Said) -> None:
    """With as many processes as are said to reach a limit it is reached, with fewer not."""
    for loop in said.modelled["closed_loops"]:
        reach = loop["reach"]
        # A list divides the run: what it has in all is no number of processes.
        if not reach or not said.steady() or reach["processes"] > 500:
            continue
        limit = next(one for one in said.facts["limits"] if one["limit"] == reach["limit"])
        for share, reached in ((0.7, False), (1.5, True)):
            job = {**said.scenario["workload"][loop["job"]]}
            job["processes"] = max(1, round(share * reach["processes"]))
            after = counterfactual({**said.scenario, "workload": {loop["job"]: job}}, [])
            per_s = (
                limit["value"] * {"IOPS": 1, "MiB/s": 2**20, "MB/s": 10**6, "": 0}[limit["unit"]]
            )
            part = used(after, limit["limit"], 4) / per_s
            assert (part > 0.9) == reached, (reach, share, part)


def others_gain_what_is_told(said: Said) -> None:
    """What silence of a job is told to bring is what its absence brings."""
    for job, moved in said.run.trials.without.items():
        others = {name: one for name, one in said.scenario["workload"].items() if name != job}
        after = counterfactual({**said.scenario, "workload": others}, [])
        told: dict[str, float] = {}
        for one in moved:
            if one["rate"] and one["before"]["ios"] > _ENOUGH:
                name = one["before"]["job"]
                told[name] = told.get(name, 0.0) + one["after"]["iops"]
        for name, expected in told.items():
            assert expected == pytest.approx(iops(after, name), rel=0.1), (job, moved)


def credits_end_when_foretold(said: Said) -> None:
    """The balance that is foretold to end first does, then, and those that last do not."""
    found = said.modelled["credits"]
    ends = [(one["last_s"], one) for one in found if one["last_s"] is not None]
    if not ends or not said.steady() or min(ends, key=lambda end: end[0])[0] == 0:
        return
    last_s, first = min(ends, key=lambda end: end[0])
    foretold = said.run.result["duration_s"] + last_s
    if foretold > 40:
        return
    run = blockyard.simulate(said.scenario, {"duration": f"{int(1.1 * foretold) + 2}s"})
    assert run.facts
    assert run.facts["modelled"]
    [used_up] = [
        one for one in run.facts["modelled"]["used_up"] if one["device"] == first["limit"]["device"]
    ]
    # Within the interval in which it ends, or a twentieth.
    assert used_up["by_s"] == pytest.approx(foretold, rel=0.05, abs=1.5), (first, used_up)


def goal_of(said: Said) -> dict[str, Any]:
    """A goal that chance decides: the rate or the latency of the run itself."""
    [first, *_] = said.run.result["totals"]
    assert first["latency_us"]
    return {"goals": [f"{first['job']}.latency.mean < {first['latency_us']['mean']:.0f}us"]}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(0, min(SCENARIOS, 400), 25))
def test_met_in_n_of_m_agrees_with_fresh_seeds(seed: int) -> None:
    scenario = drawn.scenario(seed)
    goal = goal_of(Said(scenario))
    several = blockyard.simulate(scenario, goal, seeds=5).result["by_seed"]
    assert several
    fresh = [
        blockyard.simulate(scenario, {**goal, "seed": scenario["seed"] + more}).result["goals"]
        for more in range(5)
    ]
    assert several["goals_met"] == [sum(bool(goals[0]["met"]) for goals in fresh)]
