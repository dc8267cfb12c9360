"""`blockyard compare`: figures side by side, verdicts, conditions."""

import dataclasses
import json
import shutil
from pathlib import Path

import pyarrow as pa
import pytest

import blockyard as by
from blockyard.comparison.sides import of_sides
from blockyard.runs.tables import INTERVALS
from conftest import GP3, Blockyard, one_line


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with runs of a slow and a fast volume, and three repeats of each."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "gp3.yaml").write_text(GP3)
    for name, iops in (("slow", 3000), ("fast", 6000)):
        for seed in (1, 2, 3):
            sets = {"storage.data.iops": iops, "seed": seed, "workload.readers.processes": 8}
            out = folder / f"{name}s" / f"{name}-{seed}"
            by.simulate(folder / "gp3.yaml", sets, out=out)
    return folder


def test_differences_are_shown_with_verdicts(blockyard: Blockyard, made: Path) -> None:
    done = blockyard("compare", made / "slows", made / "fasts")
    assert done.returncode == 0, done.stderr
    lines = {line.split()[0]: line for line in done.stdout.splitlines() if "readers" in line}
    assert lines["readers.read.iops"].endswith("better")
    assert lines["readers.read.latency.mean"].endswith("better")
    assert "slows, fasts: 3 runs say little about chance; 5 say more\n" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_a_run_does_not_differ_from_itself(blockyard: Blockyard, made: Path) -> None:
    run = made / "slows" / "slow-1"
    shutil.copytree(run, copy := made / "copy")
    done = blockyard("compare", run, copy, "--json")
    comparison = json.loads(done.stdout)
    assert comparison["sides"] == ["slow-1", "copy"]
    changes = [row["changes"][0] for row in comparison["rows"]]
    assert {change["relative"] for change in changes} == {0.0}
    assert {change["verdict"] for change in changes} == {"alike within 5%"}


def test_repeats_of_one_thing_do_not_differ(blockyard: Blockyard, made: Path) -> None:
    runs = made / "slows"
    done = json.loads(blockyard("compare", runs / "slow-1", runs / "slow-2", "--json").stdout)
    iops = next(row for row in done["rows"] if row["figure"] == "iops")
    assert iops["changes"][0]["verdict"] == "alike within 5%"
    [differing] = done["differing"]
    said = "the same scenario with seeds 1 and 2: what differs in the runs is chance"
    assert differing == {"side": 1, "changes": [], "lines": [said]}


@pytest.mark.parametrize(
    ("condition", "status"),
    [
        ("readers.latency.p99 > +5%", 0),
        ("readers.iops > +5%", 1),
        ("readers.latency.p50 < 1h", 1),
        ("readers.iops < 100", 0),
    ],
)
def test_a_condition_that_holds_is_status_1(
    blockyard: Blockyard, made: Path, condition: str, status: int
) -> None:
    done = blockyard("compare", made / "slows", made / "fasts", "--fail-if", condition)
    assert done.returncode == status, done.stderr
    assert f"{'fails' if status else 'passes'}: {condition}: " in done.stdout


def test_a_wrong_condition_is_one_line(blockyard: Blockyard, made: Path) -> None:
    done = blockyard("compare", made / "slows", made / "fasts", "--fail-if", "reader.iops > +1%")
    assert "did you mean `readers`?" in one_line(done)


def test_the_page_has_the_table_and_the_charts(
    blockyard: Blockyard, made: Path, tmp_path: Path
) -> None:
    done = blockyard("compare", made / "slows", made / "fasts", "-o", "page.html")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "page.html").read_text()
    assert "fasts against slows" in page
    assert "readers.read.iops" in page
    assert "Over each other" in page


def test_runs_of_one_name_are_told_apart_in_the_charts(
    blockyard: Blockyard, made: Path, tmp_path: Path
) -> None:
    for side, run in (("before", "slows/slow-1"), ("after", "fasts/fast-1")):
        shutil.copytree(made / run, tmp_path / side / "run")
    done = blockyard("compare", "before/run", "after/run", "-o", "page.html")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "page.html").read_text()
    assert all(f'"label":"{side}/run"' in page for side in ("before", "after"))


