"""What would help is tried, and told as it was; tests/test_verdicts_drawn.py tries it again."""

import dataclasses
from pathlib import Path

import pytest

import blockyard
from blockyard.runs.trials import MOST_IOS
from blockyard.words.advice import advice

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
        "for, was tried: no effect on writers."
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
    assert run.trials.note.startswith("Nothing was tried: simulated again, the run gives other")


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
