"""Sweeps on clusters of several processes: the same bytes, also when a worker is killed."""

import json
import os
import signal
import threading
from pathlib import Path

import pytest

import blockyard as by
from blockyard.questions.sweep import Prices, plan
from blockyard.sweeps import engines, making
from blockyard.sweeps.directory import LATENCIES, RUNS
from blockyard.sweeps.dispatch import Progress
from blockyard.sweeps.engines import EngineError, remote

BASE = {
    "name": "one",
    "duration": "2s",
    "storage": {"data": {"type": "gp3", "size": "100GiB"}},
    "workload": {
        "readers": {"kind": "ranread", "on": "data", "file_size": "10GiB", "processes": 2}
    },
}
SWEEP = {
    "base": "one.yaml",
    "axes": {
        "storage.data.iops": [3000, 4000, 5000],
        "workload.readers.processes": [1, 2, 4, 8],
    },
    "seeds": 4,
    "goals": ["p99 < 2ms"],
}
# What Dask and Ray themselves warn of.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def planned(tmp_path: Path) -> making.Planned:
    (tmp_path / "one.yaml").write_text(json.dumps(BASE))
    return plan(json.dumps(SWEEP), "sweep.yaml", tmp_path, (), (), Prices())


def tables(made: Path) -> list[bytes]:
    return [(made / name).read_bytes() for name in (RUNS, LATENCIES)]


def on_threads(planned: making.Planned, folder: Path) -> list[bytes]:
    engine = engines.named("threads", 2)
    making.make(planned, folder / "threads", engine, threading.Event())
    engine.close()
    return tables(folder / "threads")


class StopsAfter(making.View):
    """Stops a sweep once some runs are done."""

    def __init__(self, stop: threading.Event, after: int) -> None:
        self.stop, self.after = stop, after

    def progressed(self, progress: Progress) -> None:
        if progress.done >= self.after:
            self.stop.set()


class KillsOnce(making.View):
    """Kills a process once some runs are done."""

    def __init__(self, pids: list[int], after: int) -> None:
        self.pids, self.after = pids, after

    def progressed(self, progress: Progress) -> None:
        if self.pids and progress.done >= self.after:
            os.kill(self.pids.pop(), signal.SIGKILL)


@pytest.mark.slow
def test_dask_gives_the_same_bytes_though_a_worker_is_killed(
    planned: making.Planned, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed", reason="dask[distributed] is not installed")
    # Many pieces, so that the one that dies has some.
    monkeypatch.setattr("blockyard.sweeps.dispatch.PIECE_S", 0.01)
    engine = engines.named("dask", 2)
    try:
        pids = [*engine._client.run(os.getpid).values()]  # type: ignore[attr-defined]
        assert len(set(pids)) == 2
        # What is done when it is stopped is kept, and not run again.
        stop = threading.Event()
        stopper = StopsAfter(stop, 20)
        part = making.make(planned, tmp_path / "dask", engine, stop, stopper)
        assert part.about.status == "interrupted"
        assert 20 <= part.about.done < 48
        view = KillsOnce(pids[:1], part.about.done + 6)
        going = threading.Event()
        made = making.make(planned, tmp_path / "dask", engine, going, view, resume=True)
    finally:
        engine.close()
    assert not view.pids
    assert (made.about.done, made.about.failed) == (48, 0)
    assert tables(tmp_path / "dask") == on_threads(planned, tmp_path)


@pytest.mark.slow
def test_workers_of_another_version_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="dask[distributed] is not installed")
    monkeypatch.setattr(remote, "__version__", "0.0.1")
    with pytest.raises(EngineError, match=r"has blockyard .*, this is 0\.0\.1; install the same"):
        engines.named("dask", 1)


def test_a_cluster_that_cannot_be_reached_is_one_line(
    planned: making.Planned, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed", reason="dask[distributed] is not installed")
    from blockyard.sweeps.engines import on_dask

    monkeypatch.setattr(on_dask, "_ANSWERS_S", 0.5)
    with pytest.raises(EngineError, match=r"--on dask=tcp://127\.0\.0\.1:9: cannot reach"):
        engines.named("dask=tcp://127.0.0.1:9", None)
    assert planned.plan.combinations == 12


@pytest.mark.slow
def test_ray_gives_the_same_bytes(planned: making.Planned, tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="ray is not installed")
    engine = engines.named("ray", 2)
    try:
        assert engine.width == 2
        made = making.make(planned, tmp_path / "ray", engine, threading.Event())
    finally:
        engine.close()
    assert made.about.failed == 0
    assert tables(tmp_path / "ray") == on_threads(planned, tmp_path)


@pytest.mark.parametrize("name", ["dask", "ray"])
def test_what_is_not_installed_is_said(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(EngineError, match=rf"pip install 'blockyard\[{name}\]'"):
        engines.named(name, 1)


def test_versions_must_be_equal() -> None:
    remote.check("dask", {"a": by.__version__})
    with pytest.raises(EngineError, match=r"worker b has blockyard 0\.0\.1, this is"):
        remote.check("dask", {"a": by.__version__, "b": "0.0.1"})
    with pytest.raises(EngineError, match="worker b has no blockyard"):
        remote.check("dask", {"b": ModuleNotFoundError("No module named 'blockyard'")})
    with pytest.raises(RuntimeError, match="on the client"):
        remote.carry_out_as("0.0.1", "{}")
