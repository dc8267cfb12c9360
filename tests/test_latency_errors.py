"""The interval that is stated beside a latency."""

import json
import re
from math import exp, log
from pathlib import Path

import pytest

from blockyard._core import Scenario
from blockyard.runs.observer import Observer
from blockyard.types.result import ExpectedRange, Total
from conftest import ONCE, Blockyard
from validation.measured.residuals import Class, Residual, pool
from validation.measured.stated import PLACE, Group, Interval

READ = Class("gp3", "read", at_limit=False, figure="mean")


def measured(source: str, *factors: float, of: Class = READ) -> list[Residual]:
    return [Residual(source, of, log(factor)) for factor in factors]


def test_an_interval_holds_the_middle_and_is_widened_at_both_ends() -> None:
    interval = Interval.of(measured("a", *(factor / 100 for factor in range(1, 101))))
    assert (exp(interval.low), exp(interval.high)) == pytest.approx((0.05, 0.95))
    assert Interval(-1.0, 2.0).widened(0.5) == Interval(-1.5, 2.5)
    assert [Interval(-1.0, 2.0).beyond(value) for value in (-3.0, 0.0, 4.0)] == [2.0, -1.0, 2.0]


def test_few_sources_say_what_their_family_says() -> None:
    write = Class("io1", "write", at_limit=False, figure="mean")
    loaded = Class("io1", "write", at_limit=True, figure="mean")
    known = [one for name in "abc" for one in measured(name, 1.1)] + measured("d", 2, of=write)

    def found(of: Class, fewest: int) -> tuple[str, int] | None:
        made = pool(of, known, fewest)
        return (made[0].called, len(made[1])) if made else None

    assert found(READ, 3) == ("gp3 reads", 3)
    assert found(Class("gp2", "read", at_limit=False, figure="mean"), 3) == (
        "reads of network volumes",
        3,
    )
    # One source of writes: all operations. None at a limit: any load.
    assert found(write, 4) == ("network volumes", 4)
    assert found(loaded, 4) == ("network volumes under any load", 4)
    assert found(write, 5) is None
    assert found(Class("instance-store", "read", at_limit=False, figure="mean"), 1) is None


def group(known: list[Residual]) -> Group:
    return Group("network volumes", at_limit=False, figure="mean", known=known)


def test_an_interval_is_widened_by_what_sources_left_out_need() -> None:
    alike = [one for name in "abcde" for one in measured(name, 0.9, 1.0, 1.1)]
    assert group(alike).widening == pytest.approx(0)
    assert group(alike).holds
    # Each source is half as fast again as the last: the others never say so.
    apart = [one for place in range(5) for one in measured("abcde"[place], *[1.5**place] * 3)]
    own = group(apart)
    assert exp(own.widening) == pytest.approx(1.5)
    of, rows, interval = own.stated("gp3", "read") or pytest.fail("nothing is stated")
    assert (of.called, len(rows)) == ("gp3 reads", 15)
    assert exp(interval.low) == pytest.approx(1 / 1.5)
    assert exp(interval.high) == pytest.approx(1.5**5)


def test_what_does_not_hold_is_not_stated() -> None:
    # One source is far off, and has most of the rows.
    known = [one for name in "abcd" for one in measured(name, 1.0)] + measured("e", *[9.0] * 9)
    assert not group(known).holds
    assert group(known).stated("gp3", "read") is None
    # Too few rows show that it holds.
    assert not group([one for name in "abcd" for one in measured(name, 1.0)]).holds


SCENARIO = """\
name: stated
duration: 10s
storage:
  data: {type: gp3, size: 100GiB}
workload:
  job:
    kind: access_spec
    on: data
    file_size: 10GiB
    pattern: {size: 4KiB, read: 100%, random: 100%}
    outstanding: 1
    processes: 1
"""


def simulated(*sets: str) -> Total:
    result = json.loads(Scenario.load(SCENARIO, "stated", list(sets)).simulate(Observer()) or "")
    [total] = [total for total in result["totals"] if total["op"] == "read"]
    found: Total = total
    return found


def table() -> dict[tuple[str, ...], list[str]]:
    lines = [line for line in PLACE.read_text().splitlines() if not line.startswith("#")]
    cells = [line.split(",") for line in lines[1:]]
    return {tuple(of[:4]): of[4:] for of in cells}


@pytest.mark.parametrize(("outstanding", "load"), [("1", "below"), ("64", "limit")])
def test_a_result_states_multiples_of_its_own_latencies(outstanding: str, load: str) -> None:
    total = simulated(f"workload.job.outstanding={outstanding}")
    us, expected = total["latency_us"], total.get("expected_us")
    assert us is not None
    assert expected is not None
    assert expected["at_limit"] == (load == "limit")
    check(us["mean"], expected.get("mean"), load, "mean")
    check(us["p99"], expected["p99"], load, "p99")


def check(us: float, stated: ExpectedRange | None, load: str, figure: str) -> None:
    known = table().get(("gp3", "read", load, figure))
    if known is None:
        assert stated is None
        return
    low, high, rows, sources, of = known
    assert stated is not None
    assert stated["min"] == pytest.approx(us * float(low))
    assert stated["max"] == pytest.approx(us * float(high))
    assert (stated["rows"], stated["sources"], stated["of"]) == (int(rows), int(sources), of)


@pytest.mark.parametrize(
    "sets",
    [
        "storage.data.latency={like: gp3, spread: 1%}",
        "events=[{at: 5s, pause: data}, {at: 6s, resume: data}]",
        "storage.data={type: st1, size: 125GiB}",
    ],
)
def test_nothing_is_stated_of_what_nobody_measured(sets: str) -> None:
    assert "expected_us" not in simulated(sets)


def test_a_summary_has_it_beside_the_latency(blockyard: Blockyard, tmp_path: Path) -> None:
    scenario = tmp_path / "stated.yaml"
    scenario.write_text(SCENARIO)
    text = " ".join(blockyard("simulate", str(scenario), *ONCE).stdout.split())
    figure = r"\d\.\d\d ms \(0\.\d\d to \d\.\d\d ms\)"
    said = rf"job read: mean {figure}, p99 {figure} in brackets: where 9 of 10 public measurements"
    assert re.search(said, text)
