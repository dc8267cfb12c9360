"""What a report says about runs whose limits are known, case by case."""

import dataclasses
import math
from pathlib import Path
from typing import Any

import pytest

from blockyard.runs.run import Run
from blockyard.text.formatting import latency, number
from blockyard.text.table import Table
from blockyard.words.paragraphs import of, paragraphs
from runs import simulated

THROUGHPUT_BOUND = """\
name: throughput-bound
duration: 20s
storage:
  data: {type: gp3, size: 100GiB, iops: 3000, throughput: 125MiB/s}
workload:
  readers:
    kind: access_spec
    on: data
    file_size: 50GiB
    pattern: {size: 64KiB, read: 100%, random: 100%}
    outstanding: 16
    processes: 1
"""

HOST_BOUND = """\
name: host-bound
duration: 20s
as_of: 2026-11-01
host: {instance: r5n.24xlarge}
storage:
  data: {stripe: {chunk: 64KiB, width: 8}, of: {type: gp3, size: 400GiB, iops: 16000}}
workload:
  readers: {kind: ranread, on: data, file_size: 700GiB, processes: 120}
"""


PAST_ITS_LIMIT = """\
name: past-its-limit
duration: 20s
storage:
  data: {stripe: {width: 2, chunk: 64KiB}, of: {type: gp3, size: 200GiB}}
  log: {type: gp3, size: 100GiB}
workload:
  reads: {kind: ranread, on: data, file_size: 100GiB, rate: 7500/s}
  log:
    kind: access_spec
    on: log
    file_size: 10GiB
    pattern: {size: 8KiB, read: 0%, random: 0%}
    rate: 100/s
"""

