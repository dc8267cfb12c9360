"""Clusters of engines as people see them, and what decides of their transactions."""

from pathlib import Path

import pytest

from blockyard import simulate
from blockyard.runs.run import Run
from blockyard.text.table import Table
from blockyard.types.result import TransactionTotal
from blockyard.words import summary
from blockyard.words.paragraphs import paragraphs
from conftest import ROOT

CLUSTER = ROOT / "scenarios/percona-2018/cluster.yaml"
BRIEF = {"duration": "9s", "warmup": "3s"}
# A volume as slow as gp2 of 200 GiB is without credits.
SLOW = "{{type: io1, size: 200GiB, iops: 600, host: {node}}}"
IO1 = "{{type: io1, size: 200GiB, iops: 10000, host: {node}}}"


def volumes(volume: str, *nodes: str) -> dict[str, str]:
    return {f"storage.data_{node}": volume.format(node=node) for node in nodes}


CASES: dict[str, dict[str, str]] = {
    "large": {},
    "io1": volumes(IO1, "b", "c", "d"),
    "slow": volumes(SLOW, "b", "c", "d"),
    "slow node": volumes(SLOW, "d"),
    "far": {"links.bd.round_trip": "60ms"},
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    folder = tmp_path_factory.mktemp("cluster")
    return {
        name: simulate(CLUSTER, {**BRIEF, **sets}, out=folder / name)
        for name, sets in CASES.items()
    }


def total_of(run: Run) -> TransactionTotal:
    [total] = run.result["transactions"]
    return total


def tps(run: Run) -> float:
    return total_of(run)["tps"]


def spent(run: Run, on: str) -> float:
    return sum(part["ms"] for part in total_of(run)["time"] if part["on"] == on)


def test_volumes_come_in_the_order_of_what_they_can_do(runs: dict[str, Run]) -> None:
    assert tps(runs["large"]) > 3 * tps(runs["slow"])
    # Both have 10,000 IOPS.
    assert tps(runs["io1"]) > 0.99 * tps(runs["large"])


def test_a_commit_waits_for_the_farthest_node(runs: dict[str, Run]) -> None:
    # And a little for room in the window of messages that may be on their way.
    assert 60 <= spent(runs["far"], "replication") < 70
    assert 0.7 <= spent(runs["large"], "replication") < 2


def test_a_node_that_is_behind_stops_all(runs: dict[str, Run]) -> None:
    run = runs["slow node"]
    group = total_of(run).get("replication")
    assert group
    c, d = group["nodes"]
    # 100 write sets times the square root of 3 nodes, and no more than a write set of each thread
    # beyond that.
    assert 173 < d["longest_queue"] <= 174 + 72
    assert c["stopped_s"] == 0
    assert d["stopped_s"] == pytest.approx(group["paused_s"], abs=0.1)
    assert group["paused_s"] > 3
    assert tps(run) < tps(runs["large"]) / 2
    assert run.facts
    assert run.facts["modelled"]
    [bound] = run.facts["modelled"]["transactions"]
    assert bound["job"] == "sysbench"
    assert bound["by"]
    assert bound["by"]["kind"] == "limit"
    assert bound["by"]["limit"]["device"] == "data_d"


def test_all_that_is_sent_is_applied_or_queued(runs: dict[str, Run]) -> None:
    for run in runs.values():
        total = total_of(run)
        group = total.get("replication")
        assert group
        # What was under way when the warm-up or the run ended.
        for node in group["nodes"]:
            assert abs(node["applied"] - group["write_sets"]) <= 173 + 2 * 72
        assert abs(total["count"] - group["write_sets"]) <= 2 * 72


def test_reports_tell_of_nodes_and_links(runs: dict[str, Run]) -> None:
    run = runs["slow node"]
    said = " ".join(summary.lines(run.result, None))
    assert "flow control stopped them" in said
    assert "the longest receive queue, on d, had" in said
    [said_of_them] = [one for one in paragraphs(run) if one.heading == "Transactions"]
    tables = [part for part in said_of_them.content if isinstance(part, Table)]
    nodes = tables[-1]
    assert [row[1] for row in nodes.rows] == ["c", "d"]
    links = {(link["from_host"], link["to_host"]): link for link in run.result["links"]}
    group = total_of(run).get("replication")
    assert group
    sent = links["b", "d"]
    # Those of the warm-up too. Several go in one message, and what answers them is empty.
    assert sent["bytes"] % 2048 == 0
    assert sent["bytes"] // 2048 >= group["write_sets"]
    assert links["c", "d"]["bytes"] == 0 < links["c", "d"]["messages"]


def test_a_cluster_is_the_same_again(runs: dict[str, Run], tmp_path: Path) -> None:
    again = simulate(CLUSTER, {**BRIEF, **CASES["slow node"]}, out=tmp_path / "again")
    assert again.result == runs["slow node"].result
    assert again.transactions.equals(runs["slow node"].transactions)
