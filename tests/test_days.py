"""Load that lasts: demand by interval, from its file to what would help."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import blockyard as by
from blockyard.questions.demand_file import demand_of
from conftest import Blockyard

DAY = "at,reads,writes,size\n0,300,100,8KiB\n1h,3000,1500,16KiB\n3h,300,100,8KiB\n"


def night(intervals: str = DAY, **more: Any) -> dict[str, Any]:
    """A batch of two hours on a volume of 1,200 IOPS with burst credits."""
    job = {"kind": "demand", "on": "data", "file_size": "300GiB", "intervals": intervals}
    return {
        "name": "night",
        "duration": "24h",
        "interval": "5m",
        "storage": {"data": {"type": "gp2", "size": "400GiB"}},
        "workload": {"app": job},
        **more,
    }


@pytest.fixture(scope="module")
def run() -> by.Run:
    return by.simulate(night(), seeds=1)


def test_a_day_has_means_and_no_percentiles(run: by.Run) -> None:
    assert run.result["by_interval_s"] == 300
    rows = run.intervals.to_pylist()
    assert len(rows) == 2 * 288
    served = [row for row in rows if row["ios"]]
    assert served
    assert all(row["latency_mean_us"] > 0 for row in served)
    assert all(row["latency_p99_us"] is None for row in rows)
    [reads, writes] = run.result["totals"]
    assert reads["latency_us"] is None
    assert (reads["mean_us"] or 0) > 1e6
    assert any("percentiles" in notice for notice in run.result["notices"])
    assert reads["ios"] + writes["ios"] == 400 * 22 * 3600 + 4500 * 2 * 3600


def test_credits_end_when_arithmetic_says(run: by.Run) -> None:
    # 5.4 million credits pay for 1,800 IOPS above 1,200 for 50 minutes, less two seconds in which
    # tokens that lay ready let more through.
    dry = [
        row["t_s"] for row in run.volumes.to_pylist() if dict(row["throttled_us"])["iops_credits"]
    ]
    assert dry[0] == 3600 + 45 * 60
    [behind] = [loop["behind"] for loop in run.result["open_loop"]]
    assert behind is not None
    assert behind["from_s"] == 3600
    # Until the batch ends.
    assert behind["to_s"] == 3 * 3600
    # What waits is served in the morning, and the night's credits come back.
    [loop] = run.result["open_loop"]
    assert loop["backlog"] == 0
    last = run.volumes.to_pylist()[-1]
    assert last["balance_pct"] == 100


def test_what_if_and_capacity_judge_the_day() -> None:
    asked = night(goals="app.latency.mean < 5ms")
    found = by.what_if(asked)
    assert [goal["met"] for goal in found["now"]["goals"]] == [False]
    assert found["now"]["jobs"][0]["measure"] == "mean"
    meets = [row for row in found["changes"] if row["worth"] == "meets"]
    assert meets
    # It has counted intervals: a day of its IOs would not be affordable.
    assert found["ios"] < 10_000_000
    capacity = by.capacity(night(goals="app.latency.mean < 5ms"), up_to=200)
    assert 20 < (capacity["holds"] or 0) < 100


def test_what_cannot_be_known_is_refused(blockyard: Any, tmp_path: Path) -> None:
    def said(scenario: dict[str, Any], *arguments: str) -> str:
        path = tmp_path / "s.yaml"
        path.write_text(json.dumps(scenario))
        ended = blockyard("simulate", path, *arguments)
        assert ended.returncode == 2
        return str(ended.stderr)

    assert "by interval only means are known" in said(night(goals="app.latency.p99 < 5ms"))
    assert "line 3: reads `many`" in said(night(DAY.replace("3000", "many")))
    (tmp_path / "day.csv").write_text("at,reads,writes,size\n0,1,1\n")
    assert "day.csv: line 2: 3 values; expected 4" in said(night("day.csv"))
    assert "cannot read" in said(night("no.csv"))
    failing = night(events=[{"at": "1h", "pause": "data", "for": "1s"}], by_interval=True)
    assert "by interval nothing happens to the storage" in said(failing)


def test_a_short_demand_is_simulated_exactly() -> None:
    run = by.simulate(night("at,reads,writes,size\n0,100,50,8192\n", duration="10s", interval="1s"))
    assert "by_interval_s" not in run.result
    assert all(total["latency_us"] for total in run.result["totals"])


def test_demand_is_read_from_runs_and_tables(run: by.Run, tmp_path: Path) -> None:
    assert run.path is None
    table = {"at": [0, 300], "reads": [1.5, 0.0], "writes": [2, 0], "size": [8192, 0]}
    parquet.write_table(pa.table(table), tmp_path / "load.parquet")
    text = "at,reads,writes,size\n0,1.5,2,8192\n300,0,0,0\n"
    assert demand_of(tmp_path / "load.parquet") == text
    parquet.write_table(pa.table({"at": [0]}), tmp_path / "odd.parquet")
    with pytest.raises(by.ScenarioError, match="no column `reads`"):
        demand_of(tmp_path / "odd.parquet")


def test_an_accounts_load_is_a_scenario(blockyard: Any, tmp_path: Path) -> None:
    answers = Path(__file__).parent.parent / "scenarios/examples/aws"
    ended = blockyard("import", "aws", answers, "--out", tmp_path / "account")
    assert ended.returncode == 0
    run = by.simulate(tmp_path / "account/orders-load.yaml", seeds=1)
    assert run.result["by_interval_s"] == 300
    # The volume that ran dry in truth uses up its credits here, too.
    assert min(row["balance_pct"] for row in run.volumes.to_pylist() if row["volume"] == "data") < 1


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ({"at": ["noon"]}, "row 0: at noon; expected seconds or a time"),
        ({"at": [None]}, "row 0: at None; expected seconds or a time"),
        ({"reads": [float("nan")]}, "row 0: reads nan; expected a number from 0 on"),
        (
            {name: [] for name in ("at", "reads", "writes", "size")},
            "no rows; expected one for each",
        ),
        ({name: [9, 9] for name in ("at", "reads", "writes", "size")}, "row 1: at 9 does not come"),
    ],
)
def test_what_is_wrong_in_a_table_is_said(
    tmp_path: Path, rows: dict[str, list[object]], said: str
) -> None:
    whole = {"at": [0], "reads": [1], "writes": [1], "size": [8192]}
    parquet.write_table(pa.table(whole | rows), tmp_path / "odd.parquet")
    with pytest.raises(by.ScenarioError, match=said):
        demand_of(tmp_path / "odd.parquet")


def test_plan_buys_for_the_day_and_no_less(blockyard: Blockyard, tmp_path: Path) -> None:
    (tmp_path / "day.csv").write_text(DAY)
    wanted = ["--size", "300GiB", "--headroom", "0%", "--instance", "r6i.2xlarge", "--type", "gp2"]
    bought = ["plan", *wanted, "--no-prove", "--as-of", "2026-11-01"]
    done = blockyard(*bought, "--demand", "day.csv", "--max-volumes", "2", "--out", "bought.yaml")
    assert done.returncode == 0, done.stderr
    assert "again each day" in done.stdout

    found = by.simulate(tmp_path / "bought.yaml", seeds=1)
    assert all(goal["met"] for goal in found.result["goals"])
    assert not found.result["limits"]
    [size] = {volume["size"] for volume in json.loads(found.asked().layout())["volumes"]}
    less = {"storage.data.of.size": f"{size // 2**30 - 10}GiB"}
    found = by.simulate(tmp_path / "bought.yaml", less, seeds=1)
    assert not all(goal["met"] for goal in found.result["goals"])

    # As if the batch never ended.
    rates = ["--read-iops", "3000", "--write-iops", "1500", "--io-size", "16KiB"]
    for_good = blockyard(*bought, *rates, "--max-volumes", "2", "--json")
    dearer = json.loads(for_good.stdout)["best"]["usd_per_month"]
    by_day = blockyard(*bought, "--demand", "day.csv", "--max-volumes", "2", "--json")
    assert json.loads(by_day.stdout)["best"]["usd_per_month"] < dearer - 20
    refused = blockyard(*bought, *rates, "--demand", "day.csv")
    assert "--demand: stands beside `reads`" in refused.stderr
    unnamed = blockyard(*bought, "--demand", "day")
    assert "cannot read `day`: No such file or directory" in unnamed.stderr
