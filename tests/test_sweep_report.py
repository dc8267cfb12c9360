"""Reports of sweeps: what decides, maps, frontiers, and two sweeps side by side."""

import json
from pathlib import Path

import pytest

import blockyard as by
from blockyard.pages import sweep as pages
from blockyard.pages.figure import Cells, Curves
from blockyard.sweeps import comparing, summary, words
from blockyard.sweeps.sweep import Sweep
from browser import Visiting
from conftest import Blockyard, one_line
from samples import figure, page

pytest_plugins = ["visiting"]

BASE = {
    "name": "one",
    "duration": "1s",
    "storage": {"data": {"type": "gp3", "size": "100GiB"}},
    "workload": {
        "readers": {"kind": "ranread", "on": "data", "file_size": "10GiB", "processes": 2}
    },
}
SWEEP = {
    "name": "three",
    "base": "one.yaml",
    "axes": {
        "storage.data.iops": [3000, 4000, 5000],
        "workload.readers.processes": [1, 4, 16],
        "storage.data.size": ["100GiB", "200GiB"],
    },
    "seeds": 2,
    "goals": ["p99 < 2ms"],
}


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    folder = tmp_path_factory.mktemp("swept")
    (folder / "one.yaml").write_text(json.dumps(BASE))
    (folder / "sweep.yaml").write_text(json.dumps(SWEEP))
    return by.sweep(folder / "sweep.yaml", out=folder / "made")


def test_the_axis_that_decides_is_named(swept: Sweep) -> None:
    figure = "readers.latency.p99_us"
    assert words.main_figure(swept) == figure
    said = words.decided(swept)
    assert said.startswith("workload.readers.processes decides readers.latency.p99: it explains")
    shares = dict(words.shares(swept, figure))
    # The size of a gp3 changes its price alone.
    assert shares["storage.data.size"] < 0.01
    assert shares["workload.readers.processes"] > shares["storage.data.iops"] > 0.01


def test_maps_have_the_medians_of_the_table(swept: Sweep) -> None:
    made = pages.report(swept)
    figures = {one.name: one for section in made.sections for one in section.figures}
    # One for each of the two sizes.
    assert {"map-0", "map-1", "lines", "frontier"} == figures.keys()
    cells = figures["map-0"].plot
    assert isinstance(cells, Cells)
    assert (cells.columns, cells.rows) == (["1", "4", "16"], ["5000", "4000", "3000"])
    rows = [
        row["readers.latency.p99_us"]
        for row in swept.runs.to_pylist()
        if row["workload.readers.processes"] == 16
        and row["storage.data.iops"] == 3000
        and row["storage.data.size"] == "100GiB"
    ]
    assert len(rows) == 2
    assert cells.values[2][2] == pytest.approx(sum(rows) / 2 / 1e3)
    lines = figures["lines"].plot
    assert isinstance(lines, Curves)
    assert [curve.label for curve in lines.curves] == ["iops 3000", "iops 4000", "iops 5000"]
    assert [[x for x, _, _ in curve.points] for curve in lines.curves] == [[1, 4, 16]] * 3


def test_nothing_is_cheaper_and_better_than_the_frontier(swept: Sweep) -> None:
    figure = "readers.latency.p99_us"
    points = summary.points(swept, swept.about.axes)
    best = summary.frontier(points, figure)
    assert best
    for point in points:
        for other in best:
            assert point.usd_per_month is not None
            assert other.usd_per_month is not None
            assert (
                point.usd_per_month > other.usd_per_month
                or (point.figures[figure] or 0) >= (other.figures[figure] or 0)
                or point in best
            )
    # More IOPS are better where they bind, and cost more.
    binding = [point for point in points if point.axes["workload.readers.processes"] == 16]
    assert len(summary.frontier(binding, figure)) == 3
    rates = summary.frontier(binding, "readers.iops")
    assert [point.axes["storage.data.iops"] for point in rates] == [3000, 4000, 5000]


