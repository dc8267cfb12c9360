"""`simulate --seeds`: the range of the figures beside them, and goals over several seeds."""

import json
from pathlib import Path

import blockyard
from blockyard.text.formatting import latency
from conftest import Blockyard, one_line

# Volumes differ: with some seeds the mean is met.
GOAL = "goals=['readers.latency.mean < 0.9ms']"


def result(place: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((place / "result.json").read_text())
    return found


def test_the_range_stands_under_the_figures(blockyard: Blockyard, tmp_path: Path) -> None:
    lines = blockyard("simulate", "gp3.yaml", "--out", "run").stdout.splitlines()
    assert lines[0].endswith(", seed 1; min and max of seeds 1 to 8 if they differ")
    by_seed = result(tmp_path / "run")["by_seed"]
    [total] = by_seed["totals"]  # type: ignore[index]
    for end in ("min", "max"):
        [line] = [line for line in lines[1:] if f" {end} " in line]
        assert f"{total['iops'][end]:,.0f}" in line
        assert latency(total["latency_us"]["p99"][end]) in line


def test_one_seed_is_the_run_without_its_range(blockyard: Blockyard, tmp_path: Path) -> None:
    assert blockyard("simulate", "gp3.yaml", "--seeds", 1, "--out", "one").returncode == 0
    assert blockyard("simulate", "gp3.yaml", "--seeds", 3, "--out", "three").returncode == 0
    one, three = (result(tmp_path / run) for run in ("one", "three"))
    assert three.pop("by_seed")["seeds"] == 3  # type: ignore[index]
    assert one == three
    tables = ("intervals.parquet", "volumes.parquet", "scenario.yaml", "latency.hlog")
    for table in tables:
        assert (tmp_path / "one" / table).read_bytes() == (tmp_path / "three" / table).read_bytes()


def test_goals_say_in_how_many_seeds_they_are_met(blockyard: Blockyard, tmp_path: Path) -> None:
    sets = ["--set", GOAL, "--set", "workload.readers.processes=1"]
    text = blockyard("simulate", "gp3.yaml", *sets, "--out", "run").stdout
    fresh = []
    for seed in range(1, 9):
        blockyard("simulate", "gp3.yaml", *sets, "--seeds", 1, "--seed", seed, "--out", f"s{seed}")
        fresh.append(result(tmp_path / f"s{seed}")["goals"][0]["met"])  # type: ignore[index]
    assert f"; met in {sum(fresh)} of 8 seeds" in text
    assert result(tmp_path / "run")["by_seed"]["goals_met"] == [sum(fresh)]  # type: ignore[index]


def test_repeats_are_seeds_enough(blockyard: Blockyard, tmp_path: Path) -> None:
    repeats = ["--set", "repeats=2"]
    blockyard("simulate", "gp3.yaml", *repeats, "--out", "all")
    assert "by_seed" not in result(tmp_path / "all/gp3")
    blockyard("simulate", "gp3.yaml", *repeats, "--seeds", 4, "--out", "asked")
    assert result(tmp_path / "asked/gp3-2")["by_seed"]["seeds"] == 4  # type: ignore[index]


def test_no_seed_is_refused(blockyard: Blockyard) -> None:
    finished = blockyard("simulate", "gp3.yaml", "--seeds", 0)
    assert finished.returncode == 2
    assert "--seeds" in one_line(finished)


def test_the_report_has_the_range_and_what_is_met_by_chance() -> None:
    from blockyard.words.paragraphs import of, paragraphs

    asked = {
        "name": "chance",
        "duration": "4s",
        "storage": {"data": {"type": "gp3", "size": "100GiB"}},
        "workload": {
            "readers": {"kind": "ranread", "on": "data", "file_size": "1GiB", "processes": 1}
        },
    }
    run = blockyard.simulate(asked, seeds=None)
    assert "by_seed" in run.result
    least, most = (run.result["by_seed"]["totals"][0]["iops"][end] for end in ("min", "max"))  # type: ignore[index]
    [delivered, *_] = paragraphs(run)
    tables = [part for part in delivered.content if not isinstance(part, str)]
    assert tables[1].caption == "Min and max of seeds 1 to 8"
    assert tables[1].rows[0][:4] == ["readers", "read", "data", f"{least:,.0f} to {most:,.0f}"]
    middle = (least + most) / 2
    goals = blockyard.simulate(asked, {"goals": [f"readers.iops > {middle:.0f}"]}, seeds=8)
    met = goals.result["by_seed"]["goals_met"][0]  # type: ignore[index]
    assert 0 < met < 8
    assert f"; met in {met} of 8 seeds." in of(goals)[0]