def test_of_a_file_without_a_course_no_verdict_is_given(
    blockyard: Blockyard, made: Path, tmp_path: Path
) -> None:
    counts = {"total_ios": 10_000, "io_bytes": 10_000 * 8192}
    latency = {"N": 10_000, "mean": 9e5, "max": 9e6, "percentile": {}}
    job = {"jobname": "readers", "error": 0, "job_runtime": 5000, "job options": {"filename": "x"}}
    read = counts | {"runtime": 5000, "clat_ns": latency, "lat_ns": latency}
    document = {"fio version": "fio-3.33", "timestamp_ms": 1, "jobs": [job | {"read": read}]}
    (tmp_path / "fio.json").write_text(json.dumps(document))
    done = blockyard("compare", made / "slows" / "slow-1", "fio.json", "--json", "--anyway")
    assert done.returncode == 0, done.stderr
    changes = [row["changes"][0] for row in json.loads(done.stdout)["rows"]]
    found = {(change["interval"], change["verdict"]) for change in changes if change}
    assert found == {(None, "too little to tell")}


def fio_json(path: Path, p99_us: int) -> str:
    """What fio writes of 20,000 reads by default."""
    percentile = {"50.000000": 160_000, "95.000000": 270_000, "99.000000": 1000 * p99_us}
    percentile["99.900000"] = 9_000_000
    latency = {"N": 20_000, "min": 9_000, "mean": 3e5, "max": 9.5e6, "percentile": percentile}
    read = {"total_ios": 20_000, "io_bytes": 20_000 * 8192, "runtime": 20_000, "lat_ns": latency}
    job = {"jobname": "readers", "error": 0, "read": read}
    document = {"fio version": "fio-3.33", "timestamp_ms": 1_700_000_000_000, "jobs": [job]}
    path.write_text(json.dumps(document))
    return path.name


def test_fios_ordinary_json_is_compared_by_its_jobs_and_percentiles(
    blockyard: Blockyard, tmp_path: Path
) -> None:
    sides = [fio_json(tmp_path / f"{name}.json", us) for name, us in (("a", 294), ("b", 1780))]
    conditions = ["all.latency.p99 > 5ms", "readers.latency.p99 > 1ms", "readers.iops < -10%"]
    options = [option for one in conditions for option in ("--fail-if", one)]
    done = blockyard("compare", *sides, *options, "--json")
    found = json.loads(done.stdout)
    assert [one["holds"] for one in found["conditions"]] == [False, True, False]
    rows = {row["figure"]: row for row in found["rows"]}
    assert {row["job"] for row in found["rows"]} == {"readers"}
    assert rows["latency.p50"]["values"] == [160.0, 160.0]
    assert rows["latency.p99"]["values"] == [294.0, 1780.0]
    assert rows["latency.p99"]["changes"][0]["verdict"] == "worse"
    assert found["conclusions"][0]["verdict"] == "worse"
    assert "p99 6.05 times as long (1.78 ms vs 0.29 ms)" in found["conclusions"][0]["sentence"]


def test_other_work_is_refused_and_named(blockyard: Blockyard, made: Path) -> None:
    sets = ["--set", "workload.readers.file_size=1GiB", "--set", "duration=20s"]
    assert blockyard("simulate", "gp3.yaml", *sets, "--out", "other").returncode == 0
    run = made / "slows" / "slow-1"
    refused = blockyard("compare", run, "other")
    assert refused.returncode == 2
    assert "duration: 10s against 20s" in refused.stderr
    assert "workload.readers.file_size: 10GiB against 1GiB" in refused.stderr
    assert "--anyway" in refused.stderr
    assert blockyard("compare", run, "other", "--anyway").returncode == 0


