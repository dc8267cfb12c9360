"""What would help is tried, and told as it was; tests/test_verdicts_drawn.py tries it again."""

import dataclasses
from pathlib import Path

import pytest

import blockyard
from blockyard.runs.run import Run
from blockyard.types.findings import Advice
from blockyard.words.paragraphs import paragraphs

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


def advice(run: Run) -> list[str]:
    """What would help it, in words."""
    [said] = [one.sentences for one in paragraphs(run) if one.heading.startswith("What would help")]
    return said


def test_less_io_of_others_is_told_as_it_was_tried() -> None:
    run = blockyard.simulate(_OVERLOADED, advice=True)
    said = advice(run)
    assert said[0].startswith("Raising data IOPS from 3,000 to 4,500 was tried: ")
    for job, other in (("readers", "writers"), ("writers", "readers")):
        [away] = [one for one in said if one.startswith(f"Taking the IO of {job} away, ")]
        [moved] = run.trials.without[job]
        assert moved["before"]["job"] == other
        assert f"was tried: {other}' p99 " in away
        assert moved["after"]["iops"] == pytest.approx(3150, rel=0.01)


def test_less_io_of_others_is_no_advice_where_it_brought_nothing() -> None:
    run = blockyard.simulate(_OVERLOADED, advice=True)
    assert run.stored
    assert run.advice
    without: Advice = {**run.advice, "without": [("readers", [])]}
    run = dataclasses.replace(run, stored={**run.stored, "advice": without})
    away = [one for one in advice(run) if one.startswith("Taking the IO of ")]
    assert away == [
        "Taking the IO of readers away, which took 50% of the tokens of data IOPS that IOs waited "
        "for, was tried: no effect on writers."
    ]


_NOTHING: Advice = {
    "raised": [],
    "beyond": [],
    "links": [],
    "mirrors": [],
    "without": [],
    "idle_matter": None,
    "open": [],
    "untried": {"why": "too_long", "ios": 40_000_000, "most_ios": 20_000_000},
}


def test_what_would_take_long_is_not_tried_and_that_is_said() -> None:
    run = blockyard.simulate(_OVERLOADED)
    assert run.stored
    run = dataclasses.replace(run, stored={**run.stored, "advice": _NOTHING})
    said = advice(run)
    assert said[0].startswith("Raising data IOPS would help ")
    assert said[-1].startswith("What is said here without figures was not tried: a trial takes 40")
    assert not any("Taking the IO" in sentence for sentence in said)


def test_a_run_made_without_advice_says_so() -> None:
    said = advice(blockyard.simulate(_OVERLOADED))
    assert said[0].startswith("Raising data IOPS would help ")
    assert said[-1].startswith("What is said here without figures was not tried; `blockyard sim")


def test_what_was_found_of_another_result_or_version_counts_for_nothing(tmp_path: Path) -> None:
    place = tmp_path / "run"
    blockyard.simulate(_OVERLOADED, out=place, advice=True)
    assert blockyard.load(place).trials.raised
    text = (place / "result.json").read_text()
    (place / "result.json").write_text(text.replace('"seed": 1', '"seed": 2'))
    other = blockyard.load(place)
    assert other.stored is None
    assert other.facts
    assert not other.trials.raised
    (place / "result.json").write_text(text)
    found = (place / "findings.json").read_text()
    for torn in (found[:-9], "", "[]", found.replace("data", "log"), "[" * 100_000):
        (place / "findings.json").write_text(torn)
        assert blockyard.load(place).stored is None
    (place / "findings.json").unlink()
    assert blockyard.load(place).facts == other.facts


def test_what_there_is_not_is_refused() -> None:
    asked = blockyard.Scenario.load(blockyard.simulate(_OVERLOADED).scenario or "", "text")
    with pytest.raises(blockyard.ScenarioError, match="no job is called `nobody`"):
        asked.what_if('[[{"without": "nobody"}]]')
    with pytest.raises(blockyard.ScenarioError, match="unknown variant"):
        asked.what_if('[[{"with": "nobody"}]]')
