"""The charts of a report: their numbers against the tables of real runs."""

import dataclasses
import math
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from blockyard._core import Latencies
from blockyard.pages.charts import all_figures
from blockyard.pages.figure import Bars, Curves, Figure, Heat, Lanes, Lines, Series
from blockyard.runs.run import Run
from runs import simulated

STEPPED = "examples/gp3"
DATABASE = "examples/small-database"
CREDITS = "examples/gp2"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    folder = tmp_path_factory.mktemp("runs")
    return {
        "stepped": simulated(folder, STEPPED),
        "database": simulated(folder, DATABASE),
        "credits": simulated(folder, CREDITS),
        "host": simulated(folder, "intersystems-2022/b083", "duration=3m"),
    }


def figure(run: Run | list[Run], name: str, bin_s: float = 5) -> Figure:
    runs = run if isinstance(run, list) else [run]
    return {figure.name: figure for figure in all_figures(runs, bin_s)}[name]


def lines(run: Run | list[Run], name: str, bin_s: float = 5) -> Lines:
    plot = figure(run, name, bin_s).plot
    assert isinstance(plot, Lines)
    return plot


def line(plot: Lines, label: str) -> Series:
    [found] = [series for series in plot.series if series.label == label]
    return found


def twice(run: Run) -> list[Run]:
    """A run, and the same by another name: several are drawn in bins."""
    return [run, dataclasses.replace(run, name="again")]


def rows(run: Run, **where: str) -> list[dict[str, float]]:
    return [
        row
        for row in run.intervals.to_pylist()
        if all(row[key] == value for key, value in where.items())
    ]


def test_rates_are_the_rows(runs: dict[str, Run]) -> None:
    run = runs["database"]
    plot = lines(run, "iops-data")
    reads = [row["ios"] for row in rows(run, job="readers", device="data")]
    assert line(plot, "readers read").values == reads
    moved = rows(run, device="data", op="read") + rows(run, device="data", op="write")
    both = [sum(row["ios"] for row in moved if row["t_s"] == t_s) for t_s in plot.at]
    assert line(plot, "total").values == both
    throughput = lines(run, "throughput-wij")
    written = [row["bytes"] / 2**20 for row in rows(run, device="wij", op="write")]
    assert throughput.series[0].values == written


def test_bins_are_sums_and_not_means_of_means(runs: dict[str, Run]) -> None:
    run = runs["stepped"]
    plot = lines(twice(run), "iops-data-read", 7)
    ios = [row["ios"] for row in rows(run)]
    bins = [ios[start : start + 7] for start in range(0, len(ios), 7)]
    assert len(bins[-1]) < 7
    for series in plot.series:
        assert series.values == [sum(each) / len(each) for each in bins]


def test_a_short_rest_of_a_bin_is_left_out(runs: dict[str, Run]) -> None:
    plot = lines(twice(runs["stepped"]), "iops-data-read", 19)
    assert plot.at == [0, 19, 38]
    ios = [row["ios"] for row in rows(runs["stepped"])]
    assert plot.series[0].values == [sum(ios[start : start + 19]) / 19 for start in (0, 19, 38)]


def test_limits_in_force_are_drawn(runs: dict[str, Run]) -> None:
    plot = lines(runs["host"], "iops-data")
    assert [(level.label, level.value) for level in plot.levels] == [
        ("5 volumes, instance: 80,000 IOPS", 80_000)
    ]
    burst = lines(runs["credits"], "iops-data")
    assert [level.value for level in burst.levels] == [300, 3_000]


def test_a_limit_far_above_is_told_and_not_drawn(runs: dict[str, Run]) -> None:
    found = figure(runs["stepped"], "throughput-data")
    assert isinstance(found.plot, Lines)
    assert not found.plot.levels
    assert "volume 125 MiB/s" in found.caption


def test_a_limit_that_changed_is_a_line(runs: dict[str, Run]) -> None:
    run = runs["stepped"]
    changed = [
        dict(row["limits"]) | {"iops": 3_000 if row["t_s"] < 30 else 1_000}
        for row in run.volumes.to_pylist()
    ]
    column = pa.array([list(limits.items()) for limits in changed], run.volumes["limits"].type)
    place = run.volumes.schema.get_field_index("limits")
    volumes = run.volumes.set_column(place, "limits", column)
    run = dataclasses.replace(run, volumes=volumes, stored=None)
    plot = lines(run, "iops-data")
    limit = line(plot, "limit of volume")
    assert (limit.dash, limit.stepped, limit.colour) == ("dashed", True, None)
    assert limit.values == [3_000.0] * 30 + [1_000.0] * 30