def test_an_interrupted_run_is_refused(blockyard: Blockyard, made: Path, tmp_path: Path) -> None:
    run = made / "slows" / "slow-1"
    shutil.copytree(run, cut := tmp_path / "cut")
    result = cut / "result.json"
    result.write_text(result.read_text().replace('"complete"', '"interrupted"'))
    refused = blockyard("compare", run, cut)
    assert refused.returncode == 2
    assert "cut is interrupted, after 10 s" in refused.stderr


def test_one_side_is_too_few(blockyard: Blockyard, made: Path) -> None:
    assert "expected at least two" in one_line(blockyard("compare", made / "slows"))


def test_an_emulation_is_compared_while_its_clients_were_busy(made: Path) -> None:
    simulated = by.load(made / "slows" / "slow-1")
    # Like an emulation: served for a while before, stopped a while after.
    rows = simulated.intervals.to_pylist()
    busy = [row | {"t_s": row["t_s"] + 5} for row in rows]
    idle = [row | {"t_s": row["t_s"] + wait, "ios": 0} for row in rows[:5] for wait in (0, 15)]
    served = dataclasses.replace(
        simulated,
        name="served",
        result={**simulated.result, "mode": "emulate", "status": "interrupted", "duration_s": 20.0},
        intervals=pa.Table.from_pylist([*idle, *busy], schema=INTERVALS),
    )
    compared = by.compare(simulated, served)
    iops = compared["rows"][0]
    assert (iops["job"], iops["figure"]) == ("all", "iops")
    assert iops["values"][0] == iops["values"][1]
    said = "served: compared over 10 s from its first IO to its last; its report counts all 20 s"
    assert said in compared["notes"]
    assert not any("slow-1: compared over" in note for note in compared["notes"])


def test_what_differs_comes_first_and_a_sentence_last(blockyard: Blockyard, made: Path) -> None:
    done = blockyard("compare", made / "slows" / "slow-1", made / "fasts" / "fast-1")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "storage.data.iops: 3,000 -> 6,000"
    assert "both sides simulated with 8 seeds, 1 to 8: figures are means over these" in lines
    assert "`fast-1` vs `slow-1`: readers +100% IOPS" in done.stdout
    assert ": better, and dearer." in " ".join(lines[-2:])
    assert max(map(len, lines)) <= 80


def test_seeds_are_as_many_as_asked_for(blockyard: Blockyard, made: Path) -> None:
    sides = [made / "slows" / "slow-2", made / "fasts" / "fast-2"]
    some = json.loads(blockyard("compare", *sides, "--seeds", 3, "--json").stdout)
    assert some["seeds"] == [2, 3, 4]
    assert some["rows"][0]["changes"][0]["basis"] == "paired seeds"
    one = json.loads(blockyard("compare", *sides, "--seeds", 1, "--json").stdout)
    assert one["seeds"] == []
    assert one["rows"][0]["changes"][0]["basis"] == "blocks of one run"
    recorded = by.load(sides[0]).result["totals"][0]["iops"]
    assert one["rows"][0]["values"][0] == pytest.approx(recorded, rel=1e-3)


def test_a_doubling_is_shown_however_short_the_run(made: Path) -> None:
    sets = {"duration": "1s", "workload.readers.processes": 16}
    slow = by.simulate(made / "gp3.yaml", sets)
    fast = by.simulate(made / "gp3.yaml", sets | {"storage.data.iops": 6000})
    found = by.compare(slow, fast)
    [change] = found["rows"][0]["changes"]
    assert change is not None
    assert change["verdict"] == "better"
    # Of how little these runs are they tell themselves, once.
    [said] = [note for note in found["notes"] if note.startswith("gp3 (1), gp3 (2): ")]
    assert "more than its rate, from tokens saved before" in said


