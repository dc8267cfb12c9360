"""What a report says would help is what a fresh simulation with that change gives."""

import dataclasses
import random
from pathlib import Path

import pytest

import blockyard
from blockyard.report.words.advice import advice
from blockyard.result import Total
from blockyard.run import Run
from blockyard.trials import MOST_IOS

# What the catalog sells a gp3 volume with, so that half more can be bought too.
_IOPS = range(3000, 8001, 200)
_THROUGHPUT = range(126, 320, 2)

_RANDOM_SCENARIOS = 36


def scenario(seed: int) -> dict[str, object]:
    """Readers and writers on volumes that they may fill, drawn at random."""
    draw = random.Random(seed)
    volume = {
        "type": "gp3",
        "size": "100GiB",
        "iops": draw.choice(_IOPS),
        "throughput": f"{draw.choice(_THROUGHPUT)}MiB/s",
    }
    read = {"size": f"{draw.choice((4, 8, 32, 128))}KiB", "read": "100%", "random": "100%"}
    write = {"size": "16KiB", "read": "0%", "random": "100%"}
    job = {"kind": "access_spec", "on": "data", "file_size": "40GiB"}
    return {
        "name": f"random-{seed}",
        "seed": seed,
        "duration": "5s",
        "warmup": "1s",
        "storage": {"data": volume},
        "workload": {
            "readers": {**job, "pattern": read, "processes": draw.randint(1, 16)},
            "writers": {**job, "pattern": write, "rate": f"{draw.randint(100, 3000)}/s"},
        },
    }


def raised(run: Run, counts: str) -> Run:
    """A fresh simulation of a run's scenario, with volumes that one can buy."""
    asked = scenario(run.result["seed"])
    volume = asked["storage"]["data"]  # type: ignore[index]
    if counts == "ios":
        volume["iops"] = volume["iops"] * 3 // 2
    else:
        volume["throughput"] = f"{int(volume['throughput'].removesuffix('MiB/s')) * 3 // 2}MiB/s"
    return blockyard.simulate(asked)


@pytest.mark.slow
def test_what_is_said_of_a_raise_is_what_it_brings() -> None:
    helped = 0
    for seed in range(_RANDOM_SCENARIOS):
        run = blockyard.simulate(scenario(seed))
        assert not run.trials.note
        for limit, moved in run.trials.raised:
            fresh = raised(run, limit["counts"])
            told = {one.before["job"]: one.after for one in moved}
            for before, after in zip(run.result["totals"], fresh.result["totals"], strict=True):
                agrees(before, told.get(before["job"], before), after)
            helped += bool(moved)
    assert helped > _RANDOM_SCENARIOS / 4


def agrees(before: Total, told: Total, fresh: Total) -> None:
    """What is told moves the way of the fresh run, and as far, within a tenth."""
    assert told["iops"] == pytest.approx(fresh["iops"], rel=0.1), (before, told, fresh)
    assert told["latency_us"]
    assert fresh["latency_us"]
    assert told["latency_us"]["p99"] == pytest.approx(fresh["latency_us"]["p99"], rel=0.1)
    if told is not before:
        assert (told["iops"] > before["iops"]) == (fresh["iops"] > before["iops"])


@pytest.mark.slow
def test_limits_that_are_said_not_to_matter_do_not() -> None:
    said = 0
    for seed in range(_RANDOM_SCENARIOS):
        run = blockyard.simulate(scenario(seed))
        assert run.facts
        modelled = run.facts["modelled"]
        assert modelled
        for place in modelled["idle"]:
            if run.trials.idle_matter is False:
                limit = run.facts["limits"][place]["limit"]
                assert raised(run, limit["counts"]).result["totals"] == run.result["totals"]
                said += 1
    assert said > _RANDOM_SCENARIOS / 4


# Many writers and few readers, in turn on 3,000 IOPS.
_OVERLOADED = {
    "name": "overloaded",
    "duration": "20s",
    "storage": {"data": {"type": "gp3", "size": "100GiB"}},
    "workload": {
        "readers": {"kind": "ranread", "on": "data", "file_size": "40GiB", "processes": 2},
        "writers": {
            "kind": "access_spec",
            "on": "data",
            "file_size": "40GiB",
            "pattern": {"size": "8KiB", "read": "0%", "random": "100%"},
            "processes": 64,
        },
    },
}


def test_less_io_of_others_is_told_as_it_was_tried() -> None:
    run = blockyard.simulate(_OVERLOADED)
    said = advice(run)
    assert said[0].startswith("Raising data IOPS from 3,000 to 4,500 was tried: ")
    for job, other in (("readers", "writers"), ("writers", "readers")):
        [away] = [one for one in said if one.startswith(f"Taking the IO of {job} away, ")]
        [moved] = run.trials.without[job]
        assert moved.before["job"] == other
        assert f"was tried: {other}' p99 " in away
        assert moved.after["iops"] == pytest.approx(3150, rel=0.01)


def test_less_io_of_others_is_no_advice_where_it_brought_nothing() -> None:
    run = blockyard.simulate(_OVERLOADED)
    run.__dict__["trials"] = dataclasses.replace(run.trials, without={"readers": []})
    away = [one for one in advice(run) if one.startswith("Taking the IO of ")]
    assert away == [
        "Taking the IO of readers away, which took 50% of the tokens of data IOPS that IOs waited "
        "for, was tried and brought writers nothing."
    ]


def test_what_would_take_long_is_not_tried_and_that_is_said() -> None:
    run = blockyard.simulate(_OVERLOADED)
    assert run.facts
    for total in run.result["totals"]:
        total["ios"] = MOST_IOS
    said = advice(run)
    assert said[0].startswith("Raising data IOPS would help ")
    assert said[-1].startswith("What is said here without figures was not tried: a trial takes 40")
    assert not any("Taking the IO" in sentence for sentence in said)


def test_a_run_of_another_version_is_not_tried() -> None:
    run = blockyard.simulate(_OVERLOADED)
    run.result["totals"][0]["iops"] += 1
    assert run.trials.raised == []
    assert run.trials.note.startswith("Nothing was tried: simulated again the run comes to other")


def test_emulations_and_what_was_interrupted_are_not_tried(tmp_path: Path) -> None:
    run = blockyard.simulate(_OVERLOADED, out=tmp_path / "run")
    run.result["status"] = "interrupted"
    assert not run.trials.raised
    assert not run.trials.note


def test_what_there_is_not_is_refused() -> None:
    asked = blockyard.Scenario.load(blockyard.simulate(_OVERLOADED).scenario or "", "text")
    with pytest.raises(blockyard.ScenarioError, match="no job is called `nobody`"):
        asked.what_if('[[{"without": "nobody"}]]')
    with pytest.raises(blockyard.ScenarioError, match="unknown variant"):
        asked.what_if('[[{"with": "nobody"}]]')
