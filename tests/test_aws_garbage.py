"""Whatever saved answers contain, they are read, or refused in one line."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aws_answers as answers
from blockyard._core import FileError, ScenarioError
from blockyard.formats.foreign import ForeignError
from blockyard.questions.account import Examined, examine
from hostile import with_a_piece_replaced, with_a_value_replaced
from test_aws import CSV, database
from test_aws_terraform import state

VALUES = {
    (answers.DATA, "VolumeReadOps"): [600.0, 0.0],
    (answers.DATA, "BurstBalance"): [99.0, 98.5],
    (answers.INSTANCE, "EBSIOBalance%"): [100.0, 99.0],
    ("billing", "ReadIOPS"): [10.5, 0.0],
}
WHOLE = {
    "volumes.json": json.dumps(answers.volumes()),
    "instances.json": json.dumps(answers.instances()),
    "databases.json": json.dumps({"DBInstances": [database()]}),
    "query.json": json.dumps(answers.query(VALUES)),
    "metrics.json": json.dumps(answers.data(VALUES)),
    "one-billing.json": json.dumps(
        {
            "Label": "WriteIOPS",
            "Datapoints": [{"Timestamp": "2026-11-16T00:00:00Z", "Average": 3.5}],
        }
    ),
    "ops.csv": CSV.format(id=answers.LOG),
    "tf.json": json.dumps(state()),
}


def read(name: str, content: bytes) -> Examined | None:
    """Read the whole account with this content in one of its files."""
    with tempfile.TemporaryDirectory() as folder:
        for other, text in WHOLE.items():
            (Path(folder) / other).write_text(text)
        (Path(folder) / name).write_bytes(content)
        try:
            found = examine([folder])
        except (ForeignError, FileError) as error:
            said = str(error)
        else:
            assert all("\n" not in error for error in found.failed.values())
            return found
    assert "\n" not in said
    assert len(said) < 1000
    return None


def test_the_files_that_are_torn_below_are_an_account() -> None:
    found = read("ops.csv", WHOLE["ops.csv"].encode())
    assert found is not None
    assert {one.name for one in found.findings} == {"orders", "billing", "web"}
    assert not found.failed


@settings(max_examples=50)
@given(st.sampled_from(sorted(WHOLE)), st.binary(max_size=200))
def test_bytes_of_no_program(name: str, content: bytes) -> None:
    read(name, content)


@pytest.mark.slow
@settings(max_examples=80)
@given(st.sampled_from(sorted(WHOLE)), st.data())
def test_a_file_with_one_piece_replaced(name: str, data: st.DataObject) -> None:
    read(name, with_a_piece_replaced(WHOLE[name], data))


@pytest.mark.slow
@settings(max_examples=120)
@given(st.sampled_from(sorted(name for name in WHOLE if name.endswith("json"))), st.data())
def test_json_with_one_value_replaced(name: str, data: st.DataObject) -> None:
    read(name, with_a_value_replaced(WHOLE[name], data))


@pytest.mark.parametrize("figure", ["9" * 18, "9" * 30, "1e300"])
def test_figures_of_any_size(figure: str) -> None:
    for name, old in (
        ("metrics.json", "600"),
        ("volumes.json", "500"),
        ("databases.json", "400"),
        ("ops.csv", "180"),
        ("query.json", "300"),
    ):
        assert old in WHOLE[name]
        read(name, WHOLE[name].replace(old, figure).encode())


def test_scenario_errors_are_of_one_host() -> None:
    """A type that the catalog does not know costs the other hosts nothing."""
    found = read("volumes.json", WHOLE["volumes.json"].replace('"gp2"', '"gp9"').encode())
    assert found is not None
    assert list(found.failed) == [answers.INSTANCE]
    assert found.failed[answers.INSTANCE].startswith("storage.")
    assert "`gp9`" in found.failed[answers.INSTANCE]
    assert issubclass(ScenarioError, ValueError)