def test_what_would_take_long_is_not_simulated_again(made: Path) -> None:
    def with_ios(name: str, ios: int) -> by.Run:
        """Say that a run took so many IOs."""
        run = by.load(made / name)
        [total] = run.result["totals"]
        return dataclasses.replace(run, result={**run.result, "totals": [{**total, "ios": ios}]})

    slow, fast = made / "slows" / "slow-1", made / "fasts" / "fast-1"
    none = by.compare(with_ios("slows/slow-1", 3_000_000), by.load(fast))
    assert none["seeds"] == []
    assert "--seeds 8 does it all the same" in none["notes"][0]
    assert len(by.compare(by.load(slow), by.load(fast), seeds=4)["seeds"]) == 4


def test_a_run_that_cannot_be_made_again_stays_as_it_is(made: Path) -> None:
    fast = by.load(made / "fasts" / "fast-1")
    [total] = fast.result["totals"]
    # As another version of the model may have made it.
    older = dataclasses.replace(
        fast, result={**fast.result, "totals": [{**total, "ios": total["ios"] + 1}]}
    )
    found = by.compare(by.load(made / "slows" / "slow-1"), older)
    assert found["seeds"] == []
    assert found["notes"][0].startswith("simulated again, fast-1 gives other figures")


def test_load_steps_are_compared_by_their_load(
    blockyard: Blockyard, made: Path, tmp_path: Path
) -> None:
    for name, iops in (("before", 3000), ("after", 6000)):
        sets = {"storage.data.iops": iops, "workload.readers.processes": [1, 16]}
        by.simulate(made / "gp3.yaml", sets, out=tmp_path / name)
    done = blockyard("compare", "before", "after")
    assert done.returncode == 0, done.stderr
    [one] = [line.split() for line in done.stdout.splitlines() if "1 process " in line]
    [many] = [line.split() for line in done.stdout.splitlines() if "16 processes " in line]
    assert (one[4], one[-1]) == ("alike", "alike")
    assert float(many[4].rstrip("%")) > 60
    steps = json.loads(blockyard("compare", "before", "after", "--json").stdout)["steps"]
    assert [row["load"] for row in steps if row["figure"] == "iops"] == [
        {"processes": 1},
        {"processes": 16},
    ]
    assert blockyard("compare", "before", "after", "-o", "page.html").returncode == 0
    page = (tmp_path / "page.html").read_text()
    assert "Load steps: after against before" in page
    assert "16 processes" in page
    # First what it comes to and where they differ, then the tiles, then the tables.
    order = ['<p class="headline"', "Where they differ", '<dl class="tiles"', "<table"]
    places = [page.index(part) for part in order]
    assert places == sorted(places)
    assert '<span class="before">before: data IOPS</span>' in page


def test_what_is_known_of_another_tools_file_is_said(made: Path) -> None:
    simulated = by.load(made / "slows" / "slow-1")
    foreign = dataclasses.replace(
        simulated, name="fio.json", scenario=None, result={**simulated.result, "mode": "fio"}
    )
    found = by.compare(simulated, foreign)
    assert found["differing"][0]["changes"] is None
    assert found["differing"][0]["lines"] == [
        "slow-1 is simulated, fio.json by fio",
        "fio.json: scenario not known; 10 s, reads of 8 KiB",
    ]
    assert found["conclusions"][0]["fits"] is True
    assert "the model fits this storage" in found["conclusions"][0]["sentence"]
    assert "fio.json: one run does not show variation" in "\n".join(found["notes"])


def test_who_waits_is_told_of_each_simulation(made: Path) -> None:
    told: list[tuple[str, int, int]] = []
    sides = [[by.load(made / "slows" / "slow-1")], [by.load(made / "fasts" / "fast-1")]]
    of_sides(
        ["slow", "fast"],
        sides,
        seeds=3,
        tried=lambda last, ios, most: told.append((last, ios, most)),
    )
    assert told[-1][0] == "6 of 6 simulations"
    assert 0 < told[-1][1] <= 1.1 * told[-1][2]
