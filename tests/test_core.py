"""The module `blockyard._core`: what Python code can rely on."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockyard import Scenario, ScenarioError
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


def test_a_false_answer_ends_the_run_at_its_interval() -> None:
    text = Scenario.load(GP3, "gp3.yaml").simulate(lambda done_s, *_: done_s < 3)
    assert text is not None
    result = json.loads(text)
    assert (result["status"], result["duration_s"]) == ("interrupted", 3.0)


def test_what_the_observer_raises_comes_out() -> None:
    def observe(done_s: float, *_: object) -> bool:
        raise LookupError(f"at {done_s}")

    with pytest.raises(LookupError, match="at 1"):
        Scenario.load(GP3, "gp3.yaml").simulate(observe)


def test_an_unwritable_latency_log_is_an_oserror(tmp_path: Path) -> None:
    scenario = Scenario.load(GP3, "gp3.yaml")
    with pytest.raises(FileNotFoundError):
        scenario.simulate(lambda *_: True, latency_log=str(tmp_path / "no" / "log"))
