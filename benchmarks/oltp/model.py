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
    """Of a transaction's accesses, how many are to the other pages, none of which is preferred.

    These are as likely to be in the pool as the pool is large beside the data, so the misses
    tell how many there are.
    """
    hot = HOT * run["data_bytes"]
    there = (run["pool_bytes"] - hot) / (run["data_bytes"] - hot)
    return float(run["transaction"]["misses"] / (1 - there))


def scenario(run: dict[str, Any], on: dict[str, Any]) -> str:
    """The scenario of a run, on the volume and with the pool of another or of its own.

    All of a transaction's accesses count, most of them to hot pages. What it changes is drawn from
    the same pages, so that of cold ones as many are changed as became dirty.
    """
    each = run["transaction"]
    pages = round(each["accesses"])
    share = cold(run) / pages
    changes = round(each["dirtied"] / share)
    return f"""\
name: {run["database"]}
seed: {run["round"]}
duration: {run["warm_up"] + run["seconds"]}s
warmup: {run["warm_up"]}s
storage:
  data: {on["volume"]}
workload:
  database:
    kind: oltp
    engine: {run["engine"]}
    on: data
    data_size: {run["data_bytes"] // run["page_bytes"] * run["page_bytes"]}B
    pool: {on["pool_bytes"]}B
    page: {run["page_bytes"]}B
    threads: {run["threads"]}
    cores: {run["cores"]}
    skew: {{hot: {{ios: {1 - share:.1%}, blocks: {HOT:.1%}}}}}
    transactions:
      all: {{pages: {pages}, changes: {changes}, log: {each["log_bytes"]:.0f}B, \
cpu: {each["cpu_us"]:.0f}us}}
    {_settings(run)}
"""


def _settings(run: dict[str, Any]) -> str:
    """The server's settings; how many pages MariaDB writes at once is what it did in the run."""
    its = run["variables"]
    if run["engine"] == "postgres":
        log, flush = its["max_wal_size"], f"every: {its['checkpoint_timeout']:.0f}s"
    else:
        did = run["transaction"]["counted"]
        batch = did["Innodb_dblwr_pages_written"] / did["Innodb_dblwr_writes"]
        log = its["log_file_size"]
        flush = (
            f"rate: {its['io_capacity']:.0f}/s, most: {its['io_capacity_max']:.0f}/s,"
            f" low: {its['adaptive_flushing_lwm']:.0f}%, depth: {its['lru_scan_depth']:.0f},"
            f" batch: {batch:.0f}, cleaners: 1"
        )
    return f"log: {{file_size: {log:.0f}B}}\n    flush: {{{flush}}}"


def simulated(run: dict[str, Any], on: dict[str, Any]) -> dict[str, float]:
    """What a simulation of a run says: `tps`, and percentiles of latency in milliseconds.

    As `scenario` has it, `on` may be another run.
    """
    with tempfile.TemporaryDirectory() as folder:
        file, out = Path(folder) / "oltp.yaml", Path(folder) / "run"
        file.write_text(scenario(run, on))
        done = subprocess.run(  # noqa: S603 - our own
            [BLOCKYARD, "simulate", file, "--seeds", "1", "--out", out],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            sys.exit(done.stderr)
        (total,) = json.loads((out / "result.json").read_text())["transactions"]
    times = {name: total["latency_us"][name] / 1e3 for name in ("p50", "p95", "p99")}
    return {"tps": total["tps"]} | times
