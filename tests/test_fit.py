"""`blockyard fit`: a profile and limits from what was measured."""

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

import blockyard as by
from blockyard.types.fit import Figure, Fitted
from conftest import Blockyard, one_line
from serving import serve

QUANTILES = {"min": 300, "p50": 600, "p90": 800, "p99": 1500, "p99_9": 3000, "max": 9000}
PROFILE = {
    "read": {name: f"{us}us" for name, us in QUANTILES.items()},
    "write": {name: f"{2 * us}us" for name, us in QUANTILES.items()},
    "base_size": "8KiB",
    "per_kib": {"read": "2us", "write": "3us"},
}


def scenario(**more: Any) -> dict[str, Any]:
    """Reads by one process, then by many, on a volume with a profile of its own."""
    load = {"kind": "ranread", "on": "data", "file_size": "1GiB", "processes": [1, 1, 1, 16]}
    return {
        "name": "measured",
        "duration": "40s",
        "interval": "100ms",
        "storage": {"data": {"type": "gp3", "size": "100GiB", "latency": PROFILE}},
        "workload": {"readers": load},
        **more,
    }


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that recorded its IOs, and the same run without the record."""
    folder = tmp_path_factory.mktemp("fit")
    (folder / "measured.yaml").write_text(json.dumps(scenario()))
    by.simulate(folder / "measured.yaml", out=folder / "intervals")
    return folder


def figure(figures: Fitted, name: str) -> Figure:
    return next(row["figure"] for row in figures["read"] if row["name"] == name)


def is_the_profile(figures: Fitted) -> None:
    for name in ("p50", "p90", "p99"):
        found = figure(figures, name)
        assert found["verdict"] == "measured"
        # The sample's own error, and half a bucket.
        assert (found["low"] or 0) * 0.99 <= QUANTILES[name] * 1000 <= (found["high"] or 0) * 1.01
    assert figure(figures, "max")["verdict"] == "bounded"
    assert {row["figure"]["verdict"] for row in figures["write"]} == {"kept"}
    assert figures["slow_state"] is None
    (limit,) = figures["limits"]
    assert limit["counts"] == "either"
    assert limit["rate"]["value"] == pytest.approx(3000, rel=0.01)


def test_intervals_give_the_profile_back(made: Path) -> None:
    fitted = by.fit(made / "intervals")
    is_the_profile(fitted.figures)
    # Intervals of 0.1 s are a tenth of the depth.
    depth = fitted.figures["limits"][0]["depth"]
    assert depth["verdict"] == "bounded"
    assert (depth["low"] or 0) <= 3000 <= (depth["high"] or 0)
    assert "was simulated: its profile is a model's own" in fitted.notes[0]


@pytest.mark.slow
def test_records_give_the_profile_back_with_its_depth(blockyard: Blockyard, made: Path) -> None:
    out = made / "records"
    assert not blockyard("simulate", made / "measured.yaml", "--io-log", "--out", out).returncode
    fitted = by.fit(out)
    is_the_profile(fitted.figures)
    depth = fitted.figures["limits"][0]["depth"]
    assert depth["verdict"] == "measured"
    assert depth["value"] == pytest.approx(3000, rel=0.05)
    alone = by.fit(out / "ios.csv")
    assert alone.figures == fitted.figures
    assert alone.notes == []


@pytest.mark.slow
def test_a_fitted_profile_is_read_by_scenarios(blockyard: Blockyard, made: Path) -> None:
    done = blockyard("fit", made / "intervals", "-o", made / "mine.yaml")
    assert done.returncode == 0, done.stderr
    assert "write" in done.stdout
    # Paths are as long as they are.
    lines = [line for line in done.stdout.splitlines() if str(made) not in line]
    assert max(map(len, lines)) <= 90
    again = scenario()
    again["storage"]["data"]["latency"] = str(made / "mine.yaml")
    by.simulate(again, out=made / "again")
    rows = by.compare(by.load(made / "intervals"), by.load(made / "again"))["rows"]
    change = {row["figure"]: row["changes"][0] for row in rows}
    for name in ("iops", "latency.mean", "latency.p50"):
        found = change[name]
        assert found is not None
        assert abs(found["relative"]) < 0.02, name


def test_one_volume_tells_the_factor_of_its_host(blockyard: Blockyard, tmp_path: Path) -> None:
    told = scenario(host={"instance": "r5b.8xlarge", "latency_factor": 1.16})
    told["storage"]["data"].pop("latency")
    (tmp_path / "measured.yaml").write_text(json.dumps(told))
    by.simulate(tmp_path / "measured.yaml", out=tmp_path / "run")
    host = by.fit(tmp_path / "run").figures["family"]["host"]
    assert (host["low"] or 0) < 1.16 < (host["high"] or 0) < 1.25
    said = blockyard("fit", "run", "--family").stdout.splitlines()
    assert [line.split()[0] for line in said[1:4]] == ["reads", "writes", "latency_factor"]
    assert f"--set host.latency_factor={host['value']:.3f}" in said[-1]
    refused = blockyard("fit", "run", "--family", "-o", "mine.yaml")
    assert "--family: makes no profile; expected it without --out" in one_line(refused)
    assert not (tmp_path / "mine.yaml").exists()


def test_sizes_give_the_slope(tmp_path: Path) -> None:
    sizes = {}
    for kib in (8, 64):
        load: dict[str, Any] = {"pattern": {"size": f"{kib}KiB", "read": "50%", "random": "100%"}}
        load |= {"kind": "access_spec", "on": "data", "file_size": "1GiB", "processes": 1}
        asked = scenario(duration="10s", workload={"load": load})
        by.simulate(asked, out=tmp_path / f"{kib}")
        sizes[kib] = tmp_path / f"{kib}"
    fitted = by.fit(*sizes.values()).figures
    assert fitted["base_size"]["value"] == 8192
    for op, nanos in (("read", 2000), ("write", 3000)):
        slope = fitted["per_kib"][op]  # type: ignore[literal-required]
        assert slope["verdict"] == "measured"
        assert slope["low"] <= nanos <= slope["high"]


def fio_json(path: Path, **latency: Any) -> Path:
    """What fio writes of 20,000 reads of 4 KiB."""
    read = {"total_ios": 20_000, "io_bytes": 20_000 * 4096, "runtime": 20_000}
    if latency:
        read["lat_ns"] = {"N": 20_000, "mean": 1e6, "max": 4e6, **latency}  # type: ignore[assignment]
    job = {"jobname": "readers", "error": 0, "read": read}
    document = {"fio version": "fio-3.33", "timestamp_ms": 1_700_000_000_000, "jobs": [job]}
    path.write_text(json.dumps(document))
    return path


PERCENTILES = {"50.000000": 800_000, "95.000000": 1_500_000, "99.000000": 2_500_000}


def test_fio_json_with_bins(tmp_path: Path) -> None:
    bins = {str(ns): 100 for ns in range(500_000, 2_500_000, 10_000)}
    file = fio_json(tmp_path / "fio.json", bins=bins, percentile=PERCENTILES)
    fitted = by.fit(file)
    p50 = figure(fitted.figures, "p50")
    assert (p50["low"] or 0) <= 1_500_000 <= (p50["high"] or 0)
    assert p50["verdict"] == "measured"
    assert "has no intervals" in fitted.notes[0]


def test_fio_json_with_percentiles_alone(tmp_path: Path) -> None:
    percentiles = PERCENTILES | {"99.900000": 3_000_000}
    fitted = by.fit(fio_json(tmp_path / "fio.json", percentile=percentiles)).figures
    p95 = figure(fitted, "p95")
    assert p95["verdict"] == "measured"
    assert p95["low"] == pytest.approx(800_000, rel=0.02)
    assert p95["high"] == pytest.approx(2_500_000, rel=0.02)
    assert figure(fitted, "p90")["verdict"] == "bounded"
    values = [row["figure"]["value"] or 0 for row in fitted["read"]]
    assert values == sorted(values)


# As fio prints them by default, with the least latency and the largest, in nanoseconds.
LEVELS = {
    **{f"{level}.000000": 400_000 + 4_000 * level for level in (1, 5, *range(10, 95, 10), 95)},
    "99.000000": 1_100_000,
    "99.500000": 1_400_000,
    "99.900000": 2_000_000,
    "99.950000": 2_600_000,
    "99.990000": 3_500_000,
}


@pytest.mark.parametrize("ios", [624_452, 100_000, 99_999])
def test_fios_percentiles_come_back_at_their_own_levels(tmp_path: Path, ios: int) -> None:
    file = fio_json(tmp_path / "fio.json", min=390_000, percentile=LEVELS)
    document = json.loads(file.read_text())
    read = document["jobs"][0]["read"]
    read |= {"total_ios": ios, "io_bytes": ios * 8192}
    read["lat_ns"]["N"] = ios
    file.write_text(json.dumps(document))
    fitted = by.fit(file)
    names = ("p1", "p5", "p10", "p50", "p90", "p95", "p99", "p99_9")
    for name in names:
        level = f"{float(name[1:].replace('_', '.')):.6f}"
        assert figure(fitted.figures, name)["verdict"] == "measured", name
        assert figure(fitted.figures, name)["value"] == LEVELS[level], name
    assert figure(fitted.figures, "min")["value"] == 390_000
    (tmp_path / "mine.yaml").write_text(fitted.yaml())
    volume = {"type": "gp3", "size": "100GiB", "latency": str(tmp_path / "mine.yaml")}
    load = {"kind": "ranread", "on": "data", "file_size": "1GiB", "rate": "1000/s"}
    again = scenario(storage={"data": volume}, workload={"readers": load}, interval="1s")
    us = by.simulate(again).result["totals"][0]["latency_us"]
    assert us is not None
    for name in ("p50", "p95", "p99"):
        level = f"{float(name[1:]):.6f}"
        assert us[name] * 1000 == pytest.approx(LEVELS[level], rel=0.06), name  # type: ignore[literal-required]


def test_equal_percentiles_keep_their_levels(tmp_path: Path) -> None:
    flat = dict.fromkeys(LEVELS, 800_000)
    fitted = by.fit(fio_json(tmp_path / "fio.json", min=700_000, percentile=flat)).figures
    for name in ("p5", "p50", "p99"):
        assert figure(fitted, name)["value"] == pytest.approx(800_000, abs=20), name
        assert figure(fitted, name)["verdict"] == "measured"


def test_fio_logs_of_each_io(tmp_path: Path) -> None:
    draw = random.Random(5)
    latencies = [draw.randint(300_000, 900_000) for _ in range(5_000)]
    at, text = 0, ""
    for latency in latencies:
        at += latency
        text += f"{at // 1_000_000}, {latency}, 0, 4096, 0\n"
    (tmp_path / "readers_lat.1.log").write_text(text)
    p50 = figure(by.fit(tmp_path).figures, "p50")
    assert (p50["low"] or 0) <= 600_000 <= (p50["high"] or 0)


IOS = "issued_ns,due_ns,job,slot,device,op,offset,bytes,completed_ns\n"


def test_a_flush_request_is_no_write(tmp_path: Path) -> None:
    """A database's: each write of data and an empty one, which only asks for a flush."""
    lines = []
    for number in range(1500):
        at = number * 2_000_000
        lines.append(f"{at},{at},db,1,data,write,{number * 8192},8192,{at + 700_000}\n")
        lines.append(f"{at + 710_000},{at + 710_000},db,1,data,write,0,0,{at + 748_000}\n")
    (tmp_path / "ios.csv").write_text(IOS + "".join(lines))
    fitted = by.fit(tmp_path / "ios.csv").figures
    assert fitted["base_size"]["value"] == 8192
    p50 = next(row["figure"] for row in fitted["write"] if row["name"] == "p50")
    assert (p50["value"], p50["ios"]) == (700_000, 1500)


