"""The one sentence on top: what was asked, what was delivered, what limits it, for how long."""

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

from blockyard.formats import foreign
from blockyard.formats.loading import load
from blockyard.runs.run import Run
from blockyard.text.formatting import latency
from conftest import Blockyard
from runs import simulated

# One device and one job, to be completed with the job's load.
ONE = """\
name: one
duration: 4s
storage:
  data: {type: gp3, size: 200GiB}
workload:
  readers: {kind: ranread, on: data, file_size: 50GiB, LOAD}
"""

TWO = """\
name: two
duration: 6s
storage:
  data: {stripe: {width: 2, chunk: 64KiB}, of: {type: gp3, size: 200GiB}}
  log: {type: gp3, size: 100GiB}
workload:
  readers: {kind: ranread, on: data, file_size: 100GiB, processes: 32}
  commits: {kind: ranread, on: log, file_size: 10GiB, rate: 100/s}
"""

DATABASE = """\
name: database
duration: 8s
storage:
  data: {type: gp3, size: 100GiB}
workload:
  writers:
    kind: ranwrite
    on: {data: data, wij: data, journal: data}
    file_size: 256MiB
    cache: 256MiB
    processes: 10
    updates: UPDATES
    cycle: CYCLE
    wij: {file_size: 256MiB}
    journal: {file_size: 64MiB}
"""

MISSED = {"goal": "readers.iops > 4000", "met": False, "measured": "3000"}

