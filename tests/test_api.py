"""`import blockyard`: runs as Python objects."""

import concurrent.futures
import copy
import doctest
import importlib
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars
import pyarrow.compute as pc
import pytest

import blockyard
from blockyard.questions.arguments import Asked, Variant
from conftest import GP3, ROOT


@pytest.fixture
def gp3(tmp_path: Path) -> Path:
    """A scenario file."""
    (tmp_path / "gp3.yaml").write_text(GP3)
    return tmp_path / "gp3.yaml"


@pytest.mark.parametrize(
    "name",
    [
        "blockyard",
        *(
            f"blockyard.questions.{verb}"
            for verb in ("capacity", "compare", "cost", "plan", "provision", "simulate", "what_if")
        ),
    ],
)
def test_examples_of_docstrings_hold(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    module = importlib.import_module(name)
    tried = doctest.testmod(module, extraglobs={"blockyard": blockyard})
    assert tried.attempted > 0
    assert tried.failed == 0


def test_a_simulation_gives_a_run_and_keeps_nothing(gp3: Path, tmp_path: Path) -> None:
    run = blockyard.simulate(gp3, {"seed": 2, "workload.readers.processes": [2, 3]})
    assert run.result["seed"] == 2
    assert {step["processes"] for step in run.result["steps"]} == {2, 3}
    assert run.path is None
    assert [entry.name for entry in tmp_path.iterdir()] == ["gp3.yaml"]


def test_a_run_directory_is_kept_where_it_is_asked_for(gp3: Path, tmp_path: Path) -> None:
    run = blockyard.simulate(gp3, out=tmp_path / "runs" / "one")
    again = blockyard.load(tmp_path / "runs" / "one")
    assert again.result == run.result
    assert again.intervals.equals(run.intervals)
    with pytest.raises(FileExistsError) as taken:
        blockyard.simulate(gp3, out=tmp_path / "runs" / "one")
    assert taken.value.filename == str(tmp_path / "runs" / "one")


SCENARIO = {
    "name": "gp3",
    "duration": "4s",
    "storage": {"data": {"type": "gp3", "size": "100GiB", "iops": 4000}},
    "workload": {
        "readers": {"kind": "ranread", "on": "data", "file_size": "1GiB", "processes": [1, 2]}
    },
}


def iops(run: blockyard.Run) -> float | None:
    """The limit of its volume."""
    return next(one["value"] for one in run.result["resolved"] if one["limit"] == "iops")


def test_a_scenario_may_be_a_dict_and_so_may_what_overrides_it() -> None:
    run = blockyard.simulate(SCENARIO, {"storage": {"data": {"iops": 5000}}, "seed": 2})
    assert (run.name, run.result["seed"], iops(run)) == ("gp3", 2, 5000)
    again = blockyard.simulate(SCENARIO, {"storage.data.iops": 5000, "seed": 2})
    assert again.result == run.result
    with pytest.raises(blockyard.ScenarioError, match=r"^scenario: storage\.data\.iops: "):
        blockyard.simulate(SCENARIO | {"storage": {"data": {"type": "gp3", "iops": "many"}}})
    benched = blockyard.bench(
        SCENARIO, {"data": "null:"}, {"duration": "200ms", "interval": "100ms"}
    )
    assert benched.result["scenario"] == "gp3"


def test_none_takes_a_value_away() -> None:
    assert iops(blockyard.simulate(SCENARIO, {"storage.data.iops": None})) == 3000
    assert iops(blockyard.simulate(SCENARIO, {"storage": {"data": {"iops": None}}})) == 3000
    with pytest.raises(blockyard.ScenarioError, match="workload"):
        blockyard.simulate(SCENARIO, {"workload.readers": None})
    with pytest.raises(blockyard.ScenarioError, match="nothing: unknown key"):
        blockyard.simulate(SCENARIO, {"nothing": None})


READ = """
import pickle, sys
run, scenario = pickle.load(sys.stdin.buffer)
print(run.result["seed"], run.intervals.num_rows, scenario.seed, scenario.step_starts_s)
print(run.latencies.merged(run.latencies.tags, 1, 3).mean_us)
"""


def test_runs_and_scenarios_are_copied_and_go_to_other_processes() -> None:
    run = blockyard.simulate(SCENARIO, {"seed": 3})
    scenario = blockyard.Scenario.load(run.scenario or "", "scenario.yaml", ["seed=4"])
    # Only the middle, which shows where the intervals lie.
    middle = run.latencies.merged(run.latencies.tags, 1, 3)
    sent = pickle.dumps((run, scenario))
    told = subprocess.run([sys.executable, "-c", READ], input=sent, capture_output=True, check=True)
    assert told.stdout.decode().splitlines() == ["3 4 4 [0.0, 2.0]", str(middle.mean_us)]
    for other in (copy.copy(run), copy.deepcopy(run), pickle.loads(sent)[0]):  # noqa: S301
        assert other.result == run.result
        assert other.intervals.equals(run.intervals)
        assert other.latencies.tags == run.latencies.tags
        assert other.latencies.over_time(run.latencies.tags, 1)[1][1].buckets() == (
            run.latencies.over_time(run.latencies.tags, 1)[1][1].buckets()
        )
    for one in (scenario, middle, run.latencies):
        assert repr(copy.deepcopy(one)) == repr(one)
    assert copy.copy(scenario).show() == scenario.show()


def seed_and_iops(scenario: blockyard.Scenario) -> tuple[int, list[float]]:
    """What another process makes of a scenario sent to it."""
    table = blockyard.simulate_many([scenario], threads=1)
    return scenario.seed, table["iops"].to_pylist()


def test_scenarios_go_to_a_pool_of_processes_as_they_were_changed(gp3: Path) -> None:
    text = gp3.read_text()
    scenarios = [
        blockyard.Scenario.load(text, str(gp3), [f"seed={seed}", "duration=2s"]) for seed in (1, 2)
    ]
    spawn = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=spawn) as pool:
        told = list(pool.map(seed_and_iops, scenarios))
    assert told == [seed_and_iops(scenario) for scenario in scenarios]
    assert [seed for seed, _ in told] == [1, 2]
    for scenario in scenarios:
        again = pickle.loads(pickle.dumps(scenario))  # noqa: S301
        assert again == scenario == copy.deepcopy(scenario)
        assert again != blockyard.Scenario.load(text, str(gp3))