def test_two_sweeps_are_set_side_by_side(
    swept: Sweep, blockyard: Blockyard, tmp_path: Path
) -> None:
    other = by.sweep(
        swept.path.parent / "sweep.yaml",
        {"duration": "1s", "storage.data.tokens": "0%"},
        out=tmp_path / "empty",
    )
    compared = comparing.compare(swept, other)
    assert len(compared.pairs) == 18
    (pair,) = [pair for pair in compared.pairs if [*pair.axes.values()] == [3000, 16, "100GiB"]]
    figure = compared.figure
    points = {point.combination: point for point in summary.points(other, other.about.axes)}
    own = next(point for point in points.values() if dict(point.axes) == pair.axes)
    assert pair.other == own.figures[figure]
    assert pair.change == pair.other / pair.first - 1
    finished = blockyard("compare", swept.path, "empty", "--json")
    assert finished.returncode == 0, finished.stderr
    document = json.loads(finished.stdout)
    assert document["sentence"] == compared.sentence()
    assert "at the median of 18 combinations" in document["sentence"]
    finished = blockyard("compare", swept.path, "empty", "-o", "both.html")
    assert finished.returncode == 0, finished.stderr
    assert "empty vs made" in (tmp_path / "both.html").read_text()


def test_what_cannot_be_compared_is_one_line(
    swept: Sweep, blockyard: Blockyard, tmp_path: Path
) -> None:
    asked = SWEEP | {
        "axes": {"duration": ["1s", "2s"]},
        "base": str(swept.path.parent / "one.yaml"),
    }
    by.sweep(asked, out=tmp_path / "other")
    finished = blockyard("compare", swept.path, "other")
    assert finished.returncode == 2
    assert "no axis in common" in one_line(finished)
    finished = blockyard("report", swept.path, "other")
    assert finished.returncode == 2
    assert "expected one sweep" in one_line(finished)
    torn = tmp_path / "other" / "runs.parquet"
    torn.write_bytes(torn.read_bytes()[:100])
    finished = blockyard("report", "other")
    assert finished.returncode == 2
    assert "runs.parquet: no whole Parquet file" in one_line(finished)


def test_a_report_is_words_a_page_or_pictures(
    swept: Sweep, blockyard: Blockyard, tmp_path: Path
) -> None:
    finished = blockyard("report", swept.path)
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.startswith("workload.readers.processes decides")
    assert "Combinations that meet the goals" in finished.stdout
    assert max(map(len, finished.stdout.splitlines())) <= 80
    finished = blockyard("report", swept.path, "-o", "sweep.html", "--svg", "pictures")
    assert finished.returncode == 0, finished.stderr
    assert "Sweep: three" in (tmp_path / "sweep.html").read_text()
    assert len([*(tmp_path / "pictures").iterdir()]) == 4


def test_of_one_run_and_of_no_common_combination_nothing_is_made_up(
    blockyard: Blockyard, tmp_path: Path
) -> None:
    for name, iops in (("one", 4000), ("other", 5000)):
        asked = {"base": "gp3.yaml", "axes": {"storage.data.iops": [iops]}}
        (tmp_path / f"{name}.yaml").write_text(json.dumps(asked))
        made = blockyard("sweep", f"{name}.yaml", "--out", name)
        assert "was measured in one run, so that no axis decides it" in made.stdout, made.stderr
    compared = blockyard("compare", "one", "other")
    assert compared.stdout.startswith("other vs one: no combination in common; expected sweeps")
    assert len(compared.stdout.splitlines()) == 2


@pytest.mark.slow
def test_a_browser_draws_the_cells(swept: Sweep, visit: Visiting) -> None:
    (section,) = pages.report(swept).sections
    seen = visit(page(figure(section.figures[0].plot, "Cells")))
    chart = seen.chart("Cells")
    assert chart.locator("svg.plot rect").count() == 9
    assert chart.locator("svg.plot text").count() == 9
    words_below = chart.locator("text.tick").all_text_contents()
    assert words_below == ["5000", "4000", "3000", "1", "4", "16"]
