"""Summaries on a terminal of 80 columns, for results of any size."""

import io
from pathlib import Path
from typing import cast

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from blockyard.text import formatting
from blockyard.types.result import LatencyUs, Result, Step, Total
from blockyard.words import summary
from runs import simulated

words = st.text("abcdefghijklmnopqrstuvwxyz0123456789_-.", min_size=1, max_size=70)
amounts = st.integers(0, 10**10)
times = st.floats(0.001, 1e9)
latencies = st.none() | st.fixed_dictionaries(
    dict.fromkeys(("mean", "p50", "p95", "p99", "p99_9", "max"), times)
)


def totals(job: str, device: str) -> st.SearchStrategy[dict[str, object]]:
    return st.fixed_dictionaries(
        {
            "job": st.just(job),
            "device": st.just(device),
            "op": st.sampled_from(["read", "write", "flush", "trim"]),
            "ios": amounts,
            "bytes": amounts,
            "errors": amounts,
            "iops": st.floats(0, 1e8),
            "peak_iops": st.floats(0, 1e8),
            "mib_per_s": st.floats(0, 1e6),
            "latency_us": latencies,
        }
    )


@st.composite
def results(draw: st.DrawFn) -> Result:
    names = draw(st.lists(words, min_size=1, max_size=4, unique=True))
    whole = [draw(totals(name, draw(words))) for name in names for _ in range(2)]
    steps = [
        {
            **total,
            "step": number,
            "from_s": 0.0,
            "to_s": 1.0,
            "processes": draw(st.integers(0, 10**6)),
            "rate": draw(st.none() | amounts),
        }
        for total in whole
        for number in range(draw(st.integers(0, 3)))
    ]
    result = {
        "schema": "blockyard/result/1",
        "tool": {"name": "blockyard", "version": "0"},
        "random": "",
        "resolved": [],
        "cycles": [],
        "volumes": [],
        "hosts": [],
        "scenario": draw(words),
        "seed": draw(st.integers(0, 2**64 - 1)),
        "duration_s": draw(st.floats(0.001, 1e7)),
        "mode": "simulate",
        "status": draw(st.sampled_from(["complete", "interrupted", "failed"])),
        "machine": None,
        "totals": whole,
        "steps": steps,
        "open_loop": [
            {
                "job": name,
                **dict.fromkeys(("offered", "served", "backlog", "late", "skipped"), 10**12),
                "lag_us": draw(latencies),
            }
            for name in names
        ],
        "limits": [
            {
                "owner": draw(words),
                "limit": "iops",
                "throttled_ios": draw(amounts),
                "throttled_s": draw(times),
                "share": draw(st.floats(0, 1)),
                "jobs": [],
            }
            for _ in range(draw(st.integers(0, 8)))
        ],
        "goals": [
            {"goal": f"{name}.latency.p99 < 2ms", "met": False, "measured": "2.1ms"}
            for name in names
        ],
    }
    return cast(Result, result)


def shown(result: Result) -> list[str]:
    console = Console(file=io.StringIO(), width=80, highlight=False)
    with console.capture() as captured:
        console.print(summary.of(result, Path("run"), None))
    return captured.get().splitlines()


@given(results())
def test_it_fits_80_columns(result: Result) -> None:
    assert max(map(cell_len, shown(result))) <= 80


@given(results())
def test_no_figure_is_cut(result: Result) -> None:
    lines = shown(result)
    text = "\n".join(lines)
    assert "…" not in text
    # Hours of latency leave no room for all columns; what is headed is there.
    headings = {"job", "load", "IOPS", "MiB/s", "mean", "p50", "p99", "max"}
    headed = next(
        line.split()
        for line in lines
        if "IOPS" in (words := line.split()) and headings.issuperset(words)
    )
    assert "p99" in headed
    rows: list[Total | Step] = [*result["totals"]]
    for total in rows:
        latency = total["latency_us"]
        if latency and latency["max"] > 0:
            for figure in figures(latency, headed):
                assert figure in text


def figures(latency: LatencyUs, headed: list[str]) -> list[str]:
    return [
        formatting.latency(latency[figure])
        for figure in ("mean", "p50", "p99", "max")
        if figure in headed
    ]


def test_an_open_loop_past_its_limit_and_one_that_keeps_up(tmp_path: Path) -> None:
    run = simulated(tmp_path, TWO_OPEN_LOOPS)
    console = Console(file=io.StringIO(), width=300, highlight=False)
    with console.capture() as captured:
        console.print(summary.of(run.result, None, run.facts))
    text = captured.get()
    assert "3,500 a second were due, 3,0" in text
    assert "; throttled by data IOPS (3,000 IOPS)." in text
    assert "reads throttled by: data IOPS 100%; " in text
    assert "log throttled by: nothing" in text


TWO_OPEN_LOOPS = """\
name: two
duration: 20s
storage:
  data: {type: gp3, size: 500GiB}
  log: {type: gp3, size: 100GiB}
workload:
  reads: {kind: ranread, on: data, file_size: 100GiB, rate: 3500/s}
  log: {kind: ranread, on: log, file_size: 10GiB, rate: 100/s}
"""