def test_steps_are_spans(runs: dict[str, Run]) -> None:
    found = lines(runs["stepped"], "iops-data").spans
    assert [(span.label, span.start, span.end) for span in found] == [
        ("1 process", 0, 20),
        ("2 processes", 20, 40),
        ("4 processes", 40, 60),
    ]


def test_percentiles_over_time_come_from_merged_histograms(runs: dict[str, Run]) -> None:
    run = runs["stepped"]
    plot = lines(run, "latency-readers-data-read")
    p99 = line(plot, "p99").values
    whole = run.latencies.merged(["readers.data.read"], 25, 30)
    assert p99[5] == whole.quantiles_us([0.99])[0] / 1000
    # One interval's p99 is what its row says.
    alone = lines(run, "latency-readers-data-read", 1)
    for value, row in zip(line(alone, "p99").values, rows(run), strict=True):
        assert value is not None
        assert math.isclose(1000 * value, row["latency_p99_us"], rel_tol=2e-3)


def test_lines_break_where_nothing_completed(runs: dict[str, Run]) -> None:
    plot = lines(runs["host"], "latency-writers-data-write")
    values = line(plot, "p50").values
    # Database writes come in bursts every 80 s.
    known = [t_s for t_s, value in zip(plot.at, values, strict=True) if value is not None]
    assert known == [80, 85, 90, 160, 165, 170]
    assert (plot.at[0], plot.at[-1]) == (0, 175)


def test_every_io_is_in_the_heat_map(runs: dict[str, Run]) -> None:
    for run in runs.values():
        for found in all_figures([run], 5):
            if isinstance(found.plot, Heat):
                plot = found.plot
                assert {len(column) for column in plot.counts} == {len(plot.y_edges) - 1}
                assert len(plot.counts) == len(plot.x_edges) - 1
                [tag] = [
                    f"{total['job']}.{total['device']}.{total['op']}"
                    for total in run.result["totals"]
                    if found.name == f"heat-{total['job']}-{total['device']}-{total['op']}"
                ]
                counted = sum(map(sum, plot.counts))
                assert counted == run.latencies.merged([tag]).count


def test_curves_end_at_the_slowest_io(runs: dict[str, Run]) -> None:
    run = runs["stepped"]
    plot = figure(run, "percentiles-readers-data-read").plot
    assert isinstance(plot, Curves)
    assert [curve.label for curve in plot.curves] == ["1 process", "2 processes", "4 processes"]
    for curve, step in zip(plot.curves, run.result["steps"], strict=True):
        assert step["latency_us"]
        shares = [point[0] for point in curve.points]
        assert shares == sorted(shares)
        assert 1 - shares[-1] >= 1 / step["ios"] * 0.999
        slowest = 1000 * curve.points[-1][1]
        assert slowest <= step["latency_us"]["max"] * 1.001
        p99 = next(1000 * y for share, y, what in curve.points if what == "p99")
        assert math.isclose(p99, step["latency_us"]["p99"], rel_tol=2e-3)


def test_the_knee_is_the_step_from_which_latency_alone_rises(runs: dict[str, Run]) -> None:
    plot = figure(runs["stepped"], "load-readers-data-read").plot
    assert isinstance(plot, Curves)
    assert plot.curves[0].marked == (1, "knee: 2 processes")
    steps = runs["stepped"].result["steps"]
    assert [point[0] for point in plot.curves[0].points] == [step["iops"] for step in steps]


def test_two_steps_and_flat_latency_have_no_knee(tmp_path: Path) -> None:
    two = simulated(tmp_path, STEPPED, "workload.readers.processes=[1, 2]", "duration=10s")
    assert not [found for found in all_figures([two], 5) if found.name.startswith("load")]
    few = "workload.readers.processes=[1, 2, 3]"
    flat = simulated(tmp_path, STEPPED, few, "storage.data.iops=16000", "duration=15m")
    plot = figure(flat, "load-readers-data-read").plot
    assert isinstance(plot, Curves)
    assert plot.curves[0].marked is None


def test_burst_balance_is_the_volumes(runs: dict[str, Run]) -> None:
    run = runs["credits"]
    plot = lines(run, "burst-balance")
    assert plot.y.most == 100
    assert plot.series[0].values == run.volumes["balance_pct"].to_pylist()


def test_burst_balance_is_the_instances_too(tmp_path: Path) -> None:
    instance = ("host={instance: r5n.large}", "duration=10s", "as_of=2026-10-01")
    run = simulated(tmp_path, "examples/gp2", *instance)
    plot = lines(run, "burst-balance")
    assert [series.label for series in plot.series] == ["data", "instance"]
    found = line(plot, "instance").values
    assert found == run.volumes["host_balance_pct"].to_pylist()
    [host] = run.result["hosts"]
    assert found[-1] == min(host["burst_balance_pct"].values())