def test_sums_of_an_interval_do_not_tell_flush_requests_from_writes(tmp_path: Path) -> None:
    lines = []
    for number in range(600):
        at, place = 5.0 + number * 0.002, f"{number * 16} + 16"
        op = "WS" if number % 2 else "R"
        for after, event in (
            (0, f"block_io_start: 8,0 {op} 8192 () {place}"),
            (700, f"block_rq_complete: 8,0 {op} () {place}"),
            (710, "block_io_start: 8,0 FWS 0 () 0 + 0"),
            (720, "block_rq_issue: 8,0 FF 0 () 0 + 0"),
            (750, "block_rq_complete: 8,0 FF () 0 + 0"),
            (760, "block_rq_complete: 8,0 WS () 0 + 0"),
        ):
            lines.append(f"db-7 [001] ..... {at + after / 1e6:.6f}: {event} be,0,4 [0]\n")
    (tmp_path / "trace.txt").write_text("".join(lines))
    by.import_trace(tmp_path / "trace.txt", out=tmp_path / "run")
    alone = by.fit(tmp_path / "run")
    p50 = {row["name"]: row["figure"] for row in alone.figures["write"]}["p50"]
    assert (p50["value"], p50["ios"]) == (700_000, 300)
    # As of an observation without --io-log.
    (tmp_path / "run/ios.csv").unlink()
    fitted = by.fit(tmp_path / "run")
    assert any("flush requests among them" in note for note in fitted.notes)
    assert {row["figure"]["verdict"] for row in fitted.figures["write"]} == {"kept"}