IOSTAT = """\
Linux 4.18.0-553.el8.x86_64 (db1) \t11/21/26 \t_x86_64_\t(16 CPU)

"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def held(folder: Path) -> Run:
    """Sixty readers on a gp3."""
    return simulated(folder, ONE.replace("LOAD", "processes: 60"))


def of(run: Run) -> str:
    """The sentence, which is one, and short."""
    said = run.told.headline()
    assert said.endswith(".")
    assert ". " not in said
    assert said[0].isdigit() or said[0].isupper()
    assert len(said) <= 280
    return said


def changed(run: Run, **figures: Any) -> Run:
    result = run.result.copy()
    result.update(figures)  # type: ignore[typeddict-item]
    return dataclasses.replace(run, result=result, stored=None)


def got(run: Run, job: str = "readers") -> str:
    """IOPS and mean of a job that reads from one device."""
    [total] = [one for one in run.result["totals"] if one["job"] == job]
    assert total["latency_us"]
    return f"{total['iops']:,.0f} IOPS at {latency(total['latency_us']['mean'])}"


def test_a_closed_loop_that_a_limit_holds_back(held: Run) -> None:
    said = of(held)
    assert said.startswith(f"60 processes of readers get {got(held)} (p99 ")
    assert "), throttled by data IOPS (3,000 IOPS): 9" in said
    assert said.endswith("% of the latency.")


def test_a_closed_loop_that_waits_for_the_storage_alone(folder: Path) -> None:
    run = simulated(folder, ONE.replace("LOAD", "processes: 1"))
    said = of(run)
    assert said.startswith("1 process of readers gets 1,")
    assert said.endswith(
        "the storage's own latency; 2 processes would reach data IOPS (3,000 IOPS)."
    )


def test_load_steps_are_told_from_the_lightest_to_the_heaviest(folder: Path) -> None:
    steps = "schedule: [{at: 0s, processes: 8}, {at: 2s, processes: 1}, {at: 3s, processes: 0}]"
    run = simulated(folder, ONE.replace("LOAD", steps))
    heavy, light, _ = run.result["steps"]
    rates = f"{light['iops']:,.0f} to {heavy['iops']:,.0f} IOPS"
    said = of(run)
    assert said.startswith(f"1 to 8 processes of readers get {rates} at ")
    assert said.endswith("throttled by data IOPS (3,000 IOPS) at 8 processes.")


def test_an_open_loop_that_keeps_up(folder: Path) -> None:
    said = of(simulated(folder, ONE.replace("LOAD", "rate: 1000/s, arrivals: even")))
    assert said.startswith("All 1,000 IOPS due of readers are served at 0.5")
    assert "no limit reached; the nearest is data IOPS, 33.3% of 3,000 IOPS used" in said


def test_an_open_loop_past_its_limit(folder: Path) -> None:
    run = simulated(folder, ONE.replace("LOAD", "rate: 9000/s"))
    assert run.facts
    [behind] = run.facts["behind"]
    due, served = behind["due_per_s"], behind["served_per_s"]
    said = of(run)
    assert said.startswith(f"Of {due:,.0f} IOPS due of readers, {served:,.0f} are served")
    assert f", {due - served:,.0f} too few, throttled by data IOPS (3,000 IOPS); what" in said


def test_an_open_loop_that_may_not_have_more_in_flight(folder: Path) -> None:
    said = of(simulated(folder, ONE.replace("LOAD", "rate: 2900/s, max_outstanding: 1")))
    assert "too few, as no more than 1 IO may be in flight; what came due last waits " in said


@pytest.mark.parametrize(
    ("balance", "ending"),
    [
        ("0.2%", "; the burst balance was used up within 5 s, which leaves 300 IOPS."),
        ("100%", "; the burst balance lasts 33 min 14 s more, then 300 IOPS."),
    ],
)
def test_burst_credits_that_run_out(folder: Path, balance: str, ending: str) -> None:
    gp2 = ONE.replace(
        "gp3, size: 200GiB", f"gp2, size: 100GiB, tokens: 0%, burst_balance: {balance}"
    )
    said = of(simulated(folder, gp2.replace("LOAD", "processes: 8"), "duration=6s"))
    assert "throttled by data IOPS" in said
    assert said.endswith(ending)


def test_two_jobs_on_two_devices(folder: Path) -> None:
    run = simulated(folder, TWO)
    reads, commits = of(run).split("; ")
    assert reads.startswith(f"32 processes of readers get {got(run)} (p99 ")
    assert reads.endswith("), throttled by data IOPS (6,000 IOPS)")
    assert commits.startswith("all 100 IOPS due of commits are served at 0.")


def test_of_more_jobs_the_one_that_suffers_most_is_named(folder: Path) -> None:
    late = "  late: {kind: ranread, on: log, file_size: 10GiB, rate: 5000/s}\n"
    run = simulated(folder, TWO + late)
    assert of(run).startswith("The worst off of 3 jobs: of 5,")
    assert "IOPS due of late" in of(run)


def test_a_database_whose_cycles_end_in_time_and_one_whose_do_not(folder: Path) -> None:
    calm = of(simulated(folder, DATABASE.replace("UPDATES", "100/s").replace("CYCLE", "4s")))
    assert calm.startswith(
        "10 processes of writers make 1,000 updates a second, and a write-daemon "
    )
    assert calm.endswith(" of its 4 s, in time though they wait for data IOPS.")
    busy = of(simulated(folder, DATABASE.replace("UPDATES", "1000/s").replace("CYCLE", "1s")))
    assert busy.endswith(" of its 1 s, throttled by data IOPS (3,000 IOPS).")


def test_seeds_that_differ_give_a_range(folder: Path) -> None:
    run = simulated(folder, ONE.replace("LOAD", "rate: 2500/s"), seeds=8)
    by_seed = run.result.get("by_seed")
    assert by_seed
    [one] = by_seed["totals"]
    assert one["latency_us"]
    tail = one["latency_us"]["p99"]
    least, most = latency(tail["min"]).split()[0], latency(tail["max"])
    assert f" (p99 {least} to {most} over 8 seeds)" in of(run)


def test_long_names_are_cut_short(folder: Path) -> None:
    long = ONE.replace("LOAD", "rate: 9000/s").replace("data", "data-of-" + "accounting-" * 12)
    said = of(simulated(folder, long.replace("readers", "readers-of-" + "statements-" * 9)))
    assert "too few, throttled by data-of-a" in said
    others = TWO.replace("readers", "night-" * 20).replace("commits", "day-" * 30)
    assert "night-" in of(simulated(folder, others.replace("log", "journal-" * 10)))


def test_how_a_run_ended_comes_first(held: Run) -> None:
    failed = changed(held, status="failed", reason="the disk is full")
    assert of(failed).startswith("Failed after 4 s (the disk is full): 60 processes of ")
    assert of(changed(held, status="interrupted")).startswith("Interrupted after 4 s: 60 ")
    total = held.result["totals"][0]
    idle = {**total, "ios": 0, "latency_us": None}
    assert of(changed(held, totals=[idle], steps=[])) == "No IO completed."
    wrong = changed(held, totals=[{**total, "errors": 3}], goals=[MISSED], by_seed=None)
    assert of(wrong).startswith("3 IOs failed; 60 processes of readers get ")
    assert of(wrong).endswith("; 1 of 1 goal missed.")


def test_real_storage_is_told_beside_what_was_bought(held: Run) -> None:
    said = of(changed(held, mode="bench"))
    assert said.startswith("60 processes of readers got ")
    assert said.endswith(" times the 3,000 IOPS that the scenario's volumes would give.")


def test_an_emulation_is_of_its_clients(held: Run) -> None:
    [total] = held.result["totals"]
    account = held.result["limits"][0]
    jobs = [{**account["jobs"][0], "job": "clients"}]
    served = changed(
        held,
        mode="emulate",
        status="interrupted",
        totals=[{**total, "job": "clients"}],
        limits=[{**account, "jobs": jobs}],
    )
    said = of(served)
    assert said.startswith("Clients got ")
    assert "throttled by data IOPS (3,000 IOPS): 9" in said


def test_the_worst_of_several_steps_is_told(folder: Path) -> None:
    """The lightest and the heaviest step take 0.5 ms; the one between them pauses."""
    load = "schedule: [{at: 0s, rate: 100/s}, {at: 1s, rate: 1500/s}, {at: 2s, rate: 200/s}]"
    paused = "events: [{at: 2500ms, pause: data, for: 300ms}]"
    said = of(simulated(folder, ONE.replace("LOAD", load) + paused))
    found = re.search(r" are served at ([\d.]+) to ([\d.]+) ms", said)
    assert found, said
    assert float(found[1]) < 1
    assert float(found[2]) > 10


def test_files_of_other_programs_tell_nothing_of_limits(folder: Path, held: Run) -> None:
    fio = of(changed(held, mode="fio", limits=[], volumes=[]))
    assert fio.startswith(got(held))
    file = folder / "iostat.txt"
    rows = "Device r/s rkB/s r_await w/s wkB/s w_await aqu-sz %util\n" + "".join(
        f"{name} {reads} 800 {each} 0 0 0 0.4 20\n"
        for name, reads, each in (("sda", 100, 2), ("sdb", 10, 4))
    )
    times = ("09:00:00", "09:00:10", "09:00:20")
    file.write_text(IOSTAT + "".join(f"11/21/26 {time}\n{rows}\n" for time in times))
    run = foreign.read(file)
    assert run
    assert of(run) == (
        "110 IOPS of 2 devices, seen by iostat, which tells nothing of limits; the busiest is "
        "sda, with 100 IOPS at 2.00 ms."
    )


THREE = """\
name: three
duration: 4s
storage:
  data: {type: gp3, size: 500GiB, iops: 9000}
  wal: {type: gp3, size: 50GiB}
  old: {type: gp3, size: 50GiB}
