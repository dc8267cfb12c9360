"""Jobs that have an amount to do: when they are done, and what is said if they are not."""

import json
from pathlib import Path
from typing import Any

import pytest

from blockyard.words import summary
from conftest import ONCE, Blockyard, one_line

SCENARIO = """\
name: restore
duration: 2m
interval: 1s
storage:
  data: {type: gp3, size: 100GiB}
workload:
  restore:
    kind: access_spec
    on: data
    file_size: 4GiB
    pattern: {size: 256KiB, read: 0%, random: 0%}
    processes: 2
    outstanding: 4
    fsync_every: 64
    amount: 4GiB
goals: [restore.done < 1m]
"""
AMOUNT = 4 << 30


@pytest.fixture
def restore(blockyard: Blockyard, tmp_path: Path) -> Blockyard:
    """`restore(VERB, OPTION, ...)`."""
    (tmp_path / "restore.yaml").write_text(SCENARIO)
    return lambda verb, *options: blockyard(verb, "restore.yaml", *options)


def _result(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "result.json").read_text()))


def _done(result: Any) -> str:
    """How far its job came, in words."""
    [said] = [line for line in summary.lines(result, None) if line.startswith("restore: ")]
    return said


def test_a_run_ends_when_all_is_done(restore: Blockyard, tmp_path: Path) -> None:
    done = restore("simulate", *ONCE, "--out", "run")
    result = _result(tmp_path / "run")
    [amount] = result["amounts"]
    # gp3 without more has 125 MiB/s, and a second of it when it begins.
    assert amount["done_bytes"] == amount["bytes"] == AMOUNT
    assert 31 < amount["done_s"] < 33
    assert amount["done_s"] <= result["duration_s"] < amount["done_s"] + 1
    assert result["status"] == "complete"
    assert "restore: 4 GiB done after 31.8 s, at 129 MiB/s" in done.stdout
    assert [total["bytes"] for total in result["totals"] if total["op"] == "write"] == [AMOUNT]


def test_a_job_that_is_done_has_the_rate_that_it_had(restore: Blockyard, tmp_path: Path) -> None:
    """Others may go on long after it."""
    readers = "{kind: ranread, on: data, file_size: 1GiB, rate: 5/s}"
    restore("simulate", *ONCE, "--set", f"workload.readers={readers}", "--out", "run")
    result = _result(tmp_path / "run")
    assert result["duration_s"] == 120
    [amount] = result["amounts"]
    [writes] = [total for total in result["totals"] if total["op"] == "write"]
    assert writes["mib_per_s"] == pytest.approx(amount["mib_per_s"])
    assert writes["mib_per_s"] > 110
    assert all(row["share"] < 0.2 for row in writes["time_above"] if row["us"] > 50_000)


def test_what_fails_is_done_later(restore: Blockyard, tmp_path: Path) -> None:
    fails = "events=[{at: 5s, fail: data, for: 10s}]"
    restore("simulate", *ONCE, "--set", fails, "--out", "run")
    result = _result(tmp_path / "run")
    [amount] = result["amounts"]
    assert amount["done_bytes"] == AMOUNT
    # Tokens that came in the outage are at most a second's.
    assert amount["done_s"] > 31.8 + 8
    assert sum(total["errors"] for total in result["totals"]) > 0


def test_what_is_not_done_misses_its_goal(restore: Blockyard, tmp_path: Path) -> None:
    done = restore("simulate", "--set", "duration=10s", "--out", "run")
    [amount] = _result(tmp_path / "run")["amounts"]
    assert amount["done_s"] is None
    assert amount["done_bytes"] < AMOUNT / 2
    assert "goal restore.done < 1m: MISSED, not done by the end of the run" in done.stdout
    assert "restore: not done after 10 s: 3" in done.stdout
    assert "; a longer `duration` shows when it is" in " ".join(done.stdout.split())


def test_a_run_that_was_stopped_needs_no_longer_duration(
    restore: Blockyard, tmp_path: Path
) -> None:
    restore("simulate", *ONCE, "--set", "duration=10s", "--out", "run")
    stopped: Any = _result(tmp_path / "run") | {"status": "interrupted"}
    assert _done(stopped).endswith("MiB/s")


def test_more_time_is_no_advice_for_a_device_that_stays_away(
    restore: Blockyard, tmp_path: Path
) -> None:
    away = "events=[{at: 5s, fail: data}]"
    restore("simulate", *ONCE, "--set", away, "--set", "duration=10s", "--out", "run")
    failed: Any = _result(tmp_path / "run")
    assert _done(failed).endswith("MiB/s")


def test_a_comparison_says_what_was_done(restore: Blockyard, blockyard: Blockyard) -> None:
    smaller = ("--set", "workload.restore.amount=1GiB", "--set", "duration=12s", *ONCE)
    restore("simulate", *smaller, "--out", "whole")
    restore("simulate", *smaller, "--set", "events=[{at: 5s, pause: data}]", "--out", "part")
    said = " ".join(blockyard("compare", "whole", "part").stdout.split())
    assert "whole: restore: 1 GiB done after 7" in said
    assert "part: restore: not done after 12 s: " in said


def test_real_storage_gets_so_much_and_no_more(restore: Blockyard, tmp_path: Path) -> None:
    smaller = ["workload.restore.amount=64MiB", "workload.restore.file_size=64MiB"]
    sets = [option for text in smaller for option in ("--set", text)]
    done = restore("bench", "--map", "data=t.dat", *sets, "--out", "run")
    assert done.returncode == 0, done.stderr
    result = _result(tmp_path / "run")
    assert result["amounts"][0]["done_bytes"] == 64 << 20
    assert [total["bytes"] for total in result["totals"] if total["op"] == "write"] == [64 << 20]
    assert result["duration_s"] < 120


@pytest.mark.parametrize(
    ("sets", "reason"),
    [
        (["warmup=5s"], "an amount counts from the start of the run"),
        (["workload.restore.processes=[1,2]"], "expected one number of `processes`"),
        (
            ["workload.restore.amount=256KiB"],
            "is less than an IO of 256KiB for each of 2 processes",
        ),
        (["workload.restore.amount=null"], "goes on to the end of the run; expected `amount`"),
        (["goals=[restore.write.done < 1m]"], "a job is done as a whole"),
    ],
)
def test_what_would_have_no_clear_end_is_refused(
    restore: Blockyard, sets: list[str], reason: str
) -> None:
    done = restore("simulate", *(option for text in sets for option in ("--set", text)))
    assert done.returncode == 2
    assert reason in one_line(done)