def test_lost_events_are_said_and_what_went_on_is_left_out(tmp_path: Path) -> None:
    lines = []
    for number in range(600):
        at = 5.0 + number * 0.002
        place = f"{number * 16} + 16 be,0,4"
        lines.append(f"db-7 [001] ..... {at:.6f}: block_io_start: 8,0 R 8192 () {place} [db]\n")
        end = f"{at + 0.0007:.6f}: block_rq_complete: 8,0 R () {place} [0]\n"
        lines.append(f"<idle>-0 [001] ..... {end}")
        if number == 300:
            lines.append("CPU:1 [LOST 17 EVENTS]\n")
    (tmp_path / "trace.txt").write_text("".join(lines))
    run = by.import_trace(tmp_path / "trace.txt", out=tmp_path / "run")
    said = "17 events were lost between 0.600700 s and 0.602000 s: what went on then is missing"
    assert said in run.result["notices"]
    fitted = by.fit(tmp_path / "run")
    (note,) = (note for note in fitted.notes if "lost" in note)
    assert "run lost 17 events between 0.601 s and 0.602 s" in note
    assert fitted.figures["used"] == 600


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (IOS, "ios.csv: no read or write in it"),
        (IOS + "0,0,a,0,data,read,0,4096,90\n", "at least 100"),
        (IOS + "9,9,a,0,data,read,0,4096,3\n", "completed before it was issued"),
        (IOS + "x,9,a,0,data,read,0,4096,3\n", "expected an ios.csv"),
        (IOS.replace(",completed_ns", ""), "with the column completed_ns"),
        (
            IOS + "0,0,a,0,data,read,0,4096,90\n0,0,a,0,wij,read,0,4096,90\n",
            "IO on several devices: data (",
        ),
    ],
)
def test_a_bad_record_is_one_line(
    blockyard: Blockyard, tmp_path: Path, content: str, message: str
) -> None:
    file = tmp_path / "ios.csv"
    file.write_text(content)
    assert message in one_line(blockyard("fit", file))


