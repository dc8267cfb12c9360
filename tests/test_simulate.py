"""`blockyard simulate`: what it prints, refuses and writes."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from blockyard.runs.tables import INTERVALS, VOLUMES
from conftest import GP3, Blockyard, folder, one_line

FILES = [
    "findings.json",
    "intervals.parquet",
    "latency.hlog",
    "result.json",
    "scenario.yaml",
    "volumes.parquet",
]


def test_a_run_directory_is_whole(blockyard: Blockyard, tmp_path: Path) -> None:
    finished = blockyard("simulate", "gp3.yaml", "--out", "deep/run")
    assert (finished.returncode, finished.stderr) == (0, "")
    assert folder(tmp_path / "deep") == ["run"]
    assert folder(tmp_path / "deep/run") == FILES
    result = json.loads((tmp_path / "deep/run/result.json").read_text())
    assert result["status"] == "complete"
    assert [step["processes"] for step in result["steps"]] == [1, 5]


def test_the_summary_fits_80_columns_and_says_what_held_it_back(blockyard: Blockyard) -> None:
    text = blockyard("simulate", "gp3.yaml").stdout
    assert max(map(len, text.splitlines())) <= 80
    assert "throttled by: data IOPS 100%" in text
    assert "\x1b" not in text


def test_the_tables_agree_with_the_result(blockyard: Blockyard, tmp_path: Path) -> None:
    blockyard("simulate", "gp3.yaml", "--out", "run")
    result = json.loads((tmp_path / "run/result.json").read_text())
    intervals = pq.read_table(tmp_path / "run/intervals.parquet")
    volumes = pq.read_table(tmp_path / "run/volumes.parquet")
    assert intervals.schema.equals(INTERVALS)
    assert volumes.schema.equals(VOLUMES)
    assert intervals.num_rows == 10
    assert sum(intervals["ios"].to_pylist()) == result["totals"][0]["ios"]
    throttled_us = sum(dict(throttled)["iops"] for throttled in volumes["throttled_us"].to_pylist())
    assert throttled_us / 1e6 == pytest.approx(result["limits"][0]["throttled_s"], rel=0.01)
    assert dict(volumes["limits"][0].as_py()) == {"iops": 3000, "throughput": 125 * 2**20}


def test_an_interval_without_io_has_nulls(blockyard: Blockyard, tmp_path: Path) -> None:
    blockyard("simulate", "gp3.yaml", "--out", "run", "--set", "workload.readers.processes=[0, 1]")
    table = pq.read_table(tmp_path / "run/intervals.parquet")
    assert table["ios"].to_pylist()[:5] == [0] * 5
    assert table["latency_p99_us"].to_pylist()[:5] == [None] * 5


def test_json_is_the_result_alone(blockyard: Blockyard, tmp_path: Path) -> None:
    finished = blockyard("simulate", "gp3.yaml", "--out", "run", "--json")
    assert finished.stdout == (tmp_path / "run/result.json").read_text()


def test_show_prints_a_scenario_and_runs_nothing(blockyard: Blockyard, tmp_path: Path) -> None:
    finished = blockyard("simulate", "gp3.yaml", "--show", "--set", "duration=20s", "--seed", 7)
    lines = {line.split(":")[0]: line.split("# ")[-1] for line in finished.stdout.splitlines()}
    assert lines["name"] == "gp3.yaml:1"
    assert "--set" in lines["duration"]
    assert "--set" in lines["seed"]
    assert lines["interval"] == "default"
    assert folder(tmp_path) == ["gp3.yaml"]


def test_the_stored_scenario_reproduces_the_run(blockyard: Blockyard, tmp_path: Path) -> None:
    blockyard("simulate", "gp3.yaml", "--seed", 7, "--out", "first")
    blockyard("simulate", "first/scenario.yaml", "--out", "again")
    first, again = ((tmp_path / run / "result.json").read_bytes() for run in ("first", "again"))
    assert first == again


@pytest.mark.parametrize(
    ("goal", "status"), [("readers.iops > 100", 0), ("readers.latency.p99 < 100us", 1)]
)
def test_check_exits_1_on_a_missed_goal(blockyard: Blockyard, goal: str, status: int) -> None:
    arguments = ["simulate", "gp3.yaml", "--set", f"goals=['{goal}']"]
    checked = blockyard(*arguments, "--check", "--out", "checked")
    assert checked.returncode == status
    assert ("MISSED" in checked.stdout) == (status == 1)
    assert blockyard(*arguments, "--out", "unchecked").returncode == 0


def test_without_out_runs_are_filed_by_date(blockyard: Blockyard, tmp_path: Path) -> None:
    assert blockyard("simulate", "gp3.yaml").returncode == 0
    assert blockyard("simulate", "gp3.yaml").returncode == 0
    assert len(folder(tmp_path / "runs")) == 2


def test_several_scenarios_and_repeats_are_filed_by_name(
    blockyard: Blockyard, tmp_path: Path
) -> None:
    (tmp_path / "other.yaml").write_text(GP3.replace("name: gp3", "name: B.080"))
    finished = blockyard(
        "simulate", "gp3.yaml", "other.yaml", "--set", "repeats=2", "--out", "all", "--json"
    )
    assert finished.returncode == 0
    results = json.loads(finished.stdout)
    assert [(run["scenario"], run["seed"]) for run in results] == [
        ("gp3", 1),
        ("gp3", 2),
        ("B.080", 1),
        ("B.080", 2),
    ]
    assert folder(tmp_path / "all") == ["B.080", "B.080-2", "gp3", "gp3-2"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nope.yaml"], "nope.yaml: No such file or directory"),
        (["."], ".: Is a directory"),
        (["gp3.yaml", "--set", "duration=soon"], "`soon`"),
        (["gp3.yaml", "gp3.yaml"], "2 runs are named gp3"),
        (["gp3.yaml", "--out", "gp3.yaml"], "gp3.yaml: exists already"),
        (["gp3.yaml", "--out", "gp3.yaml/run"], "gp3.yaml/run: Not a directory"),
        (["gp3.yaml", "--out", "/proc/run"], "/proc/run: No such file or directory"),
        (["gp3.yaml", "binary.yaml"], "binary.yaml: not UTF-8 text"),
    ],
)
def test_bad_input_is_one_line_status_2_and_nothing_done(
    blockyard: Blockyard, tmp_path: Path, arguments: list[str], message: str
) -> None:
    (tmp_path / "binary.yaml").write_bytes(b"\xff\x00\xfe")
    finished = blockyard("simulate", *arguments)
    assert finished.returncode == 2
    assert message in one_line(finished)
    assert folder(tmp_path) == ["binary.yaml", "gp3.yaml"]


def test_all_scenarios_are_checked_before_any_runs(blockyard: Blockyard, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text(GP3.replace("type: gp3", "type: gp5"))
    finished = blockyard("simulate", "gp3.yaml", "bad.yaml", "--out", "all")
    assert finished.returncode == 2
    assert one_line(finished).startswith("blockyard: bad.yaml:4: storage.data.type: ")
    assert folder(tmp_path) == ["bad.yaml", "gp3.yaml"]
