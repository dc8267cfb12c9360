"""Sweeps: which runs there are, the same bytes whoever runs them, and what is kept."""

import json
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest
import yaml

import blockyard as by
from blockyard.sweeps import directory, making, store, words
from blockyard.sweeps.engines import Done, Rows, carry_out
from blockyard.sweeps.engines.on_threads import Threads
from conftest import PATIENCE_S, Blockyard, one_line

BASE = {
    "name": "one",
    "duration": "2s",
    "storage": {"data": {"type": "gp3", "size": "100GiB"}},
    "workload": {
        "readers": {"kind": "ranread", "on": "data", "file_size": "10GiB", "processes": 2}
    },
}
AXES: dict[str, object] = {
    "storage.data.iops": {"from": 3000, "to": 5000, "step": 1000},
    "workload.readers.processes": [1, 2, 4],
}
SWEEP: dict[str, object] = {
    "name": "iops",
    "base": "one.yaml",
    "axes": AXES,
    "seeds": 2,
    "goals": ["p99 < 2ms"],
}


@pytest.fixture
def sweep(tmp_path: Path) -> Path:
    (tmp_path / "one.yaml").write_text(json.dumps(BASE))
    return written(tmp_path, {})


def written(folder: Path, more: dict[str, object]) -> Path:
    path = folder / "sweep.yaml"
    path.write_text(yaml.safe_dump(SWEEP | more, sort_keys=False))
    return path


def tables(made: Path) -> list[bytes]:
    return [(made / name).read_bytes() for name in (directory.RUNS, directory.LATENCIES)]


def test_a_run_of_a_sweep_is_the_run_that_simulate_makes(
    blockyard: Blockyard, sweep: Path, tmp_path: Path
) -> None:
    finished = blockyard("sweep", sweep, "--out", "found")
    assert finished.returncode == 0, finished.stderr
    assert "18 runs: 9 combinations with 2 seeds each" in finished.stderr
    assert "workload.readers.processes decides readers.latency.p99" in finished.stdout
    found = by.Sweep(tmp_path / "found", by.sweep(sweep).about)
    rows = found.runs.to_pylist()
    assert [row["run"] for row in rows] == list(range(18))
    assert [row["seed"] for row in rows[:4]] == [1, 2, 1, 2]
    row = rows[9]
    sets = {name: row[name] for name in AXES} | {"seed": row["seed"]}
    run = by.simulate(tmp_path / "one.yaml", {**sets, "goals": ["readers.latency.p99 < 2ms"]})
    (total,) = run.result["totals"]
    assert total["latency_us"] is not None
    assert row["readers.latency.p99_us"] == pytest.approx(total["latency_us"]["p99"])
    assert row["readers.iops"] == total["iops"]
    assert row["goals_met"] == run.result["goals"][0]["met"] == row["readers.latency.p99 < 2ms"]
    assert run.bill is not None
    assert row["usd_per_month"] == run.bill["per_month"]
    assert row["throttled_by"] in (None, "data.iops")
    # The latencies beside it have all IOs, and the same percentile.
    (own,) = [one for one in found.latencies.to_pylist() if one["run"] == 9]
    assert sum(own["count"]) == own["ios"] == total["ios"] == row["ios"]
    histogram = by.Histogram.of([ns / 1e3 for ns in own["ns"]], own["count"])
    assert histogram.quantiles_us([0.99])[0] == pytest.approx(row["readers.latency.p99_us"], 1e-3)


def test_the_tables_are_read_without_us(sweep: Path, tmp_path: Path) -> None:
    by.sweep(sweep, out=tmp_path / "found")
    runs = pl.read_parquet(tmp_path / "found" / "runs.parquet")
    met = runs.group_by("workload.readers.processes").agg(pl.col("goals_met").all())
    assert met.height == 3
    latencies = pl.read_parquet(tmp_path / "found" / "latencies.parquet")
    assert latencies["count"].list.sum().sum() == runs["ios"].sum()


class Shuffled:
    """An engine that gives what is done late and in another order, and loses some."""

    width = 3

    def __init__(self) -> None:
        self.work: dict[int, str] = {}
        self.lost: set[str] = set()

    def submit(self, ticket: int, work: str) -> None:
        self.work[ticket] = work

    def wait(self, _timeout_s: float) -> list[Done]:
        ticket = max(self.work)
        work = self.work.pop(ticket)
        # One that is lost twice is given up.
        if ticket % 5 == 2 and work not in self.lost:
            self.lost.add(work)
            return [Done(ticket, None, "its worker died")]
        return [Done(ticket, carry_out(work))]

    def stop(self) -> list[Done]:
        return []

    def close(self) -> None:
        pass


