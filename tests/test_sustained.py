"""Comparisons of sides that live on burst credits."""

from typing import Any

import pytest

import blockyard as by
from blockyard.types.comparison import Comparison
from blockyard.words import paragraphs


def scenario(
    volume: dict[str, Any] | None = None, load: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    """Reads at 1,000/s of a gp2 whose baseline is 300."""
    return {
        "name": "side",
        "duration": "2s",
        "storage": {"data": volume or {"type": "gp2", "size": "100GiB"}},
        "workload": {
            "reads": {
                "kind": "ranread",
                "on": "data",
                "file_size": "50GiB",
                **(load or {"rate": "1000/s"}),
            }
        },
        **more,
    }


GP3 = {"type": "gp3", "size": "100GiB"}
INSTANCE = {"type": "io2", "size": "400GiB", "iops": 12_000}


def compared(one: dict[str, Any], other: dict[str, Any], **more: Any) -> Comparison:
    return by.compare(by.simulate(one), by.simulate(other), seeds=3, **more)


@pytest.mark.parametrize("load", [{"rate": "1000/s"}, {"processes": 4}])
def test_a_side_on_credits_is_never_better_than_one_that_sustains(load: dict[str, Any]) -> None:
    gp2, gp3 = scenario(load=load), scenario(GP3, load)
    found = compared(gp2, gp3)
    assert found["credits"][1] is None
    ends = found["credits"][0]
    assert ends is not None
    assert list(ends["then"] or ()) == [300.0, "IOPS"]
    assert ends["lasts_s"] > 1000
    [told] = found["conclusions"]
    assert told["verdict"] in ("better", "better and worse")
    assert "keeps this up for" in told["sentence"]
    assert "then 300 of" in told["sentence"]
    assert any("lives on the burst credits of data" in note for note in found["notes"])
    [back] = compared(gp3, gp2)["conclusions"]
    assert back["verdict"] in ("worse", "better and worse")


def test_an_instance_on_credits_is_not_alike_to_one_that_sustains() -> None:
    sides = [
        scenario(INSTANCE, {"rate": "8000/s"}, host={"instance": instance})
        for instance in ("r6i.large", "r6i.2xlarge")
    ]
    found = compared(sides[0], sides[1])
    [told] = found["conclusions"]
    assert told["verdict"] == "better"
    assert "then 3,600 of 8,0" in told["sentence"] or "then 3,600 of 7,9" in told["sentence"]
    assert compared(sides[1], sides[0])["conclusions"][0]["verdict"] == "worse"


def test_what_credits_do_not_carry_is_not_told_of() -> None:
    light = {"rate": "200/s"}
    found = compared(scenario(load=light), scenario(GP3, light))
    assert found["credits"] == [None, None]
    assert "keeps this up" not in found["conclusions"][0]["sentence"]


def test_of_two_sides_on_credits_what_they_leave_decides() -> None:
    larger = {"type": "gp2", "size": "200GiB"}
    found = compared(scenario(), scenario(larger))
    assert None not in found["credits"]
    [told] = found["conclusions"]
    assert told["sentence"].count("keeps this up for") == 2
    assert told["verdict"] == "better"
    same = compared(scenario(), scenario())
    assert same["conclusions"][0]["verdict"] == "alike"


def test_credits_that_end_within_a_run() -> None:
    small = {"type": "st1", "size": "125GiB"}
    reads = {
        "load": {
            "kind": "access_spec",
            "on": "data",
            "file_size": "100GiB",
            "pattern": {"size": "1MiB", "read": "100%", "random": "0%"},
            "rate": "30/s",
        }
    }
    sides = [
        {**scenario(volume), "workload": reads, "duration": "100m", "interval": "10s"}
        for volume in (small, {**small, "size": "4TiB"})
    ]
    first = by.simulate(sides[0])
    assert first.facts is not None
    assert first.facts["modelled"] is not None
    [balance] = first.facts["modelled"]["credits"]
    found = by.compare(first, by.simulate(sides[1]), seeds=1, fail_if=["load.iops < -10%"])
    ends = found["credits"][0]
    assert balance["last_s"] == 0
    assert ends is not None
    assert ends["lasts_s"] == 0
    [told] = found["conclusions"]
    assert "has used up its burst credits, which leaves" in told["sentence"]
    assert told["verdict"] == "better"
    assert "used up its burst credits" in found["conditions"][0]["measured"]


def test_a_condition_says_that_it_holds_while_credits_last() -> None:
    found = compared(scenario(GP3), scenario(), fail_if=["reads.iops < -10%"])
    [outcome] = found["conditions"]
    assert not outcome["holds"]
    assert "side (2) keeps this up for 2 h" in outcome["measured"]


def test_the_baseline_is_nearest_and_a_run_says_what_sustains_its_load() -> None:
    run = by.simulate(scenario())
    said = run.told.headline()
    assert "on burst credits, at 3.3" in said
    lasting = [one for one in paragraphs.of(run) if "Sustained, this rate takes" in one]
    assert len(lasting) == 1
    assert lasting[0].endswith("GiB of gp2, or gp3.")
