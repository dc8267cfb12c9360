"""The module of pages gives what the command gives, to the byte."""

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import blockyard
from blockyard.runs import findings
from conftest import ROOT
from engine import MODULE, Engine

pytestmark = pytest.mark.skipif(
    not MODULE.exists(), reason="no compiler for WebAssembly: the module was not built"
)

# Half an hour of a large scenario takes half a minute in Node.
SECONDS: dict[str, object] = {"duration": "4s"}
WARMED: dict[str, object] = {"duration": "4s", "warmup": "1s"}
STEPPED: dict[str, object] = {
    "duration": "4s",
    "workload.readers.schedule": [{"at": "0s", "processes": 40}],
}
SHORTENED: dict[str, dict[str, object]] = {
    "a002": SECONDS,
    "a006": STEPPED,
    "a006-wij-on-data": STEPPED,
    "b080": {"duration": "5s"},
    "b083": SECONDS,
    "cluster": WARMED,
    "instance-store": SECONDS,
    "io2": {"duration": "8s"},
    # Past the first cycle of its write daemon.
    "iris-mirror": {"duration": "90s"},
    "iris-lost-zone": {"duration": "4s", "events": [{"at": "1s", "fail": "b"}]},
    "iris-mirror-cut": {"duration": "90s"},
    "open-loop": SECONDS,
    "single-node": WARMED,
    "standby": WARMED,
    "tables": WARMED,
    "test1-io2": SECONDS,
    "test2-gp3-stripe": SECONDS,
    "test3-mirror": SECONDS,
}


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as engine:
        yield engine


def scenarios() -> list[Path]:
    every = sorted((ROOT / "scenarios").rglob("*.yaml"))
    # A page has no traces.
    return [path for path in every if "kind: replay" not in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("path", scenarios(), ids=lambda path: path.stem)
def test_every_scenario_is_as_the_command_has_it(
    engine: Engine, tmp_path: Path, path: Path
) -> None:
    text = path.read_text(encoding="utf-8")
    changed = SHORTENED.get(path.stem, {})
    sets = [f"{name}={json.dumps(value)}" for name, value in changed.items()]
    run = blockyard.simulate(path, changed, seeds=1, advice=False, out=tmp_path / "run")
    found = engine.ask(ask="run", text=text, sets=sets, seeds=1)["run"]
    stored = tmp_path / "run"
    assert found["latencies"] == (stored / "latency.hlog").read_text(encoding="utf-8")
    assert json.dumps(found["result"]) == json.dumps(
        json.loads((stored / "result.json").read_text(encoding="utf-8"))
    )
    own = json.loads((stored / findings.FINDINGS).read_text(encoding="utf-8"))["findings"]
    assert json.dumps(found["findings"]) == json.dumps(own)
    for name, table in found["tables"].items():
        assert_alike(table, run._table(name).to_pydict())


def assert_alike(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    """The columns are alike; of maps, their entries."""
    assert list(ours) == list(theirs)
    for name, column in theirs.items():
        entries = [[*map(list, cell)] if isinstance(cell, list) else cell for cell in column]
        assert ours[name] == entries, name


def test_a_copied_command_is_as_a_shell_takes_it(engine: Engine) -> None:
    sets = ["name=it's", "workload.readers.processes=[1, 5]", "storage.data.iops=6000"]
    text = (ROOT / "scenarios" / "examples" / "gp3.yaml").read_text(encoding="utf-8")
    command = engine.ask(ask="copy", text=text, sets=sets)["command"]
    words = [word for value in sets for word in ("--set", value)]
    assert shlex.split(command) == ["blockyard", "simulate", "it's.yaml", *words]
    assert "--set storage.data.iops=6000" in command
