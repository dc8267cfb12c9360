"""The sentence that a comparison ends in: golden texts, from what is shown of each figure."""

import dataclasses
import re
from typing import Any

import pytest

import blockyard as by
from blockyard.comparison import conclusion, tables
from blockyard.comparison.conclusion import Conclusion
from blockyard.runs.run import Run
from blockyard.types.comparison import Change, Row, Verdict
from blockyard.types.result import Mode

SCENARIO = {
    "name": "gp3",
    "duration": "1s",
    "storage": {"data": {"type": "gp3", "size": "100GiB"}},
    "workload": {"readers": {"kind": "ranread", "on": "data", "file_size": "1GiB", "processes": 1}},
}


@pytest.fixture(scope="module")
def run() -> Run:
    return by.simulate(SCENARIO)


def figure(
    job: str, name: str, values: tuple[float, float], margin: float | None, verdict: Verdict
) -> Row:
    relative = values[1] / values[0] - 1
    interval = None if margin is None else (relative - margin, relative + margin)
    change = Change(
        relative=relative,
        interval=interval,
        basis=None if margin is None else "paired seeds",
        verdict=verdict,
    )
    return Row(job=job, device=None, op="read", figure=name, values=list(values), changes=[change])


def concluded(run: Run, modes: tuple[Mode, Mode], rows: list[Row], **other: Any) -> Conclusion:
    first = dataclasses.replace(run, result={**run.result, "mode": modes[0]})
    second = dataclasses.replace(run, result={**run.result, "mode": modes[1]}, **other)
    names = ["before", "after"]
    [found] = conclusion.of(names, [[first], [second]], rows, [None, None], [None, None])
    return found


SAME_P99 = figure("all", "latency.p99", (6000.0, 6010.0), 0.02, "alike within 5%")
WORSE_P99 = figure("all", "latency.p99", (6000.0, 9000.0), 0.1, "worse")


def iops(first: float, other: float, margin: float | None, verdict: Verdict) -> Row:
    return figure("all", "iops", (first, other), margin, verdict)


def test_an_emulated_volume_that_does_as_simulated(run: Run) -> None:
    rows = [iops(3000.0, 2940.0, 0.005, "worse"), SAME_P99]
    found = concluded(run, ("simulate", "emulate"), rows)
    assert found == {
        "side": 1,
        "verdict": "worse",
        "fits": True,
        "sentence": "The emulated storage (`after`) vs the simulation (`before`): -2% IOPS (2,940 "
        "vs 3,000), p99 alike within 5% (6.01 ms vs 6.00 ms): the emulation does as simulated.",
    }


def test_an_emulation_that_does_not_keep_up(run: Run) -> None:
    rows = [iops(3000.0, 3000.0, 0.003, "alike within 5%"), WORSE_P99]
    found = concluded(run, ("simulate", "emulate"), rows)
    assert found["sentence"].endswith(
        ", p99 +50% (9.00 ms vs 6.00 ms): the emulation does not do as simulated, "
        "for which its machine may be too slow."
    )


def test_what_fio_measured_is_not_as_simulated(run: Run) -> None:
    rows = [iops(3000.0, 3010.0, 0.003, "alike within 5%"), WORSE_P99]
    found = concluded(run, ("simulate", "fio"), rows, scenario=None)
    assert (found["verdict"], found["fits"]) == ("worse", False)
    assert found["sentence"] == (
        "Fio's run (`after`) vs the simulation (`before`): IOPS alike within 1% (3,010 vs 3,000), "
        "p99 +50% (9.00 ms vs 6.00 ms): the model does not fit this storage."
    )


def test_of_a_model_too_little_is_known(run: Run) -> None:
    rows = [iops(3000.0, 2900.0, None, "too little to tell"), SAME_P99]
    found = concluded(run, ("bench", "simulate"), rows)
    assert (found["verdict"], found["fits"]) == ("too little to tell", None)
    assert found["sentence"] == (
        "The simulation (`after`) vs the real storage (`before`): IOPS 2,900 vs 3,000 (too little "
        "data to rule out chance), p99 alike within 5% (6.01 ms vs 6.00 ms): too little data to "
        "tell whether the model fits; longer runs or repeats tell more."
    )


