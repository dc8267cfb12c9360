"""Stalls that percentiles over a whole run hide: where they are told of, and where not."""

import copy
import io
from pathlib import Path

import pytest
from rich.console import Console

import blockyard
from blockyard.pages.charts import all_figures
from blockyard.pages.figure import Lines, Span
from blockyard.runs.run import Run
from blockyard.types.result import Result, Total
from blockyard.words import summary
from blockyard.words.paragraphs import of
from runs import simulated

# While the write daemons write the database, 200 of their writes stand before each read.
STALLS = """\
name: stalls
duration: 40s
as_of: 2026-11-01
storage:
  data: {type: gp3, size: 200GiB, iops: 6000, discipline: fifo}
  wij: {type: gp3, size: 100GiB, throughput: 500MiB/s}
workload:
  readers: {kind: ranread, on: data, file_size: 50GiB, processes: 4}
  writers:
    kind: ranwrite
    on: {data: data, wij: wij, journal: wij}
    file_size: 50GiB
    cache: 2GiB
    processes: 10
    cycle: 30s
    wij: {file_size: 2GiB}
    wdparm: {daemons: 8, outstanding: 200, per_daemon: 32}
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return simulated(tmp_path_factory.mktemp("stalls"), STALLS)


def readers(run: Run) -> Total:
    [total] = [total for total in run.result["totals"] if total["job"] == "readers"]
    return copy.deepcopy(total)


def stalls(result: Result) -> list[str]:
    """What its summary says of stalls."""
    return [line for line in summary.lines(result, None) if "worst second " in line]


def said(run: Run) -> str:
    console = Console(file=io.StringIO(), width=200)
    console.print(summary.of(run.result, None, None))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_stall_is_told_of_beside_the_figures_that_hide_it(run: Run) -> None:
    [found] = stalls(run.result)
    worst = readers(run)["worst_second"]
    assert worst
    at = f"0:{worst['t_s']:02.0f}"
    assert found.startswith(f"readers read: worst second p99 34.5 ms, at {at}; above 20 ms")
    assert f"{found}\n" in said(run)
    assert f"{found}." in of(run)


def test_the_chart_marks_the_worst_second(run: Run) -> None:
    plots = {figure.name: figure.plot for figure in all_figures([run], 1)}
    worst = readers(run)["worst_second"]
    assert worst
    mark = Span("worst second", worst["t_s"], worst["t_s"])
    reads, writes = plots["latency-readers-data-read"], plots["latency-writers-data-write"]
    assert isinstance(reads, Lines)
    assert isinstance(writes, Lines)
    assert mark in reads.spans
    assert mark not in writes.spans


def test_a_comparison_notes_it(run: Run, tmp_path: Path) -> None:
    same = simulated(tmp_path, STALLS, "storage.data.iops=6001")
    [found] = stalls(run.result)
    notes = blockyard.compare(run, same, seeds=1)["notes"]
    assert any(note.startswith(run.name) and note.endswith(found) for note in notes)


def test_seconds_in_which_nothing_completed_are_said_to_be(run: Run) -> None:
    total = readers(run)
    worst = total["worst_second"]
    assert worst
    assert total["latency_us"]
    changed: Result = {**run.result, "totals": [total]}
    worst["iops"] = 0
    [found] = stalls(changed)
    assert "worst second without any completion, at 0:" in found
    worst["iops"] = 5  # one slow IO among few
    assert not stalls(changed)
    worst["iops"] = 100
    [found] = stalls(changed)
    assert ": worst second p99 34.5 ms, at 0:" in found
    total["latency_us"]["p99"] = worst["latency_us"]["p99"] / 2  # it shows
    assert not stalls(changed)
