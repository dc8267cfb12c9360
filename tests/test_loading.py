"""Runs read back, and the errors about those that cannot be."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import blockyard as by
from blockyard.formats.loading import load, load_all
from blockyard.runs import directory
from blockyard.runs.tables import VOLUMES
from blockyard.text import files
from conftest import GP3, Blockyard, one_line


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run directory."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "gp3.yaml").write_text(GP3)
    by.simulate(folder / "gp3.yaml", out=folder / "run")
    return folder / "run"


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    """A copy to damage."""
    return Path(shutil.copytree(made, tmp_path / "run"))


def refusal(path: Path) -> str:
    with pytest.raises(by.FileError) as refused:
        load(path)
    message = str(refused.value)
    assert "\n" not in message
    assert message.startswith(str(path))
    return message.removeprefix(str(path))


def test_a_run_comes_back_whole(made: Path) -> None:
    run = load(made)
    assert run.name == "run"
    assert run.result == json.loads((made / "result.json").read_text())
    ios = sum(total["ios"] for total in run.result["totals"])
    assert sum(run.intervals["ios"].to_pylist()) == ios
    assert run.latencies.merged(run.latencies.tags).count == ios
    assert run.volumes.num_rows == 10


def test_a_path_may_be_text(made: Path) -> None:
    assert load(str(made)).result == load(made).result
    assert [run.name for run in load_all(str(made.parent))] == ["run"]


def test_repeats_come_in_the_order_of_their_numbers(made: Path, tmp_path: Path) -> None:
    for name in ["gp3-10", "gp3", "gp3-2", "other"]:
        shutil.copytree(made, tmp_path / "all" / name)
    assert [run.name for run in load_all(tmp_path / "all")] == ["gp3", "gp3-2", "gp3-10", "other"]
    assert "a folder of 4 runs (gp3, gp3-2, gp3-10, …)" in refusal(tmp_path / "all")


def test_what_is_not_there_is_an_oserror(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none")


def test_a_truncated_result_is_said(run: Path) -> None:
    text = (run / "result.json").read_text()
    (run / "result.json").write_text(text[: len(text) // 2])
    assert refusal(run).startswith("/result.json: not whole JSON: ")


def test_another_schema_version_is_named(run: Path) -> None:
    text = (run / "result.json").read_text()
    (run / "result.json").write_text(text.replace("blockyard/result/1", "blockyard/result/9"))
    said = refusal(run)
    assert "its schema is `blockyard/result/9`; this blockyard reads blockyard/result/1" in said


def test_a_foreign_result_json_is_none(run: Path) -> None:
    (run / "result.json").write_text('{"jobs": []}')
    assert refusal(run).startswith("/result.json: no result: expected")


@pytest.mark.parametrize("name", ["intervals.parquet", "volumes.parquet"])
def test_a_truncated_table_is_said(run: Path, name: str) -> None:
    (run / name).write_bytes((run / name).read_bytes()[:-100])
    assert refusal(run).startswith(f"/{name}: no whole Parquet file: ")


def test_a_table_of_another_kind_is_said(run: Path) -> None:
    shutil.copy(run / "volumes.parquet", run / "intervals.parquet")
    assert refusal(run).startswith("/intervals.parquet: its columns are t_s, volume, ")


def test_a_torn_latency_log_is_said(run: Path) -> None:
    log = run / "latency.hlog"
    log.write_bytes(log.read_bytes()[:-30])
    assert refusal(run).startswith("/latency.hlog")


@pytest.mark.parametrize("name", ["scenario.yaml", "intervals.parquet", "latency.hlog"])
def test_a_missing_file_is_named(run: Path, name: str) -> None:
    (run / name).unlink()
    with pytest.raises(FileNotFoundError) as missing:
        load(run)
    assert str(missing.value.filename) == str(run / name)
    assert missing.value.strerror == "No such file or directory"


def test_a_folder_without_runs_is_said(tmp_path: Path) -> None:
    assert "neither a run directory (with result.json)" in refusal(tmp_path)


def test_a_run_that_was_killed_is_said(run: Path, tmp_path: Path) -> None:
    (run / "result.json").unlink()
    partial = run.rename(tmp_path / ".run.partial-1f0c2a9b")
    assert "still going on or was killed" in refusal(partial)


def test_a_word_that_is_none_of_those_is_named_with_its_place(run: Path) -> None:
    text = (run / "result.json").read_text()
    (run / "result.json").write_text(text.replace('"MiB/s"', '"MiB/h"'))
    said = refusal(run)
    assert said.startswith("/result.json: resolved[")
    assert said.endswith("].unit: `MiB/h`; expected IOPS, MiB/s or MB/s")
    before, key, totals = text.partition('"totals"')
    misspelt = totals.replace('"op": "read"', '"op": "raed"')
    (run / "result.json").write_text(f"{before}{key}{misspelt}")
    assert refusal(run) == (
        "/result.json: totals[0].op: `raed`; expected read, write, flush or trim"
    )


def test_every_mode_and_status_is_checked(run: Path) -> None:
    text = (run / "result.json").read_text()
    for key, value in (("mode", "simulate"), ("status", "complete")):
        (run / "result.json").write_text(text.replace(f'"{key}": "{value}"', f'"{key}": "other"'))
        assert refusal(run).startswith(f"/result.json: {key}: unknown variant `other`, expected")


def test_a_table_of_very_many_rows_is_not_read(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directory, "MOST_VALUES", 9)
    said = refusal(run)
    assert said == "/intervals.parquet: 10 values in column t_s; expected at most 9"


def test_a_table_has_no_more_rows_than_its_run_can_have(run: Path) -> None:
    """Few bytes of a Parquet file stand for any number of equal rows."""
    table = pq.read_table(run / "intervals.parquet")
    many = pa.concat_tables([table.slice(0, 1)] * 10_003)
    pq.write_table(many, run / "intervals.parquet")
    assert refusal(run) == (
        "/intervals.parquet: 10,003 rows; expected at most 10,002 of a run as long as result.json "
        "says"
    )


def test_a_row_of_very_many_entries_is_not_read(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [("a limit", 1.0)] * 1_000
    row = {"t_s": 0.0, "volume": "v", "ios": 1, "bytes": 1, "throttled_us": entries, "limits": []}
    pq.write_table(pa.Table.from_pylist([row], VOLUMES), run / "volumes.parquet")
    monkeypatch.setattr(directory, "MOST_VALUES", 999)
    assert "/volumes.parquet: 1,000 values in column throttled_us.key_value.key" in refusal(run)


@pytest.mark.parametrize(
    "command",
    [["simulate", "/dev/zero"], ["import", "fio", "/dev/zero"], ["export", "fio", "/dev/zero"]],
    ids=lambda command: command[0],
)
def test_what_has_no_end_is_not_read_to_it(blockyard: Blockyard, command: list[str]) -> None:
    finished = blockyard(*command)
    assert finished.returncode == 2
    expected = "blockyard: /dev/zero: more than 4 MiB; expected a file of at most that"
    assert one_line(finished) == expected


def test_files_of_other_programs_are_bounded_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MADE", 1_000)
    path = tmp_path / "fio.json"
    path.write_text(json.dumps({"fio version": "fio-3.33", "jobs": ["x" * 1_000]}))
    assert "more than 0 MiB" in refusal(path)


def test_a_scenario_may_come_by_a_pipe() -> None:
    finished = subprocess.run(
        [sys.executable, "-m", "blockyard", "simulate", "/dev/stdin", "--show"],
        input=GP3,
        capture_output=True,
        text=True,
        check=True,
    )
    assert finished.stdout.startswith("name: gp3")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"\x1f\x8b\x08\x00", "packed by gzip, and damaged or cut off"),
        (
            b"a: (g=0): rw=randread, bs=(R) 4096B-4096B\nfio-3.33\n",
            "fio's text without a job that ended; it was cut off",
        ),
        (b"3;fio-3.33;a;0;0;4096", "fio's terse output; use `--output-format=json+`"),
        (b"procs -----------memory---------- ---swap--\n", "vmstat's report, which counts blocks"),
        (b"Linux 6.1.0 (h) \t01/02/26\n\n10:00:01  CPU  %user\n", "a report without disks; record"),
        (b'{"MetricDataResults": []}', "CloudWatch's figures; `blockyard import aws` reads it"),
        (
            b'{"Volumes": [{"VolumeId": "v"}]}',
            "AWS's description of what there is; `blockyard import",
        ),
        (
            b"# HELP go_threads\n",
            "an exporter's metrics without node_disk_* and aws_ebs_csi_*; expected ",
        ),
        (
            b"transaction type: <builtin: TPC-B>\n",
            "pgbench's report without its end; it was cut off",
        ),
        (b"sysbench 1.0.20 (using LuaJIT)\n", "a report of sysbench without transactions"),
        (b"<html>SystemPerformance", "a report of SystemPerformance without iostat, sar -d or"),
        (b"name: a\nstorage:\n  d: {}\nworkload:\n", "a scenario; simulate it first"),
        (b"anything else\n", "a file that is neither a run directory (with result.json)"),
    ],
)
def test_a_file_of_another_program_is_named(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "given"
    path.write_bytes(content)
    assert refusal(path).startswith(f": {says}")