BENCHES: list[tuple[list[Row], str, str]] = [
    (
        [iops(3000.0, 6000.0, 0.01, "better"), SAME_P99],
        "better",
        "`after` vs `before`: +100% IOPS (6,000 vs 3,000), p99 alike within 5% (6.01 ms vs "
        "6.00 ms): better.",
    ),
    (
        [iops(300_000.0, 1_234_000.0, 0.01, "better"), WORSE_P99],
        "better and worse",
        "`after` vs `before`: 4.11 times the IOPS (1.23 million vs 300,000), p99 +50% (9.00 ms "
        "vs 6.00 ms): better in IOPS, worse in p99.",
    ),
    (
        [
            iops(3000.0, 2400.0, 0.25, "no difference shown"),
            figure("all", "latency.p99", (1e6, 20_143e6), 9.0, "worse"),
        ],
        "worse",
        "`after` vs `before`: IOPS 2,400 vs 3,000 (no difference shown, -45% to +5%), p99 20,143 "
        "times as long (5 h 36 min vs 1.00 s): worse.",
    ),
    (
        [iops(3000.0, 3001.0, 0.001, "alike within 5%"), SAME_P99],
        "alike",
        "`after` vs `before`: IOPS alike within 1% (3,001 vs 3,000), p99 alike within 5% (6.01 ms "
        "vs 6.00 ms): alike.",
    ),
    (
        [iops(3000.0, 2400.0, 0.25, "no difference shown"), SAME_P99],
        "not shown",
        "`after` vs `before`: IOPS 2,400 vs 3,000 (no difference shown, -45% to +5%), p99 alike "
        "within 5% (6.01 ms vs 6.00 ms): no difference shown; longer runs or repeats may show "
        "one.",
    ),
    (
        [iops(3000.0, 2400.0, None, "too little to tell")],
        "too little to tell",
        "`after` vs `before`: IOPS 2,400 vs 3,000: too little data to say which is better.",
    ),
    (
        [],
        "too little to tell",
        "`after` vs `before`: no figure in common: too little data to say which is better.",
    ),
]


@pytest.mark.parametrize(("rows", "verdict", "sentence"), BENCHES)
def test_two_benches(run: Run, rows: list[Row], verdict: str, sentence: str) -> None:
    found = concluded(run, ("bench", "bench"), rows)
    assert (found["verdict"], found["fits"]) == (verdict, None)
    assert found["sentence"] == sentence


def test_of_several_jobs_those_that_differ_come_first(run: Run) -> None:
    def job(name: str, values: tuple[float, float], verdict: Verdict) -> Row:
        return figure(name, "iops", values, 0.001, verdict)

    rows = [
        job("log", (200.0, 200.0), "alike within 5%"),
        job("readers", (3000.0, 6000.0), "better"),
        job("backup", (50.0, 50.0), "alike within 5%"),
        job("writers", (800.0, 400.0), "worse"),
    ]
    assert concluded(run, ("bench", "bench"), rows)["sentence"] == (
        "`after` vs `before`: readers +100% IOPS (6,000 vs 3,000); writers -50% IOPS (400 vs 800); "
        "log and backup IOPS alike within 1%: better in IOPS of readers, worse in IOPS of writers."
    )


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
    compared = by.compare(whole, broken, seeds=2)
    [found] = compared["conclusions"]
    assert found["verdict"] == "worse"
    assert re.search(r": readers IOPS none vs [\d,.]+; backup .*: worse\.$", found["sentence"])
    assert any(re.search(r"IOs failed \(data fails at 0:00\)$", note) for note in compared["notes"])
    [lost] = [line for line in tables.against(compared, 1) if line.other == "-"]
    assert (lost.figure, lost.verdict) == ("readers.read.iops", "on one side only")
    [found] = by.compare(broken, whole, seeds=2)["conclusions"]
    assert found["verdict"] == "better"


def test_a_job_that_neither_side_did_is_no_difference() -> None:
    broken = by.simulate(TWO_JOBS | {"events": [{"at": "0s", "fail": "data"}]})
    [found] = by.compare(broken, broken, seeds=2)["conclusions"]
    assert (found["verdict"], "readers" in found["sentence"]) == ("alike", False)


def test_a_model_whose_job_did_nothing_does_not_fit(run: Run) -> None:
    rate = figure("readers", "iops", (3000.0, 1.0), None, "too little to tell")
    rows = [Row({**rate, "values": [3000.0, None], "changes": [None]})]
    found = concluded(run, ("simulate", "bench"), rows)
    assert (found["verdict"], found["fits"]) == ("worse", False)