def test_bad_input_is_one_line(blockyard: Blockyard, tmp_path: Path, made: Path) -> None:
    file = fio_json(tmp_path / "fio.json")
    assert "no histograms or percentiles of latencies" in one_line(blockyard("fit", file))
    run = made / "intervals"
    assert "no latency profile is called `gp9`" in one_line(blockyard("fit", run, "--like", "gp9"))
    assert "--device: `wij`; expected data" in one_line(blockyard("fit", run, "--device", "wij"))
    other = fio_json(tmp_path / "other.json", percentile=PERCENTILES | {"99.900000": 3_000_000})
    text = json.loads(other.read_text())
    text["jobs"][0]["job options"] = {"filename": "/dev/nvme1n1"}
    other.write_text(json.dumps(text))
    assert "IO on several devices: data (" in one_line(blockyard("fit", run, other))


@pytest.mark.slow
@pytest.mark.realtime
@pytest.mark.skipif(not os.access("/dev/fuse", os.R_OK | os.W_OK), reason="no FUSE here")
def test_an_emulated_profile_comes_back(blockyard: Blockyard, tmp_path: Path) -> None:
    slow = {name: f"{us * 5}us" for name, us in QUANTILES.items()}
    volume = {"type": "gp3", "size": "1GiB", "latency": PROFILE | {"read": slow}}
    emulated = json.dumps({"name": "emulated", "storage": {"data": volume}})
    load = scenario(duration="12s", storage={"data": {"type": "unlimited", "size": "1GiB"}})
    load["workload"]["readers"] |= {"file_size": "64MiB", "processes": [2, 64]}
    (tmp_path / "load.yaml").write_text(json.dumps(load))
    (tmp_path / "disks").mkdir()
    with serve(emulated, "--as", f"fuse={tmp_path / 'disks'}", folder=tmp_path) as served:
        on = f"data={served.paths['data']}"
        out = tmp_path / "bench"
        done = blockyard("bench", tmp_path / "load.yaml", "--map", on, "--io-log", "--out", out)
        assert done.returncode == 0, done.stderr
        served.stop()
    served.skip_if_late()
    fitted = by.fit(out)
    assert fitted.notes == []
    (limit,) = fitted.figures["limits"]
    assert limit["rate"]["value"] == pytest.approx(3000, rel=0.01)
    assert (limit["depth"]["low"] or 0) <= 3000 * 1.02
    assert limit["depth"]["high"] is None or limit["depth"]["high"] >= 3000 * 0.98
    for name in ("p50", "p90", "p95"):
        found = figure(fitted.figures, name)
        nanos = 5e3 * (QUANTILES[name] if name != "p95" else 800 + 700 * 5 / 9)
        # FUSE, the bench and other work of this machine add to each IO.
        assert (found["low"] or 0) <= 1.25 * nanos + 300_000, name
        assert (found["high"] or 0) >= nanos - 100_000, name
