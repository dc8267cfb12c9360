"""The same load in the model: its scenario, and what a simulation of it says."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

BLOCKYARD = Path(sys.executable).with_name("blockyard")

#: Of the data, the share of pages that all transactions come back to: roots and inner pages of
#: B-trees, small tables, the ends of growing ones. Few enough to be in the pool at all times.
HOT = 0.002


def cold(run: dict[str, Any]) -> float:
    """Of a transaction's accesses, how many are to pages that none is preferred among.

    They are as likely to be in the pool as the pool has of the data, so follow from the misses.
    """
    hot = HOT * run["data_bytes"]
    there = (run["pool_bytes"] - hot) / (run["data_bytes"] - hot)
    return float(run["transaction"]["misses"] / (1 - there))


def scenario(run: dict[str, Any]) -> str:
    """The scenario of a run.

    All of a transaction's accesses count, most of them to hot pages; what it dirties is drawn
    from the same pages, so that of cold ones as many become dirty as were counted.
    """
    each = run["transaction"]
    hot = 1 - cold(run) / each["accesses"]
    dirtied = each["dirtied"] / (1 - hot)
    return f"""\
name: oltp
seed: 1
duration: {run["warm_up"] + run["seconds"]}s
warmup: {run["warm_up"]}s
storage:
  data: {run["volume"]}
workload:
  database:
    kind: oltp
    preset: {run["preset"]}
    on: data
    data_size: {run["data_bytes"] // run["page_bytes"] * run["page_bytes"]}
    pool: {run["pool_bytes"]}
    page: {run["page_bytes"]}
    threads: {run["threads"]}
    skew: {{hot: {{ios: {hot:.2%}, blocks: {HOT:.2%}}}}}
    cores: 2
    transactions:
      all: {{weight: 1, accesses: {each["accesses"]:.1f}, dirtied: {dirtied:.2f}, \
log: {each["log_bytes"]:.0f}, cpu: {each["cpu_us"]:.0f}us}}
"""


def simulated(run: dict[str, Any]) -> dict[str, float]:
    """What a simulation of a run says: `tps`, and percentiles of latency in milliseconds."""
    with tempfile.TemporaryDirectory() as folder:
        file, out = Path(folder) / "oltp.yaml", Path(folder) / "run"
        file.write_text(scenario(run))
        done = subprocess.run(  # noqa: S603 - our own
            [BLOCKYARD, "simulate", file, "--out", out], capture_output=True, text=True, check=False
        )
        if done.returncode:
            sys.exit(done.stderr)
        (job,) = json.loads((out / "result.json").read_text())["transactions"]
    return {"tps": job["tps"]} | {
        name: job["latency_us"][name] / 1e3 for name in ("p50", "p95", "p99")
    }