workload:
  reads: {kind: ranread, on: data, file_size: 300GiB, rate: 5000/s}
  wal: {kind: ranread, on: wal, file_size: 10GiB, rate: 500/s}
  old: {kind: ranread, on: old, file_size: 10GiB, rate: 100/s}
goals: [reads.latency.p99 < 90ms, wal.latency.p99 < GOAL, old.latency.p99 < 90ms]
"""


def test_of_three_jobs_that_leads_which_misses_its_goal(folder: Path) -> None:
    missed = of(simulated(folder, THREE.replace("GOAL", "1us")))
    assert missed.startswith("The worst off of 3 jobs: all 500 IOPS due of wal are served")
    assert missed.endswith("; 1 of 3 goals missed.")


def test_of_three_jobs_that_are_served_none_is_worst_off(folder: Path) -> None:
    run = simulated(folder, THREE.replace("GOAL", "90ms"))
    said = of(run)
    assert said.startswith("All 3 jobs are served, 5,")
    assert " IOPS together, no limit reached; the nearest is data IOPS, " in said


def test_of_three_jobs_that_leads_whose_ios_failed(folder: Path) -> None:
    text = THREE.partition("goals:")[0]
    said = of(simulated(folder, text + "events: [{at: 1s, fail: old, for: 3s}]\n"))
    assert "the worst off of 3 jobs: " in said
    assert " due of old " in said


@pytest.mark.parametrize("goal", ["90ms", "1us"])
def test_a_job_that_falls_behind_leads_with_a_goal_or_without(folder: Path, goal: str) -> None:
    text = THREE.replace("GOAL", goal).replace("rate: 100/s", "rate: 9000/s")
    assert "worst off of 3 jobs: of 9,0" in of(simulated(folder, text))
    assert "worst off of 3 jobs: of 9,0" in of(
        simulated(folder, text.replace(", old.latency.p99 < 90ms", ""))
    )


MOVING = """\
name: moving
duration: 14s
hosts: {a: {instance: m5.2xlarge}, b: {instance: m5.2xlarge}}
links: {ab: {between: [a, b], round_trip: 0.5ms, bandwidth: 10Gbit/s, timeout: 1s}}
MORE
workload:
  shop: {kind: oltp, engine: innodb, on: data, data_size: 1GiB, pool: 64MiB, rate: 50/s,
    transactions: {pay: {pages: 4, changes: 2, log: 4KiB, cpu: 100us}}}