def test_phases_of_cycles_are_lanes(runs: dict[str, Run]) -> None:
    run = runs["database"]
    plot = figure(run, "cycles-writers").plot
    assert isinstance(plot, Lanes)
    assert [level.value for level in plot.levels] == [10, 20]
    for lane, cycle in zip(plot.lanes, run.result["cycles"], strict=True):
        starts = [piece[0] for piece in lane.pieces]
        ends = [piece[1] for piece in lane.pieces]
        assert starts == [0, *ends[:-1]]
        assert ends[-1] == cycle["end_s"] - cycle["start_s"]


def test_time_throttled_is_the_limits(runs: dict[str, Run]) -> None:
    run = runs["host"]
    plot = figure(run, "throttled").plot
    assert isinstance(plot, Bars)
    throttled = {bar.label: sum(bar.parts) for bar in plot.bars}
    data = [limit["throttled_s"] for limit in run.result["limits"] if limit["owner"][:4] == "data"]
    assert math.isclose(throttled["data IOPS"], sum(data))
    took = figure(run, "took").plot
    assert isinstance(took, Bars)
    assert [round(sum(bar.parts)) for bar in took.bars] == [100] * len(took.bars)


def test_throttled_ios_add_up_to_the_time_throttled(runs: dict[str, Run]) -> None:
    run = runs["credits"]
    plot = lines(run, "waiting")
    for limit in run.result["limits"]:
        name = {"iops": "data IOPS", "iops_credits": "data IOPS baseline"}[limit["limit"]]
        values = [value or 0.0 for value in line(plot, name).values]
        assert math.isclose(sum(values), limit["throttled_s"], rel_tol=2e-3)


def test_several_runs_lie_over_each_other(runs: dict[str, Run]) -> None:
    both = [runs["stepped"], runs["credits"]]
    plot = lines(both, "iops-data-read")
    assert [series.label for series in plot.series] == [run.name for run in both]
    first = [row["ios"] for row in rows(both[0])][:5]
    assert plot.series[0].values[0] == sum(first) / 5
    # The shorter run's line ends.
    assert plot.series[0].values[-1] is None
    reads = [row for row in rows(both[1]) if row["t_s"] < 5]
    latency = sum(row["ios"] * row["latency_mean_us"] for row in reads)
    mean = lines(both, "mean-latency-data-read").series[1].values[0]
    assert mean is not None
    assert math.isclose(mean, latency / sum(row["ios"] for row in reads) / 1000)


def test_runs_of_other_devices_are_laid_over_each_other_as_wholes(runs: dict[str, Run]) -> None:
    names = [found.name for found in all_figures([runs["stepped"], runs["database"]], 5)]
    assert "iops-all-read" in names
    assert "iops-all-write" in names


def test_a_run_has_its_colour_and_its_name_in_every_figure(runs: dict[str, Run]) -> None:
    found = [runs["stepped"], runs["credits"], runs["host"]]
    without = dataclasses.replace(found[0], latencies=Latencies.of([]))
    for name in ("percentiles-all-read", "latency-all-read"):
        plot = figure([without, *found[1:]], name).plot
        shown = plot.curves if isinstance(plot, Curves) else plot.series  # type: ignore[union-attr]
        colours = {line.label.split(" ")[0]: line.colour for line in shown}
        assert colours == {run.name: number for number, run in enumerate(found) if number}
    balance = figure(found, "burst-balance")
    assert balance.title == f"{runs['credits'].name}: Burst balance"


def test_repeats_of_a_side_have_one_colour(runs: dict[str, Run]) -> None:
    some = [runs["stepped"], dataclasses.replace(runs["stepped"], name="again"), runs["credits"]]
    found = {figure.name: figure for figure in all_figures(some, 5, colours=[0, 0, 1])}
    plot = found["mean-latency-data-read"].plot
    assert isinstance(plot, Lines)
    assert [line.colour for line in plot.series] == [0, 0, 1]


def test_maps_of_several_runs_have_the_same_rows(runs: dict[str, Run]) -> None:
    both = [runs["stepped"], runs["credits"]]
    _, first, second = maps(both)
    assert first.y_edges == second.y_edges
    for run, plot in zip(both, (first, second), strict=True):
        [total] = run.result["totals"]
        assert sum(map(sum, plot.counts)) == total["ios"]


