"""A database's transactions on emulated volumes, as benchmarks/oltp measures them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT
from databases.emulated import need
from databases.mariadb import PROGRAMS, USER

pytestmark = [pytest.mark.slow, pytest.mark.realtime]

#: Two volumes of which one has twice the IOPS.
LAYOUTS = ["gp2 of 1,002 IOPS", "io1 of 2,000 IOPS"]


def test_twice_the_iops_give_twice_the_transactions(tmp_path: Path) -> None:
    need(USER, *PROGRAMS)
    out = tmp_path / "measured.jsonl"
    options = [
        "--database=mariadb", *(f"--layout={name}" for name in LAYOUTS), "--shrink=10",
        "--rounds=1", "--warm-up=2", "--seconds=4", "--no-model", f"--out={out}",
    ]  # fmt: skip
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks/oltp/run.py", *options],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    small, large = map(json.loads, out.read_text().splitlines())
    assert 1.5 < large["tps"] / small["tps"] < 2.5, done.stdout
    # Each page that was not in the pool is read from the volume, give or take what was under
    # way when counting began and ended.
    for run in (small, large):
        reads = run["device"]["read_ios"]
        assert reads == pytest.approx(run["transaction"]["misses"], rel=0.35), done.stdout
        assert run["device"]["read_bytes"] == pytest.approx(reads * run["page_bytes"], rel=0.05)