"""
CLUSTER = """\
clusters: {pair: {nodes: [a, b], disks: [data], stop: 1s, detach: 1s, attach: 1s, import: 0s,
  start: 1s}}
storage: {data: {type: gp3, size: 100GiB}}
events: [{at: 4s, switch: pair, to: b}]
"""
MIRROR = """\
storage: {data: {mirror: {legs: {a: {type: gp3, size: 100GiB, host: a},
  b: {type: gp3, size: 100GiB, host: b}}, link: ab, failover: 4s}}}
events: [EVENT]
"""


@pytest.mark.parametrize(
    ("more", "why", "back"),
    [
        (CLUSTER, "its cluster was switched", "8 s"),
        (MIRROR.replace("EVENT", "{at: 4s, fail: a}"), "its host was gone", "8 s"),
        (MIRROR.replace("EVENT", "{at: 4s, cut: ab, for: 9s}"), "another host took over", "8 s"),
    ],
    ids=["switch", "loss", "split brain"],
)
def test_why_a_database_was_started_elsewhere(folder: Path, more: str, why: str, back: str) -> None:
    said = of(simulated(folder, MOVING.replace("MORE\n", more)))
    assert f": {why}; it was started with an empty buffer pool at {back}" in said
    assert ("acknowledged on data were lost" in said) == (why == "another host took over")


MANY_ROWS = """\
name: many
duration: 90s
interval: 10ms
storage:
  data: {stripe: {width: 7, chunk: 64KiB}, of: {type: st1, size: 125GiB}}
workload:
  load:
    kind: access_spec
    on: data
    file_size: 100GiB
    pattern: {size: 128KiB, read: 100%, random: 0%}
    processes: 1
"""


@pytest.mark.slow
def test_one_run_has_one_headline_however_many_rows_it_has(
    blockyard: Blockyard, tmp_path: Path
) -> None:
    (tmp_path / "many.yaml").write_text(MANY_ROWS)
    done = blockyard("simulate", "many.yaml", "--seeds", "1", "--out", "many")
    assert done.returncode == 0, done.stderr
    run = load(tmp_path / "many")
    assert run.volumes.num_rows > 60_000
    assert of(run) in " ".join(done.stdout.split())