def figures(run: blockyard.Run) -> list[dict[str, object]]:
    """The rows that `simulate_many` must return for a run."""
    result = run.result
    met = [goal["met"] for goal in result["goals"]]
    rows = []
    for total in result["totals"]:
        throttled = {
            f"{limit['owner']}.{limit['limit']}": share["throttled_s"]
            for limit in result["limits"]
            for share in limit["jobs"]
            if share["job"] == total["job"] and share["throttled_s"]
        }
        columns = ("job", "device", "op", "ios", "bytes", "iops", "mib_per_s", "peak_iops")
        rows.append(
            {"name": result["scenario"], "seed": result["seed"]}
            | {name: dict(total)[name] for name in columns}
            | {
                f"latency_{name}_us": value
                for name, value in (total["latency_us"] or dict.fromkeys(_LATENCIES)).items()
            }
            | {"throttled_by": max(throttled, key=throttled.__getitem__, default=None)}
            | {"throttled_s": list(throttled.items()), "error": None}
            | {"goals_met": all(met) if met else None}
        )
    return rows


_LATENCIES = ("mean", "p50", "p95", "p99", "p99_9", "max")


def test_many_give_what_each_gives_alone_in_their_order(gp3: Path) -> None:
    write_daemon = ROOT / "scenarios/examples/ranwrite.yaml"
    variants: list[tuple[Asked, dict[str, object]]] = [
        (gp3, {"storage.data.iops": 4000}),
        (write_daemon, {"duration": "60s"}),
        (SCENARIO, {"seed": 2**63, "goals": ["readers.read.ios > 10"]}),
        (gp3, {"seed": 9}),
    ]
    loaded = blockyard.Scenario.load(gp3.read_text(), str(gp3), ["seed=9"])
    many: list[Variant] = [*variants[:3], loaded]
    table = blockyard.simulate_many(many, threads=3)
    assert table.equals(blockyard.simulate_many(many, threads=1))
    rows = table.drop_columns("sets").to_pylist()
    alone = [
        {"scenario": number, **row}
        for number, (scenario, sets) in enumerate(variants)
        for row in figures(blockyard.simulate(scenario, sets))
    ]
    assert rows == alone
    assert polars.DataFrame(table)["seed"].max() == 2**63