def test_the_difference_of_two_runs_is_that_of_their_maps(runs: dict[str, Run]) -> None:
    both = [runs["stepped"], runs["credits"]]
    found = all_figures(both, 5)
    assert found[0].name == "difference-data-read"
    assert found[0].title == "Where they differ: read on data"
    assert all(run.name in found[0].caption for run in both)
    difference, first, second = maps(both)
    assert difference.y_edges == first.y_edges == second.y_edges
    assert difference.x_edges == max(first.x_edges, second.x_edges, key=len)
    for number, column in enumerate(difference.counts):
        less, more = (cells_of(plot, number) for plot in (first, second))
        assert column == [b - a for a, b in zip(less, more, strict=True)]
    few = min(count for column in difference.counts for count in column)
    assert few < 0 < max(count for column in difference.counts for count in column)


def test_equal_runs_and_more_than_two_have_no_difference(runs: dict[str, Run]) -> None:
    run = runs["stepped"]
    for some in ([run], twice(run), [*twice(runs["credits"]), run]):
        assert not [one for one in all_figures(some, 5) if one.name.startswith("difference")]


def maps(found: list[Run]) -> list[Heat]:
    return [one.plot for one in all_figures(found, 5) if isinstance(one.plot, Heat)]


def cells_of(plot: Heat, column: int) -> Sequence[int]:
    """The cells of a column, empty beyond the end."""
    found = plot.counts[column : column + 1]
    return found[0] if found else [0] * (len(plot.y_edges) - 1)


def test_runs_of_other_intervals_lie_over_each_other(tmp_path: Path, runs: dict[str, Run]) -> None:
    wide = simulated(tmp_path, CREDITS, "interval=2s")
    both = [runs["credits"], dataclasses.replace(wide, name="wide")]
    for name in ("waiting", "burst-balance"):
        narrow_line, wide_line = lines(both, name).series
        assert None not in narrow_line.values
        assert len(narrow_line.values) == len(wide_line.values)
        for a, b in zip(narrow_line.values, wide_line.values, strict=True):
            assert a is not None
            assert b is not None
            assert math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-6)


def test_events_and_lateness_of_an_emulation(runs: dict[str, Run]) -> None:
    result = runs["stepped"].result.copy()
    result["events"] = [{"t_s": 12.5, "what": "data paused"}]
    histogram = runs["stepped"].latencies.merged(["readers.data.read"])
    rows = [("lateness", float(t_s), 1.0, histogram) for t_s in range(60)]
    run = dataclasses.replace(runs["stepped"], result=result, latencies=Latencies.of(rows))
    event = lines(run, "iops-data").spans[-1]
    assert (event.label, event.start, event.end) == ("data paused", 12.5, 12.5)
    late = lines(run, "lateness")
    assert [series.label for series in late.series] == ["p50", "p99", "max"]
    assert [level.value for level in late.levels] == [0.2]


def test_a_run_of_means_alone_has_its_means_drawn(runs: dict[str, Run]) -> None:
    run = dataclasses.replace(runs["stepped"], latencies=Latencies.of([]), scenario=None)
    names = [found.name for found in all_figures([run], 5)]
    assert "mean-latency-data" in names
    assert not [name for name in names if name.startswith(("heat", "percentiles", "latency"))]


def test_a_run_of_nothing_has_no_charts(runs: dict[str, Run]) -> None:
    run = runs["stepped"]
    result = run.result.copy()
    result |= {"totals": [], "steps": [], "limits": [], "resolved": [], "cycles": []}
    empty = dataclasses.replace(
        run,
        result=result,
        intervals=run.intervals.slice(0, 0),
        volumes=run.volumes.slice(0, 0),
        latencies=Latencies.of([]),
        stored=None,
    )
    assert all_figures([empty], 5) == []


def test_every_figure_can_be_read_and_has_a_name_of_its_own(runs: dict[str, Run]) -> None:
    for some in [*([run] for run in runs.values()), list(runs.values())]:
        figures = all_figures(some, 5)
        assert len({found.name for found in figures}) == len(figures)
        for found in figures:
            assert found.title
            assert found.caption.endswith(".")
            assert set(found.name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
            if isinstance(found.plot, Lines):
                assert {len(each.values) for each in found.plot.series} == {len(found.plot.at)}
                assert list(found.plot.at) == sorted(set(found.plot.at))


def test_each_chart_is_drawn_by_some_run(runs: dict[str, Run]) -> None:
    # By the names of their figures, without those of jobs and devices. Emulations are late, and
    # `test_transactions.py` has transactions.
    charts = {
        *("iops", "throughput", "mean-latency", "latency", "heat", "percentiles", "load"),
        *("burst-balance", "queue-depth", "cycles", "waiting", "throttled", "took", "difference"),
        *("cost", "per-cost"),
    }
    some = [*([run] for run in runs.values()), [runs["stepped"], runs["credits"]]]
    names = [found.name for each in some for found in all_figures(each, 5)]
    drawn = {next((one for one in charts if name.startswith(one)), name) for name in names}
    assert drawn == charts