SPENDING = """\
name: spending
duration: 1m
as_of: 2026-10-01
host: {instance: r5n.large}
storage:
  data: {stripe: {width: 2, chunk: 64KiB}, of: {type: gp2, size: 100GiB}}
workload:
  reads: {kind: ranread, on: data, file_size: 50GiB, rate: 5000/s}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


def said(run: Run, heading: str) -> list[str]:
    return [
        sentence
        for paragraph in paragraphs(run)
        if paragraph.heading.startswith(heading)
        for sentence in paragraph.sentences
    ]


def tables(run: Run) -> list[Table]:
    """All but the bill."""
    return [
        part
        for paragraph in paragraphs(run)
        for part in paragraph.content
        if isinstance(part, Table) and paragraph.heading != "What it costs"
    ]


def changed(run: Run, **figures: Any) -> Run:
    result = run.result.copy()
    result.update(figures)  # type: ignore[typeddict-item]
    return dataclasses.replace(run, result=result, stored=None)


def from_to(before: Run, after: Run) -> str:
    """How a raise that helped readers is told."""
    totals = [run.result["totals"][0] for run in (before, after)]
    p99 = [latency(total["latency_us"]["p99"]) for total in totals if total["latency_us"]]
    iops = [number(total["iops"]) for total in totals]
    return f"readers' p99 {' to '.join(p99)}, {' to '.join(iops)} reads a second"


def test_one_gp3_at_one_two_and_four_processes(folder: Path) -> None:
    run = simulated(folder, "examples/gp3")
    waiting, limit = said(run, "What throttled it")
    assert waiting == "Waiting for limits made up 35% of all latency."
    assert limit == "data IOPS (3,000 IOPS): all of this waiting, with 2 and 4 processes."
    fresh = simulated(folder, "examples/gp3", "storage.data.iops=4500")
    assert said(run, "What would help") == [
        f"Raising data IOPS from 3,000 to 4,500 was tried: {from_to(run, fresh)}. The next limit "
        "is data throughput (125 MiB/s or 16,000 IOs of 8 KiB a second).",
        "No IO waited for data throughput (125 MiB/s): raising it by a half was tried: no effect.",
    ]


def test_percentiles_seeds_and_load_steps_are_tables(folder: Path) -> None:
    run = simulated(folder, "examples/gp3", seeds=8)
    whole, seeds, steps = tables(run)
    total = run.result["totals"][0]
    assert total["latency_us"]
    us: dict[str, Any] = {**total["latency_us"]}
    assert whole.columns[3:] == ["IOPS", "MiB/s", "mean", "p50", "p95", "p99", "p99.9", "max"]
    figures = ("mean", "p50", "p95", "p99", "p99_9", "max")
    assert whole.rows == [
        [
            *("readers", "read", "data"),
            *(f"{total['iops']:,.0f}", f"{total['mib_per_s']:.1f}"),
            *(latency(us[figure]) for figure in figures),
        ]
    ]
    by_seed = run.result.get("by_seed")
    assert by_seed
    least, most = (by_seed["totals"][0]["iops"][end] for end in ("min", "max"))
    assert seeds.caption == "Min and max of seeds 1 to 8"
    assert seeds.rows[0][3] == f"{least:,.0f} to {most:,.0f}"
    assert [row[3] for row in steps.rows] == ["1 process", "2 processes", "4 processes"]
    assert [row[4] for row in steps.rows] == [f"{one['iops']:,.0f}" for one in run.result["steps"]]
    assert [row[-1] for row in steps.rows] == ["nothing", "data IOPS", "data IOPS"]


def test_steps_of_jobs_that_share_the_storage_do_not_say_what_held_them(folder: Path) -> None:
    run = simulated(folder, "examples/who-gets-the-tokens", "duration=6s")
    *_, steps = tables(run)
    assert steps.columns[-1] == "p99"
    # Steps in which a job rests are no load.
    assert "0 processes" not in [row[3] for row in steps.rows]


def test_a_flush_is_in_the_table_without_bytes(folder: Path) -> None:
    run = simulated(folder, "examples/wal-fsync", "duration=7s")
    whole, *_ = tables(run)
    assert whole.caption == "The run without its warm-up"
    assert [row[1] for row in whole.rows] == ["write", "flush"]
    assert whole.rows[1][4] == ""


def test_raising_what_is_said_to_help_helps(folder: Path) -> None:
    run = simulated(folder, "examples/gp3")
    fast = simulated(folder, "examples/gp3", "storage.data.iops=16000")
    wide = simulated(folder, "examples/gp3", "storage.data.throughput=250MiB/s")
    assert fast.result["totals"][0]["iops"] > 1.2 * run.result["totals"][0]["iops"]
    assert wide.result["totals"] == run.result["totals"]


def test_a_loop_that_waits_for_the_storage_alone(folder: Path) -> None:
    readers = "workload.readers.processes=[3, 5]"
    run = simulated(folder, "intersystems-2022/a002", "duration=2m", readers)
    assert said(run, "What throttled it") == [
        "No IO waited for a limit; the nearest is data throughput, 42.8% of 125 MiB/s used."
    ]
    loop, reach, idle = said(run, "What would help")
    assert loop.startswith("readers: an IO takes 0.5")
    assert loop.endswith("higher limits would not.")
    total = run.result["totals"][0]
    assert total["latency_us"]
    processes = math.ceil(16_000 * total["latency_us"]["mean"] / 1e6)
    assert reach == (f"At that latency {processes} processes would reach data IOPS (16,000 IOPS).")
    assert idle.startswith("No IO waited for data IOPS (16,000 IOPS), data throughput (125 MiB/s)")


def test_an_io2_whose_latency_binds_first(folder: Path) -> None:
    run = simulated(folder, "examples/io2", "workload.readers.processes=16")
    assert said(run, "What would help")[0].startswith("readers: an IO takes 0.3")
    bought = simulated(folder, "examples/io2")
    assert said(bought, "What throttled it")[1].endswith("with 32, 64 and 128 processes.")
    raised = said(bought, "What would help")[0]
    assert raised.startswith("Raising data IOPS from 64,000 to 96,000 was tried: readers' p99 ")
    assert raised.endswith(" The next limit is instance IOPS (240,000 IOPS).")


def test_an_instance_that_binds(folder: Path) -> None:
    run = simulated(folder, HOST_BOUND)
    assert said(run, "What throttled it")[1] == "instance IOPS (80,000 IOPS): all of this waiting."
    assert said(run, "What would help")[0].startswith(
        "Raising instance IOPS from 80,000 to 120,000, by another instance, was tried: readers' "
    )


def test_readers_who_wait_while_the_database_is_written(folder: Path) -> None:
    run = simulated(folder, "intersystems-2022/b083", "duration=3m")
    waiting, limit, *_, cycles = said(run, "What throttled it")
    assert waiting == "Waiting for limits made up 9% of all latency."
    assert limit.startswith("data IOPS (")
    assert "; the tokens went to readers (" in limit
    assert cycles == (
        "Of the waiting for data IOPS, all fell into intervals in which the write daemons "
        "wrote the database."
    )
    assert any(
        sentence.startswith("readers: ")
        and sentence.endswith("higher limits would save at most 3% of that.")
        for sentence in said(run, "What would help")
    )


def test_limits_that_are_reached_together(folder: Path) -> None:
    run = simulated(
        folder,
        "intersystems-2022/a006",
        "duration=3m",
        "workload.readers.schedule=[{at: 0s, processes: 8}]",
    )
    advice = said(run, "What would help")
    assert (
        "Raising data throughput from 125 to 188 MiB/s was tried: no effect; data IOPS "
        "(16,000 IOPS) is reached at the same point." in advice
    )
    assert any(sentence.startswith("Taking the IO of writers away, ") for sentence in advice)


def test_a_gp2_that_ran_out_of_credits(folder: Path) -> None:
    run = simulated(folder, "examples/gp2")
    held = said(run, "What throttled it")
    assert held[2].startswith("data IOPS baseline (300 IOPS): ")
    assert held[3] == "The burst balance of data was used up within 3 min 19 s."
    assert said(run, "What would help")[:2] == [
        "Raising data IOPS from 3,000 to 4,500 was tried: no effect; sustained: data "
        "IOPS baseline (300 IOPS).",
        "Raising data IOPS baseline from 300 to 450 was tried: readers' p99 26.8 ms to 17.9 ms, "
        "2,100 to 2,250 reads a second. The next limit is data IOPS (3,000 IOPS).",
    ]


def test_a_run_bound_by_throughput(folder: Path) -> None:
    run = simulated(folder, THROUGHPUT_BOUND)
    assert said(run, "What throttled it")[1] == (
        "data throughput (125 MiB/s): all of this waiting."
    )
    assert said(run, "What would help")[0] == (
        "Raising data throughput from 125 to 188 MiB/s was tried: readers' p99 8.50 ms to "
        "5.83 ms, 2,100 to 3,150 reads a second. The next limit is data IOPS (3,000 IOPS)."
    )


def test_one_volume_of_a_linear_device_that_binds(folder: Path) -> None:
    run = simulated(folder, "examples/linear")
    held = said(run, "What throttled it")
    assert held[1] == "data IOPS baseline (300 IOPS of 1 of 2 volumes): all of this waiting."
    assert held[2] == "The burst balance of a volume of data was used up within 1 s."


def test_an_open_loop(folder: Path) -> None:
    run = simulated(folder, "examples/open-loop", "duration=2s")
    loop = run.result["open_loop"][0]
    assert (
        f"readers: {loop['served']:,} of {loop['offered']:,} IOs that were due are done."
        in said(run, "What was delivered")
    )
    limited = simulated(
        folder,
        "examples/open-loop",
        "duration=5s",
        "workload.readers.rate=200000/s",
        "workload.readers.latency_limit=10ms",
    )
    first = said(limited, "Read this first")
    assert any(" late, " in sentence or " skipped, " in sentence for sentence in first)


def test_an_open_loop_past_its_limit(folder: Path) -> None:
    run = simulated(folder, PAST_ITS_LIMIT)
    assert run.facts
    [loop] = run.facts["behind"]
    due, served = round(loop["due_per_s"]), round(loop["served_per_s"])
    first = said(run, "Read this first")[0]
    assert f"{due:,} a second were due, {served:,} served; it falls behind by " in first
    assert first.endswith("; throttled by data IOPS (6,000 IOPS).")
    held = said(run, "What throttled it")
    assert held[0] == "Waiting for limits made up nearly all latency."
    # Which of the volumes an IO waited for is chance.
    assert held[1].startswith("data IOPS (6,000 IOPS): ")
    assert any(sentence.startswith("Of the latency of reads, ") for sentence in held)
    assert "log waited for no limit." in held
    assert said(run, "What would help")[0].startswith(
        "To serve all that is due of reads takes data IOPS of "
    )


def test_balances_that_fall_say_how_long_they_last(folder: Path) -> None:
    held = said(simulated(folder, SPENDING), "What throttled it")
    assert held[0].startswith("No IO waited for a limit; on burst credits, at 8")
    volume, instance = (sentence for sentence in held if sentence.startswith("At this rate "))
    assert volume.startswith("At this rate the burst balance of data lasts 3")
    assert ", then 600 IOPS. Sustained, this rate takes " in volume
    assert "balance of the instance's IOPS lasts 5 h" in instance
    assert "then 3,600 IOPS for 18 h" in instance


def test_missed_goals_and_cycles_over_their_time_come_first(folder: Path) -> None:
    goals = simulated(folder, "examples/goals")
    missed = [goal for goal in goals.result["goals"] if not goal["met"]]
    assert said(goals, "Read this first")[0].startswith(f"Goal missed: {missed[0]['goal']}; ")
    busy = "workload.writers.cycle=1s", "workload.writers.updates=1000/s"
    slow = simulated(folder, "examples/small-database", *busy)
    assert "longer than the 1 s from one to the next" in said(slow, "Read this first")[0]


def test_what_went_wrong_comes_first(folder: Path) -> None:
    run = simulated(folder, "examples/gp3", "duration=3s")
    failed = changed(run, status="failed", reason="the disk is full")
    assert of(failed)[0] == "The run failed after 3 s: the disk is full."
    interrupted = changed(run, status="interrupted")
    assert of(interrupted)[0] == "The run was interrupted after 3 s."
    total = run.result["totals"][0] | {"errors": 3}
    assert of(changed(run, totals=[total]))[0] == "3 reads of readers on data failed."
    idle = run.result["totals"][0] | {"ios": 0, "latency_us": None}
    assert of(changed(run, totals=[idle], steps=[]))[0] == "No IO completed."


def test_an_emulation_that_was_late_is_not_to_be_trusted(folder: Path) -> None:
    run = simulated(folder, "examples/gp3", "duration=3s")
    times = dict.fromkeys(("mean", "p50", "p95", "p99_9", "max"), 50.0)
    trusted = changed(run, mode="emulate", lateness_us=times | {"p99": 150.0})
    assert not any("too slow" in sentence for sentence in said(trusted, "Read this first"))
    slow = changed(run, mode="emulate", lateness_us=times | {"p99": 800.0})
    [late] = [one for one in said(slow, "Read this first") if "too slow" in one]
    assert late.startswith("This machine was too slow for the emulation: 1% of")


def test_real_storage_and_foreign_files_know_no_limits(folder: Path) -> None:
    run = simulated(folder, "examples/gp3", "duration=3s")
    bench = changed(run, mode="bench")
    assert said(bench, "What throttled it")[1].endswith(
        " the 3,000 IOPS of the scenario's volumes."
    )
    assert not said(bench, "What would help")
    foreign = changed(run, mode="fio", resolved=[], limits=[], volumes=[])
    assert said(foreign, "What throttled it") == ["The file does not record limits."]