def test_what_fails_among_many_says_why_and_loses_no_other() -> None:
    table = blockyard.simulate_many(
        [{"name": "no"}, SCENARIO, (SCENARIO, {"workload": None}), (SCENARIO, {"repeats": 2})]
    )
    rows = table.to_pylist()
    assert [row["scenario"] for row in rows] == [0, 1, 2, 3, 3]
    assert [row["seed"] for row in rows] == [None, 1, None, 1, 2]
    assert rows[0]["error"] == "scenario: `storage` is missing"
    assert rows[2]["error"] == "scenario: workload: no jobs; expected at least one"
    assert [row["error"] for row in (rows[1], *rows[3:])] == [None, None, None]
    assert blockyard.simulate_many([]).num_rows == 0
    with pytest.raises(FileNotFoundError):
        blockyard.simulate_many(["no.yaml"])
    with pytest.raises(ValueError, match="threads: 0; expected 1 to 4096"):
        blockyard.simulate_many([SCENARIO], threads=0)
    with pytest.raises(ValueError, match="threads: -1; expected 1 to 4096"):
        blockyard.simulate_many([SCENARIO], threads=-1)
    with pytest.raises(ValueError, match="threads: 4294967296; expected 1 to 4096"):
        blockyard.simulate_many([SCENARIO], threads=2**32)


def test_the_table_of_many_has_their_overrides() -> None:
    asked: list[Variant] = [
        SCENARIO,
        (SCENARIO, {"storage": {"data": {"iops": 4000}}, "repeats": 2}),
        {},
    ]
    rows = blockyard.simulate_many(asked).to_pylist()
    four = ["storage.data.iops=4000", "repeats=2"]
    assert [row["sets"] for row in rows] == [[], four, four, []]


# What type checkers would refuse.
SLIPS: dict[str, Any] = {"sets": ["seed=2"], "table": "interval"}


@pytest.mark.parametrize(
    ("call", "kind", "says"),
    [
        (
            lambda gp3: blockyard.simulate(gp3, SLIPS["sets"]),
            TypeError,
            'sets: a list; expected a dict such as {"storage.data.iops": 6000}',
        ),
        (
            lambda gp3: blockyard.simulate(gp3, {"storage.data.iops": "x"}),
            blockyard.ScenarioError,
            "sets: storage.data.iops: `x` is not a whole number; expected digits only, as in "
            "`16000`",
        ),
        (
            lambda gp3: blockyard.capacity(gp3, "readers.iosp > 5"),
            blockyard.ScenarioError,
            "goals: no figure is called `iosp`; did you mean `iops`?",
        ),
        (
            lambda gp3: blockyard.simulate(gp3, seeds=0),
            ValueError,
            "seeds: 0; expected 1 or more, or None for as many as suffice",
        ),
        (
            lambda gp3: blockyard.simulate(gp3).to_polars(SLIPS["table"]),
            ValueError,
            "no table `interval`; expected one of intervals, volumes, transactions",
        ),
        (
            lambda gp3: blockyard.compare(blockyard.simulate(gp3)),
            ValueError,
            "1 of what is compared; expected two or more runs",
        ),
    ],
    ids=["sets", "value", "goals", "seeds", "table", "sides"],
)
def test_mistakes_are_told_in_the_words_of_python(
    gp3: Path, call: Callable[[Path], object], kind: type[Exception], says: str
) -> None:
    with pytest.raises(kind) as raised:
        call(gp3)
    assert str(raised.value) == says


def test_only_what_is_offered_is_listed() -> None:
    names = [name for name in dir(blockyard) if not name.startswith("__")]
    assert names == sorted(set(blockyard.__all__) - {"__version__"})


def test_intervals_of_many_are_those_of_each() -> None:
    table = blockyard.simulate_many([(SCENARIO, {"repeats": 2}), {}], detail="intervals")
    run = blockyard.simulate(SCENARIO, {"seed": 2})
    second = table.filter(pc.equal(table["seed"], 2))
    assert second.select(run.intervals.column_names).to_pylist() == run.intervals.to_pylist()
    assert table.num_rows == 2 * run.intervals.num_rows + 1
    assert table["error"].to_pylist()[-1] == "scenario: `name` is missing"


