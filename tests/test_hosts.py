"""Several hosts in one scenario: results, words, charts and a running service name each."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from blockyard.pages.charts import all_figures
from blockyard.pages.figure import Lines
from blockyard.runs.run import Run
from blockyard.text.limit_names import in_words
from blockyard.types.facts import LimitId
from blockyard.words import paragraphs
from blockyard.words.headline import headline
from conftest import ROOT, Blockyard, one_line
from nbdclient import Client
from runs import simulated
from serving import serve

EXAMPLE = ROOT / "scenarios/examples/two-hosts.yaml"

# The volume of each host takes more than the host lets through.
SERVED = """\
name: served
interval: 1s
hosts:
  fast: {instance: m5.4xlarge}
  slow: {instance: m5.large, burst_balance: 0%}
storage:
  one: {type: gp3, size: 1GiB}
  two: {type: gp3, size: 1GiB, host: slow}
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return simulated(tmp_path_factory.mktemp("two"), "examples/two-hosts", "duration=10s")


def test_each_host_is_told_by_its_name(run: Run) -> None:
    assert [host["name"] for host in run.result["hosts"]] == ["app-1", "app-2"]
    ios = {volume["name"]: volume["ios"] for volume in run.result["volumes"]}
    # What waits for the host at the end has passed its volume.
    passed = [host["ios"] for host in run.result["hosts"]]
    assert passed == pytest.approx([ios["data-1"], ios["data-2"]], rel=0.01)
    limits = {(limit["owner"], limit["limit"]) for limit in run.result["limits"]}
    assert limits == {("data-1", "iops"), ("app-2", "iops_credits")}
    for row in run.volumes.to_pylist():
        own = {"data-1": "app-1", "data-2": "app-2"}[row["volume"]]
        owners = {name.partition(".")[0] for name, _ in row["limits"] if "." in name}
        assert owners == {own}
        # The larger instance has no credits.
        assert (row["host_balance_pct"] is None) == (own == "app-1")


def test_reports_say_which_host_it_was(run: Run) -> None:
    said = " ".join(paragraphs.of(run))
    assert "app-2's IOPS baseline (3,600 IOPS)" in said
    assert "The burst balance of app-2 was used up" in said
    # And not what the other host's readers wait for.
    assert "reads a second. The next limit is app-2's throughput baseline (81 MB/s)." in said
    assert "reads a second. The next limit is app-1's IOPS (18,750 IOPS)." in said
    assert "instance IOPS" not in said
    [plot] = [one.plot for one in all_figures([run], 1.0) if one.name == "burst-balance"]
    assert isinstance(plot, Lines)
    assert [series.label for series in plot.series] == ["app-2"]
    assert run.facts
    told = headline(run.result, run.facts)
    assert "readers-2 get 3,600 IOPS" in told
    assert told.endswith("the burst balance of app-2's IOPS was used up within 1 s.")


@pytest.mark.parametrize(
    ("host", "said"),
    [("host", "instance IOPS"), ("primary", "primary's IOPS"), ("apps", "apps' IOPS")],
)
def test_a_host_without_a_name_is_the_instance(host: str, said: str) -> None:
    limit: LimitId = {
        "device": None,
        "leg": None,
        "host": host,
        "counts": "ios",
        "applies": "both",
        "credits": False,
        "network": False,
    }
    assert in_words(limit) == said


def test_real_storage_is_that_of_one_machine(blockyard: Blockyard, tmp_path: Path) -> None:
    places = [f"--map=data-{number}={tmp_path / f'file-{number}'}" for number in (1, 2)]
    refused = blockyard("bench", EXAMPLE, *places, "--out", tmp_path / "run")
    assert one_line(refused).endswith("hosts: 2 hosts; expected one, as bench is on one machine")
    assert not [*tmp_path.glob("run"), *tmp_path.glob("file-*")]


def test_a_service_names_the_limits_of_each_host(blockyard: Blockyard, tmp_path: Path) -> None:
    control = tmp_path / "control"
    options = ["--as", f"nbd={tmp_path / 'nbd'}", "--control", str(control)]
    with serve(SERVED, *options, folder=tmp_path, devices=2) as served:
        blockyard("steer", control, "set", "slow.iops=20")
        state = json.loads(blockyard("steer", control, "status", "--json").stdout)
        assert _hosts_limits(state, "one") == {"fast.iops", "fast.throughput"}
        assert _hosts_limits(state, "two") >= {"slow.iops_credits", "slow.throughput"}
        took = {}
        for name in ("one", "two"):
            client = Client(served.paths[name].partition("socket=")[2], name)
            start = time.monotonic()
            for _ in range(30):
                client.read(0, 4096)
            took[name] = time.monotonic() - start
            client.close()
    # A second's tokens, 20, lie ready; then 20 a second pass.
    assert took["two"] > 0.3 > took["one"]
    assert [host["name"] for host in served.result()["hosts"]] == ["fast", "slow"]
    assert [host["ios"] for host in served.result()["hosts"]] == [30, 30]


def _hosts_limits(state: dict[str, Any], volume: str) -> set[str]:
    [found] = [one for one in state["volumes"] if one["name"] == volume]
    return {limit["name"] for limit in found["limits"] if limit["host"] is not None}
