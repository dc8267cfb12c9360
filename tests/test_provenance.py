"""What figures rest on, beside them: in the summary, the report, goals and comparisons."""

import contextlib
import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from blockyard import cli
from blockyard.runs.run import Run
from blockyard.text.table import Table
from blockyard.types.result import Result
from blockyard.words import paragraphs, summary
from runs import simulated

MIXED = """\
name: mixed
duration: 5s
storage:
  data: {type: gp3, size: 100GiB}
  logs: {type: st1, size: 1TiB}
  io: {type: io1, size: 1280GiB, iops: 64000}
  mine: {type: gp3, size: 100GiB, latency: {like: gp3, read: {min: 100us, max: 2ms}}}
  idle: {type: sc1, size: 1TiB}
workload:
  users:
    kind: access_spec
    on: data
    file_size: 10GiB
    pattern: {size: 8KiB, read: 70%, random: 100%}
    rate: 500/s
  scans: {kind: ranread, on: logs, file_size: 10GiB, processes: 2}
  lookups: {kind: ranread, on: io, file_size: 10GiB, rate: 100/s}
  others: {kind: ranread, on: mine, file_size: 10GiB, rate: 100/s}
goals:
  - users.latency.p99 < 5ms
  - scans.latency.p99 < 100ms
  - scans.errors == 0
  - lookups.iops > 80
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return simulated(tmp_path_factory.mktemp("mixed"), MIXED)


def shown(result: Result) -> str:
    console = Console(file=io.StringIO(), width=200, highlight=False)
    with console.capture() as captured:
        console.print(summary.of(result, None, None))
    return captured.get()


def legend(result: Result) -> list[str]:
    """The lines below the tables of its summary that say what figures rest on."""
    return [
        line
        for line in summary.lines(result, None)
        if line.startswith(("* assumed", "latencies of "))
    ]


def test_what_is_assumed_is_marked_and_what_is_not_is_said_once(run: Run) -> None:
    assert legend(run.result) == [
        "* assumed, not measured: latencies of logs, profile st1",
        "* assumed: limits of io; no host is stated; a Nitro instance is assumed",
        "latencies of data: profile gp3, reads measured, writes fitted",
        "latencies of io: profile io1, measured",
        "latencies of mine: your own profile",
    ]
    text = shown(run.result)
    for name, mark in (("scans read*", 1), ("lookups read*", 1), ("users read*", 0)):
        assert (name in text) == bool(mark)


def test_goals_say_what_they_rest_on(run: Run) -> None:
    text = shown(run.result)
    users, scans, errors, lookups = (line for line in text.splitlines() if line.startswith("goal "))
    assert "assumed" not in users + errors
    assert "; depends on assumed latencies of logs" in scans
    assert "; depends on assumed limits of io" in lookups


def test_the_report_says_why_and_beside_which_figures(run: Run) -> None:
    said = {one.heading: one.content for one in paragraphs.paragraphs(run)}
    first, delivered = said["Read this first"], said["What was delivered"]
    assert str(first[0]).startswith("Assumed, not measured: latencies of logs, profile st1 (a seek")
    assert any("met, as far as assumptions hold: scans.latency.p99" in str(one) for one in first)
    table = next(one for one in delivered if isinstance(one, Table))
    ops = table.columns.index("operation")
    assert [row[0] for row in table.rows if row[ops].endswith("*")] == ["scans", "lookups"]
    assert "Latencies of data: profile gp3, reads measured, writes fitted." in delivered


def test_a_comparison_says_of_which_side_figures_are_assumed(tmp_path: Path, run: Run) -> None:
    other = simulated(tmp_path, MIXED, "storage.logs.type=gp3")
    with contextlib.redirect_stdout(io.StringIO()) as said:
        cli.run(["compare", str(run.path), str(other.path), "--seeds", "1", "--json"])
    [a, _] = (compared := json.loads(said.getvalue()))["sides"]
    notes = [note for note in compared["notes"] if "not measured" in note]
    assert notes == [f"{a}: assumed, not measured: latencies of logs, profile st1"]


def test_a_note_on_all_limits_is_not_said_again(tmp_path: Path) -> None:
    late = simulated(tmp_path, MIXED, "as_of=2099-01-01", "storage.logs.type=gp3")
    [line] = [one for one in legend(late.result) if "limits of data" in one]
    assert line == "* assumed: limits of data, logs and mine; see the note"
