"""fio 3's output read as runs; fio's own figures and log lines are the oracle."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest

from blockyard.formats import foreign
from blockyard.formats.foreign import ForeignError
from foreign_runs import load, total

pytestmark = pytest.mark.slow

needs_fio = pytest.mark.skipif(not shutil.which("fio"), reason="fio is not installed")

LOAD = (
    *("--name=readers", "--filename=data", "--size=8M", "--rw=randrw", "--bs=4k"),
    *("--ioengine=psync", "--rate_iops=300", "--runtime=2", "--time_based", "--fsync=16"),
)


def fio(folder: Path, *arguments: str) -> None:
    done = subprocess.run(
        ["fio", *arguments], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    assert "error=Invalid" not in done.stderr, done.stderr


def documents(path: Path) -> list[dict[str, Any]]:
    """The documents of a file, by an independent decoder."""
    pieces = path.read_text().split('{\n  "fio version"')[1:]
    return [json.loads('{"fio version"' + piece) for piece in pieces]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    fio(
        folder,
        *LOAD,
        "--numjobs=2",
        "--group_reporting",
        "--lat_percentiles=1",
        "--status-interval=1",
        "--output-format=json+",
        "--output=whole.json",
    )
    return folder / "whole.json"


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    fio(
        folder,
        *LOAD,
        *("--numjobs=2", "--log_hist_msec=500", "--write_hist_log=readers"),
        *("--write_lat_log=readers", "--write_bw_log=readers", "--write_iops_log=readers"),
    )
    return folder


@pytest.fixture(scope="module")
def means(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("means")
    fio(
        folder,
        *LOAD,
        *("--runtime=4", "--log_avg_msec=500"),
        *("--write_lat_log=readers", "--write_bw_log=readers", "--write_iops_log=readers"),
        *("--output-format=json", "--output=../means.json"),
    )
    return folder


@needs_fio
def test_totals_are_those_of_the_last_document(whole: Path) -> None:
    run, job = load(whole), documents(whole)[-1]["jobs"][0]
    assert run.result["mode"] == "fio"
    assert run.result["status"] == "complete"
    assert {total["op"] for total in run.result["totals"]} == {"read", "write", "flush"}
    for op in ("read", "write"):
        found, fio_s = total(run, op), job[op]
        assert (found["job"], found["device"]) == ("readers", "data")
        assert (found["ios"], found["bytes"]) == (fio_s["total_ios"], fio_s["io_bytes"])
        assert found["iops"] == pytest.approx(fio_s["iops"], rel=1e-6)
        latency = found["latency_us"]
        assert latency
        assert latency["mean"] == pytest.approx(fio_s["lat_ns"]["mean"] / 1000)
        assert latency["max"] == fio_s["lat_ns"]["max"] / 1000
        p50 = fio_s["lat_ns"]["percentile"]["50.000000"] / 1000
        assert latency["p50"] == pytest.approx(p50, rel=0.02)
    assert total(run, "flush")["ios"] == job["sync"]["total_ios"]


@needs_fio
def test_documents_of_a_status_interval_are_intervals(whole: Path) -> None:
    run = load(whole)
    assert len(documents(whole)) > 1
    starts = run.intervals["t_s"].to_pylist()
    assert starts == sorted(starts)
    for op in ("read", "write", "flush"):
        rows = run.intervals.filter(pc.equal(run.intervals["op"], op))
        assert len(rows) >= 2
        assert sum(rows["ios"].to_pylist()) == total(run, op)["ios"]
        merged = run.latencies.merged([f"readers.data.{op}"])
        assert merged.count == total(run, op)["ios"]


@needs_fio
def test_one_document_without_bins_has_percentiles_and_no_times(means: Path) -> None:
    path = means.parent / "means.json"
    path.write_text("fio: a warning before the JSON\n" + path.read_text())
    run, job = load(path), documents(path)[-1]["jobs"][0]
    assert len(run.intervals) == 0
    assert run.latencies.tags == []
    latency = total(run, "read")["latency_us"]
    assert latency
    assert latency["p99"] == job["read"]["clat_ns"]["percentile"]["99.000000"] / 1000
    assert "completion latencies" in (run.result["machine"] or {"engine": ""})["engine"]


@needs_fio
def test_processes_of_a_job_are_one(tmp_path: Path) -> None:
    arguments = ["--name=a", "--ioengine=null", "--size=1M", "--rw=read", "--numjobs=2"]
    for form in ("json", "json+"):
        fio(tmp_path, *arguments, f"--output-format={form}", f"--output={form}")
    merged = load(tmp_path / "json+")
    for run in (load(tmp_path / "json"), merged):
        assert [(total["job"], total["ios"]) for total in run.result["totals"]] == [("a", 512)]
    assert merged.latencies.merged(["a.storage.read"]).count == 512


@needs_fio
def test_jobs_of_one_name_in_groups_of_their_own_are_numbered(tmp_path: Path) -> None:
    (tmp_path / "job.fio").write_text("[global]\nioengine=null\nsize=1m\n[a]\n[a]\nstonewall\n")
    fio(tmp_path, "job.fio", "--output=out.json", "--output-format=json")
    totals = load(tmp_path / "out.json").result["totals"]
    assert [(total["job"], total["ios"]) for total in totals] == [("a 1", 256), ("a 2", 256)]


@needs_fio
def test_a_file_of_global_is_the_device(tmp_path: Path) -> None:
    text = "[global]\nfilename=data\nsize=1m\nioengine=psync\n[a]\nrw=write\n[b]\nfilename=own\n"
    (tmp_path / "job.fio").write_text(text)
    fio(tmp_path, "job.fio", "--output=out.json", "--output-format=json")
    totals = load(tmp_path / "out.json").result["totals"]
    assert [(total["job"], total["device"]) for total in totals] == [("a", "data"), ("b", "own")]


@needs_fio
def test_directions_reported_as_one_are_read_where_there_is_one(tmp_path: Path) -> None:
    common = ["--name=a", "--size=1m", "--ioengine=psync", "--unified_rw_reporting=1"]
    written = ["--output=out.json", "--output-format=json"]
    fio(tmp_path, *common, *written, "--rw=randwrite")
    [only] = load(tmp_path / "out.json").result["totals"]
    assert (only["op"], only["ios"]) == ("write", 256)
    assert only["latency_us"]
    fio(tmp_path, *common, *written, "--rw=randrw")
    with pytest.raises(ForeignError, match="reads and writes of rw=randrw as one"):
        load(tmp_path / "out.json")


def test_a_run_with_errors_failed(tmp_path: Path) -> None:
    arguments = ("--name=a", "--filename=data", "--size=1M", "--rw=write", "--output=a.json")
    fio(tmp_path, *arguments, "--output-format=json")
    document = json.loads((tmp_path / "a.json").read_text())
    document["jobs"][0]["error"] = 28
    (tmp_path / "a.json").write_text(json.dumps(document))
    run = load(tmp_path / "a.json")
    assert run.result["status"] == "failed"
    assert run.result["reason"] == "a: error 28 (No space left on device)"
    document["jobs"][0]["write"]["total_ios"] = 0
    (tmp_path / "a.json").write_text(json.dumps(document))
    with pytest.raises(ForeignError, match="no IO in it: a: error 28"):
        foreign.read(tmp_path / "a.json")


def lines(folder: Path, kind: str, process: str = "?") -> list[list[int]]:
    logs = sorted(folder.glob(f"*_{kind}.{process}.log"))
    text = "".join(log.read_text() for log in logs)
    return [[int(field) for field in line.split(",")] for line in text.splitlines()]


@needs_fio
def test_logs_of_each_io_are_counted_exactly(logs: Path) -> None:
    run = load(logs)
    for op, direction in (("read", 0), ("write", 1)):
        ours = [line for line in lines(logs, "lat") if line[2] == direction]
        found, latency = total(run, op), total(run, op)["latency_us"]
        assert (found["ios"], found["bytes"]) == (len(ours), sum(line[3] for line in ours))
        values = sorted(line[1] / 1000 for line in ours)
        assert latency
        assert latency["max"] == values[-1]
        assert latency["p50"] == pytest.approx(values[len(values) // 2], rel=0.02)
        rows = run.intervals.filter(pc.equal(run.intervals["op"], op)).to_pylist()
        for row in rows:
            inside = [line[1] / 1000 for line in ours if line[0] // 1000 == row["t_s"]]
            assert row["ios"] == len(inside)
            if inside:
                assert row["latency_mean_us"] == pytest.approx(sum(inside) / len(inside))
                assert row["latency_max_us"] == max(inside)
                assert row["queue_depth"] == pytest.approx(sum(inside) / 1e6)


@needs_fio
def test_a_log_can_be_read_alone(logs: Path) -> None:
    run = load(logs / "readers_clat.1.log")
    assert run.name == "readers_clat.1"
    assert sum(total["ios"] for total in run.result["totals"]) == len(
        (logs / "readers_clat.1.log").read_text().splitlines()
    )


@needs_fio
def test_bandwidth_alone_counts_ios_without_latencies(logs: Path) -> None:
    run, exact = load(logs / "readers_bw.1.log"), load(logs / "readers_lat.1.log")
    for op in ("read", "write"):
        assert total(run, op)["ios"] == total(exact, op)["ios"]
        assert total(run, op)["latency_us"] is None


@needs_fio
def test_histogram_logs_hold_the_latencies_of_the_logs_beside_them(logs: Path) -> None:
    run = load(logs / "readers_clat_hist.1.log")
    windows = lines(logs, "clat_hist", "1")
    for op, direction in (("read", 0), ("write", 1)):
        ours = [line for line in lines(logs, "clat", "1") if line[2] == direction]
        values = sorted(line[1] / 1000 for line in ours)
        found = total(run, op)
        assert found["ios"] == sum(sum(it[3:]) for it in windows if it[1] == direction)
        # fio writes no window that has not ended, and ends windows late on a busy machine.
        assert len(values) / 3 < found["ios"] <= len(values)
        assert found["bytes"] == found["ios"] * 4096
        median = found["latency_us"] and found["latency_us"]["p50"]
        assert median
        assert values[len(values) // 4] * 0.99 <= median <= values[len(values) * 3 // 4] * 1.01


@needs_fio
def test_means_over_windows_come_to_the_same_ios(means: Path) -> None:
    run = load(means)
    job = documents(means.parent / "means.json")[-1]["jobs"][0]
    for op in ("read", "write"):
        found = total(run, op)
        # fio omits the last window.
        assert found["ios"] == pytest.approx(job[op]["total_ios"], rel=0.35)
        assert found["bytes"] == pytest.approx(4096 * found["ios"], rel=0.05)
        assert found["latency_us"] is None
        rows = run.intervals.filter(pc.equal(run.intervals["op"], op)).to_pylist()
        # On a busy machine an interval may have none.
        done = [row for row in rows if row["ios"]]
        weighed = sum(row["ios"] * row["latency_mean_us"] for row in done) / found["ios"]
        lines = (means / "readers_lat.1.log").read_text().splitlines()
        logged = [[int(field) for field in line.split(",")] for line in lines]
        ns = [line[1] for line in logged if line[2] == ("read", "write").index(op)]
        assert min(ns) / 1000 * 0.99 <= weighed <= max(ns) / 1000 * 1.01
    assert run.latencies.tags == []


def test_a_window_counts_by_its_ios(tmp_path: Path) -> None:
    # A window of 500 ms with 100 IOs a second of 2 ms, and one with 2 of 400 ms.
    (tmp_path / "a_iops.1.log").write_text("500, 100, 0, 0, 0\n1000, 2, 0, 0, 0\n")
    (tmp_path / "a_bw.1.log").write_text("500, 400, 0, 0, 0\n1000, 8, 0, 0, 0\n")
    (tmp_path / "a_lat.1.log").write_text("507, 2000000, 0, 0, 0\n1012, 400000000, 0, 0, 0\n")
    [row] = load(tmp_path).intervals.to_pylist()
    assert row["ios"] == 51
    assert row["latency_mean_us"] == pytest.approx((100 * 2_000 + 2 * 400_000) / 102)


@needs_fio
def test_times_since_1970_say_when_a_run_began(tmp_path: Path) -> None:
    log = tmp_path / "a_lat.log"
    log.write_text("1700000000000, 5000, 0, 4096, 0\n1700000001500, 7000, 0, 4096, 0\n")
    run = load(log)
    assert (run.result["machine"] or {"started": ""})["started"] == "2023-11-14T22:13:20Z"
    assert run.intervals["t_s"].to_pylist() == [0, 1]
    assert run.result["duration_s"] == 1.5


MEANS = "500, 100, 0, 0, 0\n1000, 120, 0, 0, 0\n"


@pytest.mark.parametrize(
    ("name", "text", "error"),
    [
        ("a_lat.1.log", "1, 2, 0, 4096, 0\n2, x, 0, 4096, 0\n", ":2: 'x'; expected a whole number"),
        ("a_lat.1.log", "1, 2, 0, 4096, 0\n2, 3\n", ":2: expected time, value, direction"),
        ("a_lat.1.log", "1, 2, 7, 4096\n", ":1: 7; expected a direction of 0 to 2"),
        ("a_lat.1.log", "hello\n", ": expected time, value, direction and block size"),
        ("a_lat.1.log", MEANS, "means of a, of how many IOs is not known; needs a_iops and a_bw"),
        ("log.txt", "1, 2, 0, 4096, 0\n", "no log of fio; expected the names that fio gives"),
        ("a_clat_hist.1.log", "1, 0, 4096, 1\n", ":1: 4 numbers; expected time, direction"),
        ("a.json", "", "empty"),
        ("a.json", '{"fio version": "fio-3.33",\n "jobs": [', ":2:11: the file ends within"),
        ("a.json", '{"fio version": "fio-3.33"}', ": no jobs"),
        ("a.json", '{"fio version": "fio-3.33", "jobs": 5}', "jobs: 5; expected a list"),
        (
            "a.json",
            '{"fio version": "fio-2.1", "jobs": [{"jobname": "a", "read": {"clat": {}}}]}',
            r"jobs\[0\].read: no runtime",
        ),
    ],
)
def test_what_is_not_as_fio_writes_it_is_named(
    tmp_path: Path, name: str, text: str, error: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ForeignError, match=error) as raised:
        foreign.read(tmp_path / name)
    assert str(raised.value).startswith(str(tmp_path / name))
    assert "\n" not in str(raised.value)
