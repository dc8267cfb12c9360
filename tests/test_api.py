"""`import blockyard`: runs as Python objects."""

import doctest
import importlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import polars
import pytest

import blockyard
from conftest import GP3, ROOT


@pytest.fixture
def gp3(tmp_path: Path) -> Path:
    """A scenario file."""
    (tmp_path / "gp3.yaml").write_text(GP3)
    return tmp_path / "gp3.yaml"


@pytest.mark.parametrize("name", ["blockyard", "blockyard.api", "blockyard.comparison"])
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
    assert not run.path.exists()
    assert [entry.name for entry in tmp_path.iterdir()] == ["gp3.yaml"]


def test_a_run_directory_is_kept_where_it_is_asked_for(gp3: Path, tmp_path: Path) -> None:
    run = blockyard.simulate(gp3, out=tmp_path / "runs" / "one")
    again = blockyard.load(tmp_path / "runs" / "one")
    assert again.result == run.result
    assert again.intervals.equals(run.intervals)
    with pytest.raises(FileExistsError):
        blockyard.simulate(gp3, out=tmp_path / "runs" / "one")


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
    assert "held back by: data iops" in shown


def test_ctrl_c_stops_a_simulation(gp3: Path) -> None:
    code = f"import blockyard; print('go', flush=True); blockyard.simulate({str(gp3)!r}, LONG)"
    code = code.replace("LONG", "{'duration': '100000m'}")
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
