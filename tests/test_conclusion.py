"""The sentence that a comparison ends in, of runs.

Golden texts, from what is shown of each figure, are in `crates/report/src/comparison/tests.rs`.
"""

import re

import pytest

import blockyard as by
from blockyard.comparison.sides import of_sides
from blockyard.runs.run import Run

SCENARIO = {
    "name": "gp3",
    "duration": "1s",
    "storage": {"data": {"type": "gp3", "size": "100GiB"}},
    "workload": {"readers": {"kind": "ranread", "on": "data", "file_size": "1GiB", "processes": 1}},
}


@pytest.fixture(scope="module")
def run() -> Run:
    return by.simulate(SCENARIO)


def test_other_work_is_not_judged(run: Run) -> None:
    other = by.simulate(SCENARIO, {"workload.readers.processes": 2})
    [found] = by.compare(run, other, anyway=True)["conclusions"]
    assert found == {
        "side": 1,
        "verdict": "not comparable",
        "fits": None,
        "sentence": "`gp3 (2)` and `gp3 (1)` are not comparable (workload.readers.processes: 1 "
        "against 2): no figure tells which is better.",
    }


def test_it_tells_what_the_other_costs(run: Run) -> None:
    dearer = by.simulate(SCENARIO, {"storage.data.iops": 6000})
    [found] = by.compare(run, dearer, seeds=1)["conclusions"]
    assert found["sentence"].endswith(
        ", cost +188% ($23.00 vs $8.00 a month): too little data to say which is better."
    )
    assert "cost" not in by.compare(run, run, seeds=1)["conclusions"][0]["sentence"]


TWO_JOBS = {
    "name": "two",
    "duration": "1s",
    "storage": {
        "data": {"type": "gp3", "size": "100GiB"},
        "log": {"type": "gp3", "size": "10GiB"},
    },
    "workload": {
        "readers": {"kind": "ranread", "on": "data", "file_size": "1GiB", "processes": 1},
        "backup": {"kind": "ranread", "on": "log", "file_size": "1GiB", "processes": 1},
    },
}


def test_a_job_without_io_on_one_side_is_worse_there() -> None:
    whole = by.simulate(TWO_JOBS)
    broken = by.simulate(TWO_JOBS | {"events": [{"at": "0s", "fail": "data"}]})
    compared = of_sides(["whole", "broken"], [[whole], [broken]], seeds=2)
    [found] = compared.found["conclusions"]
    assert found["verdict"] == "worse"
    assert re.search(r": readers IOPS none vs [\d,.]+; backup .*: worse\.$", found["sentence"])
    assert any(
        re.search(r"IOs failed \(data fails at 0:00\)$", note) for note in compared.found["notes"]
    )
    [lost] = [line for line in compared.tables["sides"][0]["lines"] if line["other"] == "-"]
    assert (lost["figure"], lost["verdict"]) == ("readers.read.iops", "on one side only")
    [found] = by.compare(broken, whole, seeds=2)["conclusions"]
    assert found["verdict"] == "better"


def test_a_job_that_neither_side_did_is_no_difference() -> None:
    broken = by.simulate(TWO_JOBS | {"events": [{"at": "0s", "fail": "data"}]})
    [found] = by.compare(broken, broken, seeds=2)["conclusions"]
    assert (found["verdict"], "readers" in found["sentence"]) == ("alike", False)