def test_a_run_tells_what_it_is_in_a_few_lines_and_no_place_that_is_gone(gp3: Path) -> None:
    run = blockyard.simulate(gp3)
    lines = repr(run).splitlines()
    assert lines[0] == "<Run gp3: gp3: 10 s simulated, seed 1"
    assert lines[-1].startswith("readers read     all")
    assert len(lines) < 10
    assert repr(run.latencies).endswith("IOs: readers.data.read>")
    assert repr(run.asked()) == "<Scenario gp3, 10 s, seed 1>"
    from blockyard.pages import report
    from blockyard.pages.page import html
    from blockyard.words import paragraphs

    shown = [repr(run), run._repr_html_(), html(report.report([run], 5.0))]
    shown += [sentence for part in paragraphs.paragraphs(run) for sentence in part.sentences]
    for text in [*shown, pickle.dumps(run).decode(errors="replace")]:
        assert tempfile.gettempdir() + "/blockyard-" not in text


@pytest.mark.parametrize(
    ("method", "library", "what"),
    [
        ("to_polars", "polars", "pip install polars"),
        ("to_pandas", "pandas", "pip install pandas"),
        ("plot", "matplotlib", r"pip install 'blockyard\[plots\]'"),
    ],
)
def test_what_is_not_installed_is_named(
    gp3: Path, monkeypatch: pytest.MonkeyPatch, method: str, library: str, what: str
) -> None:
    run = blockyard.simulate(gp3)
    for name in list(sys.modules):
        if name.startswith(("blockyard.pages.drawing", library)):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr("blockyard.pages.drawing", raising=False)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=what):
        getattr(run, method)(*(["iops-data"] if method == "plot" else []))


def test_real_storage_gives_a_run_too(gp3: Path, tmp_path: Path) -> None:
    run = blockyard.bench(gp3, {"data": tmp_path / "data"}, {"duration": "2s"}, size="4MiB")
    assert run.result["mode"] == "bench"
    assert run.result["totals"][0]["ios"] > 0


def test_what_is_wrong_with_a_scenario_is_an_error(gp3: Path) -> None:
    with pytest.raises(blockyard.ScenarioError, match=r"storage\.data\.iops"):
        blockyard.simulate(gp3, {"storage.data.iops": 1})


def test_tables_go_to_polars(gp3: Path) -> None:
    run = blockyard.simulate(gp3)
    frame = run.to_polars()
    assert frame["ios"].sum() == sum(total["ios"] for total in run.result["totals"])
    assert run.to_polars("volumes").columns == run.volumes.column_names
    assert isinstance(frame, polars.DataFrame)


def test_charts_are_matplotlibs(gp3: Path) -> None:
    run = blockyard.simulate(gp3)
    [axes] = run.plot("iops-data").axes
    assert axes.get_title(loc="left") == "IOPS on data"
    with pytest.raises(KeyError, match="no chart `iops`; there are iops-data, "):
        run.plot("iops")


def test_a_notebook_shows_the_summary(gp3: Path) -> None:
    shown = blockyard.simulate(gp3)._repr_html_()
    assert shown.startswith("<pre>")
    assert "throttled by: data IOPS" in shown


@pytest.mark.parametrize(
    "call", ["simulate(GP3, LONG)", "simulate_many([(GP3, LONG)] * 100, threads=2)"]
)
def test_ctrl_c_stops_simulations(gp3: Path, call: str) -> None:
    code = f"import blockyard; print('go', flush=True); blockyard.{call}"
    code = code.replace("GP3", repr(str(gp3))).replace("LONG", "{'duration': '100000m'}")
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(0.5)
    os.kill(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert errors.rstrip().endswith("KeyboardInterrupt")


def test_another_thread_simulates_too(gp3: Path) -> None:
    runs: list[blockyard.Run] = []
    thread = threading.Thread(target=lambda: runs.append(blockyard.simulate(gp3)))
    thread.start()
    thread.join()
    assert runs[0].result["status"] == "complete"