def test_the_bytes_are_the_same_whoever_runs_it(
    sweep: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, four = tmp_path / "one", tmp_path / "four"
    by.sweep(sweep, out=one, workers=1)
    by.sweep(sweep, out=four, workers=4)
    assert tables(one) == tables(four)
    engine = Shuffled()
    planned = of(sweep)
    monkeypatch.setattr(making, "SAMPLE", 0)
    monkeypatch.setattr("blockyard.sweeps.dispatch.PIECE_S", 0.02)
    making.make(planned, tmp_path / "shuffled", engine, threading.Event())
    assert engine.lost
    assert tables(one) == tables(tmp_path / "shuffled")


def of(path: Path, goals: tuple[str, ...] = ()) -> making.Planned:
    from blockyard.questions.sweep import Prices, plan

    return plan(path.read_text(), str(path), path.parent, (), goals, Prices())


class Counting(Threads):
    """Threads that count the pieces of work, and stop after some."""

    def __init__(self, stop: threading.Event, after: int) -> None:
        super().__init__(1)
        self.pieces, self.after, self.asked = 0, after, stop

    def submit(self, ticket: int, work: str) -> None:
        self.pieces += 1
        if self.pieces >= self.after:
            self.asked.set()
        super().submit(ticket, work)


def test_what_was_stopped_is_kept_and_resumed(
    sweep: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A run is a piece, however fast the machine.
    monkeypatch.setattr("blockyard.sweeps.dispatch.PIECE_S", 0)
    whole = by.sweep(sweep, out=tmp_path / "whole")
    stop = threading.Event()
    engine = Counting(stop, 3)
    monkeypatch.setattr(making, "SAMPLE", 0)
    made = making.make(of(sweep), tmp_path / "part", engine, stop)
    engine.close()
    assert made.about.status == "interrupted"
    done = made.about.done
    assert 0 < done < 18
    for runs, said in ((done + 1, "the 1 run that is missing"), (18 * 9, "runs that are missing")):
        left = replace(made, about=replace(made.about, runs=runs))
        assert list(words.outcome(left))[-1].endswith(said)
    kept = {row["key"] for row in made.runs.to_pylist()}
    again = by.sweep(sweep, out=tmp_path / "part", resume=True)
    assert again.about.status == "complete"
    assert kept < {row["key"] for row in again.runs.to_pylist()}
    assert tables(tmp_path / "part") == tables(whole.path)
    # One that is complete runs nothing, and with more values only those.
    monkeypatch.setattr(Threads, "submit", lambda *_: pytest.fail("nothing is missing"))
    by.sweep(sweep, out=tmp_path / "part", resume=True)
    monkeypatch.undo()
    more = written(tmp_path, {"axes": {**AXES, "workload.readers.processes": [1, 2, 8]}})
    extended = by.sweep(more, out=tmp_path / "part", resume=True)
    fresh = by.sweep(more, out=tmp_path / "fresh")
    assert extended.runs.num_rows == 18
    assert tables(tmp_path / "part") == tables(fresh.path)


def test_ios_that_fail_are_counted_apart_and_told(
    blockyard: Blockyard, sweep: Path, tmp_path: Path
) -> None:
    failing = {"at": "1s", "fail": "data"}
    (tmp_path / "one.yaml").write_text(json.dumps(BASE | {"events": [failing]}))
    axes = {"storage.data.iops": [3000, 6000]}
    written(tmp_path, {"axes": axes, "seeds": 1})
    finished = blockyard("sweep", sweep, "--out", "found")
    assert "2 with failed IOs, which no latency counts" in finished.stdout, finished.stderr
    assert "No axis moves readers.latency.p99: all runs are within 2%" in finished.stdout
    runs = pq.read_table(tmp_path / "found" / directory.RUNS)
    assert all(errors > 0 for errors in runs["io_errors"].to_pylist())


@pytest.mark.usefixtures("sweep")
def test_ctrl_c_keeps_what_is_done(tmp_path: Path) -> None:
    long = written(tmp_path, {"seeds": 3000})
    command = [sys.executable, "-m", "blockyard", "sweep", long.name, "--out", "part"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        # The timed sample is on disk before its estimate is printed.
        lines: Iterator[str] = iter(running.stderr.readline, "")
        assert any("a run takes" in line for line in lines)
        running.send_signal(signal.SIGINT)
        assert running.wait(PATIENCE_S) == 130
    about = json.loads((tmp_path / "part" / "sweep.json").read_text())
    assert about["status"] == "interrupted"
    assert about["done"] == pq.read_metadata(tmp_path / "part" / directory.RUNS).num_rows > 0


def test_seeds_are_merged_where_asked(sweep: Path, tmp_path: Path) -> None:
    apart = by.sweep(sweep)
    merged = by.sweep(written(tmp_path, {"merge_seeds": True}), out=tmp_path / "merged")
    assert merged.runs.equals(apart.runs)
    for combination in (0, 5):
        own = [one for one in apart.latencies.to_pylist() if one["run"] // 2 == combination]
        sums: dict[int, int] = {}
        for one in own:
            for ns, count in zip(one["ns"], one["count"], strict=True):
                sums[ns] = sums.get(ns, 0) + count
        (both,) = [one for one in merged.latencies.to_pylist() if one["combination"] == combination]
        assert dict(zip(both["ns"], both["count"], strict=True)) == sums
        assert (both["runs"], both["ios"]) == (2, sum(sums.values()))
        assert both["max_us"] == max(one["max_us"] for one in own)
    # More combinations can be added to it.
    more: dict[str, object] = {"merge_seeds": True, "seeds": 3}
    extended = by.sweep(written(tmp_path, more), out=tmp_path / "merged", resume=True)
    assert extended.latencies["runs"].to_pylist() == [3] * 9


@pytest.mark.usefixtures("sweep")
def test_a_run_that_fails_is_a_row(tmp_path: Path) -> None:
    # So many IOs in flight that time and slot do not share 64 bits.
    more = written(
        tmp_path,
        {"axes": {"workload.readers.processes": [1, 1_000_000], "duration": ["1s", "9h"]}},
    )
    planned = of(more)
    failing = [run for run, _ in planned.plan.runs() if run >= 6]
    rows = carry_out(planned.plan.work([0, *failing[:1]]))
    errors = rows.runs["error"].to_pylist()
    assert errors[0] is None
    assert "too long with up to 1000001 IOs in flight" in errors[1]


class Dying(Shuffled):
    """An engine whose workers die of one run."""

    def wait(self, _timeout_s: float) -> list[Done]:
        ticket, work = self.work.popitem()
        numbers = [run["number"] for run in json.loads(work)["runs"]]
        if 4 in numbers:
            return [Done(ticket, None, "KilledWorker: it died three times")]
        return [Done(ticket, carry_out(work))]


def test_a_run_that_kills_its_worker_is_a_row_too(
    sweep: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(making, "SAMPLE", 0)
    made = making.make(of(sweep), tmp_path / "made", Dying(), threading.Event())
    failed = [row for row in made.runs.to_pylist() if row["error"]]
    assert [(row["run"], row["error"]) for row in failed] == [
        (4, "KilledWorker: it died three times")
    ]
    assert (made.about.done, made.about.failed) == (18, 1)
    # It is not done, so that it is tried again.
    again = by.sweep(sweep, out=tmp_path / "made", resume=True)
    assert again.about.failed == 0
    assert again.runs.equals(by.sweep(sweep).runs)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"axes": {"storage.data.iop": [1]}}, "sweep.yaml: axes: storage.data.iop: unknown key"),
        ({"axes": {"storage.data.iops": []}}, "storage.data.iops: no values"),
        ({"axes": {"storage.data.iops": [99_000]}}, "every combination is refused"),
        ({"figures": ["readers.ipos"]}, "no figure is called `ipos`"),
        ({"base": "none.yaml"}, "none.yaml: No such file"),
        ({"goals": ["p99 < 2"]}, "goals.0: `2` has no unit"),
        ({"sample": 4, "combine": "zip"}, "sample: draws from the grid"),
        ({"name": "../up"}, "name: `../up` is not a name"),
        ({"seeds": 100_000, "axes": {"seed": [1]}}, "axes.seed: seeds are no axis"),
        (
            {"seeds": 100_000, "axes": {"workload.readers.processes": [*range(1, 200)]}},
            "19900000 runs; expected at most 10000000",
        ),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(
    blockyard: Blockyard, sweep: Path, tmp_path: Path, more: dict[str, object], said: str
) -> None:
    written(tmp_path, more)
    finished = blockyard("sweep", sweep.name, "--out", "found")
    assert finished.returncode == 2
    assert said in one_line(finished)
    assert not (tmp_path / "found").exists()


def test_what_is_there_is_not_overwritten(
    blockyard: Blockyard, sweep: Path, tmp_path: Path
) -> None:
    made = by.sweep(sweep, out=tmp_path / "found")
    finished = blockyard("sweep", sweep.name, "--out", "found")
    assert finished.returncode == 2
    assert "found: exists already; --resume" in finished.stderr
    about = tmp_path / "found" / "sweep.json"
    about.write_text(
        about.read_text().replace(f'"version": "{by.__version__}"', '"version": "0.0.1"')
    )
    finished = blockyard("sweep", sweep.name, "--out", "found", "--resume")
    assert finished.returncode == 2
    assert "a sweep of blockyard 0.0.1; this is" in finished.stderr
    assert made.runs.num_rows == 18
    about.write_text(
        about.read_text().replace('"version": "0.0.1"', f'"version": "{by.__version__}"')
    )
    written(tmp_path, {"merge_seeds": True})
    finished = blockyard("sweep", sweep.name, "--out", "found", "--resume")
    assert finished.returncode == 2
    assert "there `merge_seeds` is false; expected the same" in finished.stderr
    written(tmp_path, {"combine": "zip", "axes": {"storage.data.iops": [3000, 4000]}})
    finished = blockyard("sweep", sweep.name, "--out", "new", "--goal", "p99 < 2ms")
    assert finished.returncode == 2
    assert "a search needs a grid" in one_line(finished)
    assert not (tmp_path / "new").exists()
    finished = blockyard("sweep", sweep.name, "--on", "slurm")
    assert "`slurm`; expected threads, dask" in finished.stderr


def test_a_full_disk_is_one_line(
    sweep: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = OSError(28, "No space left on device", "runs")

    def write(_self: store.Store, _rows: Rows) -> None:
        raise full

    monkeypatch.setattr(store.Store, "add", write)
    with pytest.raises(OSError, match="No space left"):
        by.sweep(sweep, out=tmp_path / "full")
    monkeypatch.undo()
    assert by.sweep(sweep, out=tmp_path / "full", resume=True).about.done == 18


def test_refused_combinations_are_counted(
    blockyard: Blockyard, sweep: Path, tmp_path: Path
) -> None:
    written(tmp_path, {"axes": {"storage.data.type": {"volumes": "all"}}, "goals": []})
    finished = blockyard("sweep", sweep.name, "--out", "types", "--json")
    assert finished.returncode == 0, finished.stderr
    about = json.loads(finished.stdout)
    refused = sum(one["combinations"] for one in about["refused"])
    assert 0 < refused < about["combinations"]
    assert about["runs"] == (about["combinations"] - refused) * 2
    assert f"{refused} combinations refused" in finished.stderr


@pytest.mark.usefixtures("sweep")
def test_the_search_finds_what_the_whole_grid_has(tmp_path: Path) -> None:
    axes = {
        "storage.data.iops": {"from": 3000, "to": 9000, "step": 500},
        "workload.readers.processes": {"from": 1, "to": 12, "step": 1},
    }
    more = written(tmp_path, {"axes": axes, "goals": [], "seeds": 1})
    goal = "iops > 4200"
    by.sweep(more, {"duration": "1s"}, out=tmp_path / "some", goals=goal)
    found = by.sweep(more, {"duration": "1s"}, out=tmp_path / "all", goals=())
    some = by.sweep(more, {"duration": "1s"}, goals=goal).about.found
    assert some is not None
    met = [row for row in found.runs.to_pylist() if row["readers.iops"] > 4200]
    assert some.usd_per_month == min(row["usd_per_month"] for row in met)
    assert some.combination in {row["combination"] for row in met}
    assert some.tried < some.of / 3


@pytest.mark.usefixtures("sweep")
def test_a_sample_needs_scipy_and_covers_the_axes(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    axes = {
        "storage.data.iops": {"from": 3000, "to": 16_000},
        "workload.readers.processes": [1, 2],
    }
    for method in ("sobol", "latin-hypercube"):
        found = by.sweep(
            written(tmp_path, {"axes": axes, "sample": 8, "method": method, "seeds": 1})
        )
        values = found.runs["storage.data.iops"].to_pylist()
        # One in each eighth of the range.
        eighths = sorted((value - 3000) * 8 // 13_001 for value in values)
        assert eighths == list(range(8))


def test_demand_is_an_axis_of_files(sweep: Path, tmp_path: Path) -> None:
    for name, processes in (("quiet", 1), ("busy", 3)):
        sets = {"workload.readers.processes": processes, "duration": "5s"}
        by.simulate(tmp_path / "one.yaml", sets, out=tmp_path / name)
    axes = {"demand": ["quiet", "busy"], "storage.data.iops": [3000, 4000]}
    found = by.sweep(written(tmp_path, {"axes": axes, "figures": [], "goals": [], "seeds": 1}))
    rows = found.runs.to_pylist()
    assert [row["demand"] for row in rows] == ["quiet", "quiet", "busy", "busy"]
    assert [row["storage.data.iops"] for row in rows] == [3000, 4000, 3000, 4000]
    quiet, busy = rows[0]["ios"], rows[3]["ios"]
    replayed = by.load(tmp_path / "quiet").result["totals"][0]["ios"]
    # As many as were observed, and more of the load that was heavier.
    assert quiet == pytest.approx(replayed, rel=0.05)
    assert busy > 1.4 * quiet
    assert sweep.exists()


def test_a_disk_without_room_is_said_in_units_that_fit(
    sweep: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = shutil.disk_usage(tmp_path)._replace(free=1024)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: free)
    with pytest.raises(OSError, match=r"takes about [\d.]+ KiB while it is made, and 1 KiB are"):
        by.sweep(sweep, out=tmp_path / "found")
