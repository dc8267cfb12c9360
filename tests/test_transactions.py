"""Transactions as people see them: table, summary, report, charts, comparison."""

import io
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from rich.console import Console

from blockyard import compare, load, simulate, simulate_many
from blockyard._core import FileError, ScenarioError
from blockyard.pages.charts import all_figures
from blockyard.pages.figure import Curves, Lanes, Lines
from blockyard.runs.run import Run
from blockyard.runs.tables import TRANSACTIONS
from blockyard.text.table import Table
from blockyard.words import summary
from blockyard.words.headline import headline
from blockyard.words.paragraphs import paragraphs
from conftest import ROOT

WARMUP_S = 5
SHOP = """\
name: shop
duration: 20s
warmup: 5s
storage:
  data: {type: io1, size: 200GiB, iops: 4000}
workload:
  shop:
    kind: oltp
    engine: innodb
    on: data
    data_size: 512MiB
    pool: 64MiB
    cores: 8
    threads: [8, 16]
    log: {file_size: 1GiB}
    transactions:
      order: {weight: 2, pages: 20, changes: 6, log: 4KiB, cpu: 1ms}
      look: {weight: 1, pages: 10, cpu: 1ms}
events: [{at: 16s, pause: data, for: 1s}]
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    folder = tmp_path_factory.mktemp("runs")
    scenario = folder / "shop.yaml"
    scenario.write_text(SHOP)
    return [
        simulate(scenario, {"storage.data.iops": iops}, out=folder / str(iops))
        for iops in (4000, 8000)
    ]


def caveats(run: Run) -> list[str]:
    """What to read first."""
    found = [one.sentences for one in paragraphs(run) if one.heading == "Read this first"]
    return [sentence for sentences in found for sentence in sentences]


def tables_under(heading: str, run: Run) -> list[Table]:
    [found] = [one.content for one in paragraphs(run) if one.heading == heading]
    return [part for part in found if isinstance(part, Table)]


def counted(run: Run) -> pa.Table:
    """The rows after the warm-up."""
    return run.transactions.filter(pc.greater_equal(run.transactions["t_s"], float(WARMUP_S)))


def test_rows_add_up_to_the_result(runs: list[Run]) -> None:
    [run, _] = runs
    [total] = run.result["transactions"]
    assert run.transactions.schema.equals(TRANSACTIONS)
    assert run.transactions["t_s"].to_pylist() == list(range(20))
    us, engine = total["latency_us"], total["engine"]
    assert us
    assert engine
    rows = counted(run)
    assert sum(rows["count"].to_pylist()) == total["count"] > 1_000
    assert pc.mean(rows["tps"]).as_py() == pytest.approx(total["tps"])
    assert pc.max(rows["latency_max_us"]).as_py() == us["max"]
    # The first row has the state at the end of the warm-up, which is not part of the peaks.
    assert max(rows["dirty_pages"].to_pylist()[1:]) == engine["peak_dirty_pages"] > 0
    assert max(rows["checkpoint_age"].to_pylist()[1:]) == engine["peak_checkpoint_age"] > 0


def test_their_latencies_are_logged(runs: list[Run]) -> None:
    [run, _] = runs
    [total] = run.result["transactions"]
    us = total["latency_us"]
    assert us
    logged = run.latencies.merged(["shop.transaction"], WARMUP_S)
    assert logged.count == total["count"]
    assert logged.quantiles_us([0.99])[0] == pytest.approx(us["p99"], rel=2e-3)


def test_a_run_has_its_table(runs: list[Run], tmp_path: Path) -> None:
    path = runs[0].path
    assert path
    copy = tmp_path / "copy"
    copy.mkdir()
    for file in path.iterdir():
        if file.name != "transactions.parquet":
            (copy / file.name).write_bytes(file.read_bytes())
    with pytest.raises(FileNotFoundError, match=r"transactions\.parquet"):
        load(copy)
    (copy / "transactions.parquet").write_bytes((path / "volumes.parquet").read_bytes())
    with pytest.raises(FileError, match=r"expected t_s, job, count, tps, "):
        load(copy)


@pytest.mark.parametrize("columns", [80, 40])
def test_the_summary_has_a_table_of_them(runs: list[Run], columns: int) -> None:
    console = Console(file=io.StringIO(), width=columns)
    with console.capture() as captured:
        console.print(summary.of(runs[0].result, None, runs[0].facts, columns))
    said = captured.get()
    assert max(map(len, said.splitlines())) <= columns
    table = said[said.index("TPS") :].splitlines()
    if columns == 40:
        # Names stand above their figures.
        assert table[0].split() == ["TPS", "mean", "p99", "max"]
        assert table[1] == "shop"
        return
    assert table[0].split() == ["TPS", "mean", "p50", "p95", "p99", "max"]
    assert [line.split()[:2] for line in table[1:6]] == [
        ["shop", "8"],
        ["shop", "16"],
        ["shop", "all"],
        ["shop", "order"],
        ["shop", "look"],
    ]
    assert "of the time of a transaction goes to page reads" in said
    assert "of page accesses hit the buffer pool; a transaction reads" in said


def test_the_report_tells_of_each_part(runs: list[Run]) -> None:
    parts, spent, by_5s, engine = tables_under("Transactions", runs[0])
    assert [row[:3] for row in parts.rows] == [
        ["shop", "", "8 threads"],
        ["shop", "", "16 threads"],
        ["shop", "", ""],
        ["shop", "order", ""],
        ["shop", "look", ""],
    ]
    assert spent.rows[0][1] == "page reads"
    assert [row[:2] for row in by_5s.rows] == [
        ["shop, 3 intervals", "TPS"],
        ["shop, 3 intervals", "p99"],
    ]
    assert engine.rows[0][0] == "hit ratio of the buffer pool"
    assert engine.columns == ["", "shop"]


def test_charts_are_the_rows_and_histograms(runs: list[Run]) -> None:
    [run, _] = runs
    plots = {figure.name: figure.plot for figure in all_figures([run], 5)}
    tps, p99, box, cloud = (
        plots[name] for name in ("tps", "transaction-p99", "tps-5s", "tps-iops")
    )
    assert isinstance(tps, Lines)
    assert tps.series[0].values == run.transactions["tps"].to_pylist()
    assert {span.label for span in tps.spans} >= {"warm-up", "data pauses", "data resumes"}
    assert isinstance(p99, Lines)
    bins = dict(run.latencies.over_time(["shop.transaction"], 5))
    expected = [histogram.quantiles_us([0.99])[0] / 1000 for histogram in bins.values()]
    assert p99.series[0].values == expected
    assert isinstance(box, Lanes)
    spread = run.result["transactions"][0]["by_5s"]
    assert spread
    ends = [spread["tps"][at] for at in ("min", "q1", "median", "q3", "max")]
    [lane] = box.lanes
    assert [piece[:2] for piece in lane.pieces] == list(pairwise(ends))
    assert isinstance(cloud, Curves)
    [points] = [curve.points for curve in cloud.curves if not curve.joined]
    assert [point[1] for point in points] == counted(run)["tps"].to_pylist()
    ios = pc.sum(run.intervals.filter(pc.equal(run.intervals["t_s"], 7.0))["ios"]).as_py()
    assert points[2][0] == pytest.approx(ios, rel=0.2)


def test_runs_are_drawn_over_each_other(runs: list[Run]) -> None:
    plots = {figure.name: figure.plot for figure in all_figures(runs, 5)}
    tps, box = plots["tps"], plots["p99-5s"]
    assert isinstance(tps, Lines)
    counts = [run.transactions["count"].to_pylist() for run in runs]
    assert [line.values for line in tps.series] == [
        [sum(count[start : start + 5]) / 5 for start in range(0, 20, 5)] for count in counts
    ]
    assert isinstance(box, Lanes)
    assert [lane.label for lane in box.lanes] == [f"{run.name} shop" for run in runs]


def test_a_comparison_is_about_transactions(runs: list[Run]) -> None:
    compared = compare(*runs, seeds=1)
    first = compared["rows"][0]
    assert (first["figure"], first["op"], first["device"]) == ("tps", "transaction", None)
    assert first["values"] == pytest.approx([run.result["transactions"][0]["tps"] for run in runs])
    iops = next(row for row in compared["rows"] if row["figure"] == "iops")
    assert iops["values"] == pytest.approx(
        [sum(total["iops"] for total in run.result["totals"]) for run in runs], rel=0.01
    )
    [conclusion] = compared["conclusions"]
    assert "% TPS (" in conclusion["sentence"]
    assert "IOPS" not in conclusion["sentence"]
    steps = [row for row in compared["steps"] if row["figure"] == "tps"]
    assert [row["load"] for row in steps] == [{"processes": 8}, {"processes": 16}]


def test_conditions_on_transactions_hold_or_fail(runs: list[Run]) -> None:
    conditions = ["shop.transactions.tps < +5%", "shop.transactions.tps > +5%",
                  "shop.transactions.latency.p99 > 10s"]  # fmt: skip
    outcomes = compare(*runs, seeds=1, fail_if=conditions)["conditions"]
    assert [outcome["holds"] for outcome in outcomes] == [False, True, False]
    with pytest.raises(ScenarioError, match=r"`shop.transactions.tps > 5%`: `5%` is not a change"):
        compare(*runs, seeds=1, fail_if=["shop.transactions.tps > 5%"])


def test_many_give_the_transactions_of_each(tmp_path: Path) -> None:
    scenario = tmp_path / "shop.yaml"
    scenario.write_text(SHOP)
    short: dict[str, object] = {"duration": "4s", "warmup": "1s", "events": []}
    table = simulate_many([(scenario, short), {"name": "no"}], detail="transactions")
    of_one, of_none = table.to_pylist()
    [total] = simulate(scenario, short, seeds=1).result["transactions"]
    us, engine = total["latency_us"], total["engine"]
    assert us
    assert engine
    assert (of_one["job"], of_one["count"], of_one["tps"]) == ("shop", total["count"], total["tps"])
    assert (of_one["latency_p99_us"], of_one["hit_ratio"]) == (us["p99"], engine["hit_ratio"])
    assert (of_one["error"], of_none["job"]) == (None, None)
    assert of_none["error"] == "scenario: `storage` is missing"


def test_what_other_seeds_come_to_is_told(tmp_path: Path) -> None:
    scenario = tmp_path / "shop.yaml"
    scenario.write_text(SHOP)
    run = simulate(scenario, {"duration": "4s", "warmup": "1s", "events": []}, seeds=3)
    by_seed = run.result["by_seed"]
    assert by_seed
    [of_shop] = by_seed["transactions"]
    least, most = of_shop["tps"]["min"], of_shop["tps"]["max"]
    assert least <= run.result["transactions"][0]["tps"] <= most
    lines = [line.split() for line in plain(run).splitlines()]
    assert [line[2] for line in lines if line[:2] == ["shop", "min"]] == [f"{least:,.0f}"]
    assert [line[2] for line in lines if line[:2] == ["shop", "max"]] == [f"{most:,.0f}"]
    tables = tables_under("Transactions", run)
    [seeds] = [table for table in tables if table.caption == "Min and max of seeds 1 to 3"]
    assert seeds.rows[0][:2] == ["shop", f"{least:,.0f} to {most:,.0f}"]


def test_who_has_not_settled_says_so(tmp_path: Path) -> None:
    scenario = tmp_path / "shop.yaml"
    scenario.write_text(SHOP)
    # All data in memory, one core, and hardly any page written.
    changed = {
        "workload.shop.pool": "512MiB", "workload.shop.flush": {"rate": "1/s"},
        "workload.shop.cores": 1, "workload.shop.threads": 16,
    }  # fmt: skip
    rising = simulate(
        scenario, {"duration": "9s", "warmup": "1s", "events": [], **changed}, seeds=1
    )
    engine = rising.result["transactions"][0]["engine"]
    assert engine
    before, after = engine["halves"]
    said = (
        "shop has not settled, so its TPS may yet change: from the first half of the time to the "
        f"second the most dirty pages rose from {before['peak_dirty_pages']:,} to "
        f"{after['peak_dirty_pages']:,}"
    )
    assert [line for line in caveats(rising) if line.startswith(said)]
    assert said in plain(rising)
    kept = {"workload.shop.transactions.order.changes": 0, "workload.shop.threads": 16}
    steady = simulate(scenario, {"duration": "9s", "warmup": "1s", "events": [], **kept}, seeds=1)
    assert not [line for line in caveats(steady) if "settled" in line]
    assert "settled" not in plain(steady)


def plain(run: Run) -> str:
    """Its summary, on one line."""
    console = Console(file=io.StringIO(), width=1000)
    with console.capture() as captured:
        console.print(summary.of(run.result, None, run.facts))
    return captured.get()


def test_a_run_without_any_has_none(tmp_path: Path, runs: list[Run]) -> None:
    example = ROOT / "scenarios/examples/gp3.yaml"
    plain = simulate(example, {"duration": "12s"}, out=tmp_path / "plain")
    assert plain.path
    assert not (plain.path / "transactions.parquet").exists()
    assert plain.transactions.num_rows == 0
    assert not [figure for figure in all_figures([plain], 5) if "tps" in figure.name]
    [conclusion] = compare(plain, runs[0], anyway=True, seeds=1)["conclusions"]
    assert "TPS" not in conclusion["sentence"]


def test_an_engine_that_stopped_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "shop.yaml").write_text(SHOP)
    event = {"events": "[{at: 10s, fail: data, for: 5s}]"}
    run = simulate(tmp_path / "shop.yaml", event, out=tmp_path / "run")
    [total] = run.result["transactions"]
    [stop] = total["stopped"]
    assert total["failed"] == 16
    assert 10 <= stop["t_s"] < 10.1
    said = "the engine of shop stopped at 10 s: a "
    told = headline(run.result, run.facts)
    assert said in told
    assert "throttled by" not in told
    assert any(said.removeprefix("t") in caveat for caveat in caveats(run))
    said = "shop: 16 transactions failed, which no figure counts"
    assert said in summary.lines(run.result, run.facts)
    counts = run.transactions.filter(pc.greater(run.transactions["t_s"], 10.5))["count"]
    assert pc.sum(counts).as_py() == 0
