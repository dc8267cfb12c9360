"""`plan` with replicas: what it says they cost is what `cost` says of a cluster that ran."""

from pathlib import Path

import pytest

import blockyard as by
from blockyard.cli import plan_text
from conftest import ROOT


def test_replicas_cost_what_a_cluster_that_runs_costs(tmp_path: Path) -> None:
    cluster = ROOT / "scenarios/examples/galera-lost-zone.yaml"
    run = by.simulate(cluster, {"duration": "30s", "events": "[]"})
    bill = by.cost(run)
    group = run.result["transactions"][0]["replication"]
    assert group is not None
    log = group["write_sets"] * group["bytes_per_write_set"] / 30
    made = by.plan(
        {
            "size": "10GiB",
            "reads": {"iops": 100},
            "replicas": {"count": 2, "log": f"{log / 1024:.0f}KiB/s"},
            "instance": {"type": "m5.xlarge"},
            "volumes": {"types": ["gp3"]},
            "as_of": "2026-11-01",
        },
        prove=False,
    )
    best = made.best
    assert best is not None
    assert best["replicas"] is not None

    def of(item: str) -> float:
        return sum(float(line["per_month"]) for line in bill["lines"] if line["item"] == item)

    traffic = best["bill"][-1]["usd_per_month"]
    assert traffic == pytest.approx(of("cross_zone"), rel=0.01)
    assert best["bill"][0]["usd_per_month"] == pytest.approx(of("instance"), abs=0.01)
    [copy] = bill["copies"]
    assert best["replicas"]["full_copy"]["usd"] == pytest.approx(float(copy["each"]), abs=0.01)
    said = "\n".join(plan_text.lines(made.answer, 500, explain=False))
    assert "on m5.xlarge, the first and 2 replicas in other zones: $" in said
    assert "at the highest load: the stated `log`" in said
    assert "a full copy to a replica (SST, base backup): 10GiB, $0.20 of traffic" in said
    assert "bound by the first node's reads (124 MiB/s); the network (" in said
    # The written scenario has all nodes, and no log.
    (tmp_path / "made.yaml").write_text(made.scenario or "")
    bought = by.cost(tmp_path / "made.yaml")
    assert float(bought["per_month"]) == pytest.approx(best["usd_per_month"] - traffic, abs=0.01)
