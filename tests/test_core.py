"""The module `blockyard._core`: what Python code can rely on."""

import json
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockyard import Scenario, ScenarioError, _core
from blockyard.runs.observer import Observer
from conftest import GP3


def _loads_or_says_why(text: str, sets: list[str]) -> None:
    message = "a scenario"
    try:
        Scenario.load(text, "fuzz.yaml", sets)
    except ScenarioError as error:
        message = str(error)
    assert message.strip()
    assert "\n" not in message


@given(st.text())
def test_any_text_is_a_scenario_or_bad_input(text: str) -> None:
    _loads_or_says_why(text, [])


@given(st.integers(0, len(GP3)), st.integers(0, 20), st.text(max_size=10))
def test_a_damaged_scenario_is_one_or_bad_input(start: int, length: int, put: str) -> None:
    _loads_or_says_why(GP3[:start] + put + GP3[start + length :], [])


@given(st.text(max_size=40))
def test_any_override_is_one_or_bad_input(override: str) -> None:
    _loads_or_says_why(GP3, [override])
    _loads_or_says_why(GP3, [f"duration={override}"])


class StopsAt(Observer):
    """Asks for the run to end after so many seconds."""

    def __init__(self, second: float) -> None:
        self.second = second
        self.done_s = 0.0

    def interval(self, interval: _core.Interval) -> None:
        self.done_s = interval.done_s

    def stopped(self) -> bool:
        return self.done_s >= self.second


class Raises(Observer):
    """Fails at its first interval, and never asks for the run to end."""

    def interval(self, interval: _core.Interval) -> None:
        raise LookupError(f"at {interval.done_s}")


def test_an_observer_ends_the_run_at_its_interval() -> None:
    text = Scenario.load(GP3, "gp3.yaml").simulate(StopsAt(3))
    assert text is not None
    result = json.loads(text)
    assert (result["status"], result["duration_s"]) == ("interrupted", 3.0)


def test_what_the_observer_raises_comes_out_at_once() -> None:
    with pytest.raises(LookupError, match="at 1"):
        Scenario.load(GP3, "gp3.yaml").simulate(Raises())
    real = Scenario.load(GP3, "gp3.yaml", ["duration=1h", "interval=100ms"])
    with pytest.raises(LookupError, match=r"at 0\.1"):
        real.bench(Raises(), {"map": [("data", "null:")], "started": "now"})


def test_an_unwritable_latency_log_is_an_oserror(tmp_path: Path) -> None:
    scenario = Scenario.load(GP3, "gp3.yaml")
    with pytest.raises(FileNotFoundError):
        scenario.simulate(Observer(), latency_log=str(tmp_path / "no" / "log"))


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ({"engine": "fast"}, "--engine: `fast`; expected auto, io_uring or threads"),
        ({"size": "4 apples"}, "--size: "),
        ({"steady_stop": "30s"}, "--steady-stop: `30s`; expected WINDOW:TOLERANCE, as 30s:5%"),
        ({"steady_stop": "0s:5%"}, "--steady-stop: `0s:5%` is never steady; expected "),
        ({"threads": -1}, "--threads: "),
        ({"map": [("data", "\udcff")]}, "the name of a file is not UTF-8"),
        ({"no_such": 1}, "--no-such: unknown field `no_such`"),
    ],
)
def test_an_option_that_is_wrong_is_named(option: dict[str, object], said: str) -> None:
    with pytest.raises(ScenarioError) as wrong:
        Scenario.load(GP3, "gp3.yaml").bench(Observer(), {"map": [("data", "null:")], **option})
    assert str(wrong.value).startswith(said)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "missing field `as`"),
        ({"as": "smb"}, "--as: `smb`; expected nbd=PATH"),
        ({"as": "block", "for": "0s"}, "--for: `0s`; expected a time above 0"),
        ({"as": "block", "backing": "nowhere"}, "--backing: `nowhere`: "),
    ],
)
def test_an_option_of_emulate_that_is_wrong_is_named(options: dict[str, object], said: str) -> None:
    with pytest.raises(ScenarioError) as wrong:
        Scenario.load(GP3, "gp3.yaml").emulate(Observer(), options)
    assert said in str(wrong.value)


class Gathers(Observer):
    """Keeps what it receives."""

    def __init__(self) -> None:
        self.batches: dict[str, list[pa.RecordBatch]] = {"intervals": [], "volumes": []}
        self.seen: list[pa.RecordBatch] = []

    def interval(self, interval: _core.Interval) -> None:
        self.seen.append(pa.record_batch(interval.rows()))
        assert interval.status() is None

    def rows(self, table: str, rows: _core.RecordBatch) -> None:
        self.batches[table].append(pa.record_batch(rows))


def test_rows_are_handed_over_some_thousands_at_a_time_and_none_is_lost() -> None:
    sets = ["interval=1ms", "duration=3s", "workload.readers.processes=4"]
    gathered = Gathers()
    Scenario.load(GP3, "gp3.yaml", sets).simulate(gathered)
    for table, batches in gathered.batches.items():
        assert [batch.num_rows for batch in batches] == [2_048, 952]
        assert pa.schema(_core.empty_table(table)) == batches[0].schema
        assert batches[0].schema.names == [name for name, _, _ in _core.table_columns(table)]
        for batch in batches:
            batch.validate(full=True)
    seen = pa.Table.from_batches(gathered.seen)
    assert seen.equals(pa.Table.from_batches(gathered.batches["intervals"]))
    assert seen["t_s"].to_pylist() == [number / 1_000 for number in range(3_000)]


def test_rows_outlive_the_run_and_what_gave_them() -> None:
    taken = pa.record_batch(_core.empty_table("volumes"))
    held = _core.simulate_many([(GP3, "gp3.yaml", [])], 1)
    schema, array = held.__arrow_c_array__()
    first = pa.record_batch(held)
    del held, schema, array
    assert first["job"].to_pylist() == ["readers"]
    assert taken.num_rows == 0
    with pytest.raises(ValueError, match="no table `tables`; expected one of intervals, volumes"):
        _core.empty_table("tables")


def test_scenarios_that_say_the_same_are_equal() -> None:
    one = Scenario.load(GP3, "gp3.yaml", ["seed=2"])
    other = Scenario.load(one.to_yaml(), "else.yaml")
    assert one == other
    assert hash(one) == hash(other)
    assert one != Scenario.load(GP3, "gp3.yaml")
    assert one != "gp3"
