"""fio's text, fio 2, several processes and short lists of percentiles; fio's JSON is the oracle."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockyard.formats import foreign
from blockyard.formats.foreign import ForeignError
from blockyard.formats.foreign.mixture import mixture
from conftest import Blockyard
from foreign_runs import load, total

needs_fio = pytest.mark.skipif(not shutil.which("fio"), reason="fio is not installed")

LOAD = (
    *("--name=readers", "--filename=data", "--size=4M", "--rw=randrw", "--bs=4k"),
    *("--ioengine=psync", "--rate_iops=500", "--runtime=1", "--time_based", "--fsync=16"),
)


def fio(folder: Path, *arguments: str) -> None:
    subprocess.run(["fio", *LOAD, *arguments], cwd=folder, timeout=60, check=True)


def a_unit(path: Path) -> float:
    """What rounding may add to a time of fio's text, which rounds percentiles up, in us."""
    units = re.findall(r"(?:lat|percentiles) \((\w)sec\):", path.read_text())
    return max({"n": 1e-3, "u": 1.0, "m": 1e3}[unit] for unit in units)


def job(path: Path) -> dict[str, Any]:
    text = path.read_text()
    [found] = json.loads(text[text.index("\n{") :])["jobs"]
    assert isinstance(found, dict)
    return found


@needs_fio
@pytest.mark.slow
def test_text_has_the_figures_of_the_json_beside_it(tmp_path: Path) -> None:
    fio(tmp_path, "--output-format=json,normal", "--output=both")
    text = (tmp_path / "both").read_text()
    end = text.rindex("\n}\n") + 3
    (tmp_path / "a.json").write_text(text[text.index("{\n") : end])
    (tmp_path / "a.txt").write_text(text[end:])
    of_json, of_text = load(tmp_path / "a.json"), load(tmp_path / "a.txt")
    assert [one["op"] for one in of_text.result["totals"]] == ["read", "write", "flush"]
    for op in ("read", "write", "flush"):
        ours, fio_s = total(of_text, op), total(of_json, op)
        assert (ours["job"], ours["ios"], ours["bytes"]) == (
            "readers",
            fio_s["ios"],
            fio_s["bytes"],
        )
        # fio prints whole nanoseconds, microseconds or milliseconds, as the times are long.
        assert ours["latency_us"] == pytest.approx(
            fio_s["latency_us"], rel=0.02, abs=a_unit(tmp_path / "a.txt")
        )
    tag = "readers.storage.read"
    assert len(of_text.percentiles[tag]) == 19


TEXT_2 = """\
test: (g=0): rw=randread, bs=4K-4K/4K-4K/4K-4K, ioengine=libaio, iodepth=1
fio-2.1.3
Starting 1 process

test: (groupid=0, jobs=1): err= 0: pid=7491: Wed Mar 23 19:50:22 2016
  read : io=3072.0MB, bw=42734KB/s, iops=10683, runt= 73612msec
    clat (usec): min=22, max=10732, avg=93.14, stdev=21.17
     lat (usec): min=22, max=10732, avg=93.16, stdev=21.17
    clat percentiles (usec):
     |  1.00th=[   86], 50.00th=[   93], 95.00th=[   99],
     | 99.00th=[  100], 99.50th=[  100], 99.90th=[  102], 99.99th=[  112]
     issued    : total=r=786432/w=0/d=0, short=r=0/w=0/d=0
"""


def test_text_of_fio_2(tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_text(TEXT_2)
    read = total(load(tmp_path / "old.txt"), "read")
    assert (read["ios"], read["bytes"]) == (786_432, 3072 << 20)
    assert read["iops"] == pytest.approx(10_683, rel=1e-3)
    figures = {"mean": 93.14, "p50": 93, "p95": 99, "p99": 100, "p99_9": 102, "max": 10_732}
    assert read["latency_us"] == pytest.approx(figures)


JSON_2 = {
    "fio version": "fio-2.14",
    "timestamp": 1_608_563_103,
    "jobs": [
        {
            "jobname": "old",
            "error": 0,
            "read": {"io_bytes": 0, "iops": 0.0, "runtime": 0, "total_ios": 0, "clat": {}},
            "write": {
                "io_bytes": 4096,
                "iops": 102.4,
                "runtime": 10_000,
                "total_ios": 1024,
                "clat": {
                    "min": 100,
                    "max": 900,
                    "mean": 250.5,
                    "stddev": 1.0,
                    "percentile": {
                        "50.000000": 200,
                        "95.000000": 400,
                        "99.000000": 600,
                        "99.900000": 800,
                        "0.00": 0,
                    },
                },
            },
        }
    ],
}


def test_json_of_fio_2_is_in_microseconds_and_kibibytes(tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text(json.dumps(JSON_2))
    run = load(tmp_path / "old.json")
    [write] = run.result["totals"]
    assert (write["op"], write["ios"], write["bytes"]) == ("write", 1024, 4 << 20)
    figures = {"mean": 250.5, "p50": 200, "p95": 400, "p99": 600, "p99_9": 800, "max": 900}
    assert write["latency_us"] == pytest.approx(figures)
    machine = run.result["machine"]
    assert machine
    assert machine["started"].startswith("2020-12-21")


@needs_fio
@pytest.mark.slow
def test_processes_of_a_job_are_one_whose_percentiles_are_those_of_all(tmp_path: Path) -> None:
    fio(tmp_path, "--numjobs=3", "--output-format=json+", "--output=bins.json")
    text = (tmp_path / "bins.json").read_text()
    document = json.loads(text[text.index("{\n") :])
    (tmp_path / "bins.json").write_text(json.dumps(document))
    for one in document["jobs"]:
        for counts in (one["read"], one["write"], one["sync"]):
            for latency in ("clat_ns", "lat_ns"):
                counts.get(latency, {}).pop("bins", None)
    (tmp_path / "plain.json").write_text(json.dumps(document))
    with_bins, plain = load(tmp_path / "bins.json"), load(tmp_path / "plain.json")
    for op in ("read", "write"):
        exact, ours = total(with_bins, op)["latency_us"], total(plain, op)["latency_us"]
        assert total(plain, op)["ios"] == total(with_bins, op)["ios"]
        assert exact
        assert ours
        assert ours["mean"] == pytest.approx(exact["mean"])
        assert ours["max"] == exact["max"]
        assert ours["p50"] == pytest.approx(exact["p50"], rel=0.15)
    assert any("interpolated from those of 3 processes" in one for one in plain.result["notices"])
    assert not with_bins.result["notices"]


FIGURES = st.lists(st.floats(1, 1e6), min_size=5, max_size=5).map(sorted)


@given(st.lists(st.tuples(st.integers(1, 1000), FIGURES), min_size=1, max_size=4))
def test_a_mixture_lies_between_its_parts(parts: list[tuple[int, list[float]]]) -> None:
    shares = [0.0, 0.5, 0.9, 0.99, 1.0]
    mixed = mixture([(count, list(zip(shares, us, strict=True))) for count, us in parts])
    assert [share for share, _ in mixed] == shares
    values = [us for _, us in mixed]
    assert values == pytest.approx(sorted(values))
    for at, us in enumerate(values):
        of_parts = [figures[at] for _, figures in parts]
        assert min(of_parts) * (1 - 1e-9) <= us <= max(of_parts) * (1 + 1e-9)


def test_parts_that_agree_give_their_own_percentiles() -> None:
    part = [(0.0, 10.0), (0.5, 20.0), (0.99, 400.0), (1.0, 1000.0)]
    mixed = mixture([(5, part), (900, part)])
    assert [share for share, _ in mixed] == [share for share, _ in part]
    assert [us for _, us in mixed] == pytest.approx([us for _, us in part])
    assert mixture([(5, part), (900, part[1:])]) == []


@needs_fio
@pytest.mark.slow
def test_a_short_list_of_percentiles_keeps_the_mean_and_what_is_there(
    blockyard: Blockyard, tmp_path: Path
) -> None:
    fio(tmp_path, "--percentile_list=90:99", "--output-format=json", "--output=a.json")
    run = load(tmp_path / "a.json")
    assert total(run, "read")["latency_us"] is None
    [mean] = [row["latency_mean_us"] for row in run.intervals.to_pylist() if row["op"] == "read"]
    assert mean > 0
    done = blockyard("compare", "a.json", "a.json", "--fail-if", "readers.read.latency.p99 < 1s")
    assert "readers.read.latency.p99" in done.stdout
    assert (done.returncode, "fails: readers.read.latency.p99 < 1s" in done.stdout) == (1, True)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (TEXT_2 * 2, "the output of 2 runs of fio; expected one"),
        (TEXT_2[:120], "fio's text without a job that ended; it was cut off"),
        (TEXT_2.split("  read")[0], "no IO in it"),
        (TEXT_2.replace("3072.0MB", "30XB"), r":6: '30XB'; expected a size such as 97.7MiB"),
    ],
)
def test_text_that_is_not_whole_is_named(tmp_path: Path, text: str, error: str) -> None:
    (tmp_path / "a.txt").write_text(text)
    with pytest.raises(ForeignError, match=error):
        foreign.read(tmp_path / "a.txt")


def test_a_failed_job_has_its_error_and_what_it_did(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT_2.replace("err= 0", "err= 5 (file:io_u.c:1)"))
    run = load(tmp_path / "a.txt")
    assert run.result["status"] == "failed"
    assert run.result["reason"] == "test: error 5 (Input/output error)"
    assert total(run, "read")["ios"] == 786_432


def test_clients_are_one_job_and_their_total_counts_once(tmp_path: Path) -> None:
    latency = {"N": 50, "mean": 2e5, "min": 1e5, "max": 9e5, "percentile": {}}
    latency["percentile"] = {"50.0": 2e5, "95.0": 3e5, "99.0": 4e5, "99.9": 5e5}
    counts = {"total_ios": 50, "io_bytes": 204_800, "runtime": 1000, "clat_ns": latency}
    clients = [
        {"jobname": name, "groupid": 0, "error": 0, "hostname": host, "read": counts}
        for name, host in (("a", "db1"), ("a", "db2"), ("All clients", ""))
    ]
    document = {"fio version": "fio-3.33", "client_stats": clients}
    (tmp_path / "clients.json").write_text(json.dumps(document))
    [read] = load(tmp_path / "clients.json").result["totals"]
    assert (read["job"], read["ios"], read["iops"]) == ("a", 100, 100)
    figures = {"mean": 200, "p50": 200, "p95": 300, "p99": 400, "p99_9": 500, "max": 900}
    assert read["latency_us"] == pytest.approx(figures)
