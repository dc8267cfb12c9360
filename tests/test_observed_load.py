"""`what-if --workload`: a layout under the load over time that a file shows."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from blockyard._core import Scenario, ScenarioError
from blockyard.formats import loading
from blockyard.formats.foreign.observations import (
    Interval,
    Observed,
    Source,
    intervals_of,
    run_of,
    totals_of,
)
from blockyard.questions import demand, demand_window
from blockyard.questions.demand_schedule import Steps
from blockyard.questions.observed_load import Replayed, replayed
from blockyard.questions.what_if import what_if
from blockyard.runs.execution import ScenarioFile
from blockyard.runs.run import Run
from conftest import ONCE, Blockyard

LAYOUT = (
    "name: today\nas_of: 2026-11-01\nhost: {instance: r6i.2xlarge}\n"
    "storage: {data: {type: gp3, size: 200GiB, iops: 6000}}\n"
)
TWO = LAYOUT.replace("storage: {", "storage: {log: {type: gp3, size: 10GiB}, ")

# IOs of an interval by device and operation, each with the size of one.
Slot = dict[tuple[str, str], tuple[int, int]]


def observed(slots: list[Slot], length_s: float = 10.0, mean_us: float = 600.0) -> Run:
    found = [
        Interval(at * length_s, length_s, ("observed", *key), ios, ios * size, mean_us, None)
        for at, slot in enumerate(slots)
        for key, (ios, size) in slot.items()
    ]
    table = intervals_of(found)
    duration = len(slots) * length_s
    totals = totals_of(table, length_s, duration)
    source = Source(Path("night.txt"), "iostat", "iostat", "2026-11-20T22:00:00")
    return run_of(
        source, Observed(duration, totals, table, notes=("left out: sda",), sampled_s=length_s)
    )


def test_sums_of_a_whole_run_are_no_load_over_time() -> None:
    run = observed([{("sdb", "read"): (100, 4096)}])
    sums = replace(run, intervals=run.intervals.slice(0, 0))
    with pytest.raises(ScenarioError, match="but sums of all of it; record it over time, as with"):
        made(sums)


def text_of(replay: Replayed) -> Any:
    """What is simulated."""
    return yaml.safe_load(replay.text)


def made(run: Run, most_ios: int = 10**7, text: str = LAYOUT, **places: str) -> Replayed:
    return replayed(run, ScenarioFile(text, "today.yaml", ()), most_ios, places)


def test_each_interval_keeps_its_rate_its_sizes_and_its_share_of_reads() -> None:
    slots: list[Slot] = [
        {("sdb", "read"): (10_000, 8192), ("sdb", "write"): (2_000, 16384)},
        {("sdb", "read"): (30_000, 8192), ("sdb", "trim"): (5, 4096)},
        {},
        {("sdb", "read"): (5_000, 262_144), ("sdb", "write"): (1_000, 16384)},
    ]
    tree = yaml.safe_load(made(observed(slots)).night)
    assert (tree["duration"], tree["name"]) == ("40s", "today-night")
    schedules = {name: [(step["at"], step["rate"]) for step in job["schedule"]]
                 for name, job in tree["workload"].items()}  # fmt: skip
    assert schedules == {
        "reads-8k": [("0s", "1000/s"), ("10s", "3000/s"), ("20s", "0/s")],
        "reads-256k": [("0s", "0/s"), ("30s", "500/s")],
        "writes-16k": [("0s", "200/s"), ("10s", "0/s"), ("30s", "100/s")],
    }
    patterns = {name: job["pattern"] for name, job in tree["workload"].items()}
    assert patterns["reads-256k"] == {"size": "262144B", "read": "100%", "random": "100%"}
    assert patterns["writes-16k"]["read"] == "0%"


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.dictionaries(
            st.tuples(st.sampled_from(["sdb", "dm-0"]), st.sampled_from(["read", "write"])),
            st.tuples(st.just(0) | st.integers(10, 200_000), st.integers(512, 1 << 20)),
        ),
        min_size=1,
        max_size=30,
    ),
    st.integers(100, 10**6),
)
def test_any_load_is_a_scenario_with_its_ios(slots: list[Slot], most_ios: int) -> None:
    run = observed(slots)
    if not any(ios for slot in slots for ios, _ in slot.values()):
        with pytest.raises(ScenarioError, match="reads or writes, but no IO at all"):
            made(run, most_ios)
        return
    replay = made(run, most_ios)
    window = replay.window
    assert window.ios <= max(most_ios, demand_window.whole(run).ios / max(1, len(slots)) or 1) or (
        window.duration_s == 1
    )
    tree = text_of(replay)
    length = int(tree["duration"].rstrip("s"))
    ios = 0.0
    for job in tree["workload"].values():
        ends = [*(int(step["at"].rstrip("s")) for step in job["schedule"][1:]), length]
        for step, end in zip(job["schedule"], ends, strict=True):
            ios += int(step["rate"].rstrip("/s")) * (end - int(step["at"].rstrip("s")))
    # Rates are whole numbers.
    assert ios == pytest.approx(window.ios, abs=len(tree["workload"]) * length)


def test_of_a_long_file_the_busiest_part_is_taken_and_told() -> None:
    slots: list[Slot] = [{("sdb", "read"): (1_000, 8192)} for _ in range(100)]
    slots[70] = {("sdb", "read"): (50_000, 8192)}
    replay = made(observed(slots, 60.0), 55_000)
    assert (replay.window.start_s, replay.window.duration_s) in {
        (60.0 * first, 360.0) for first in range(65, 71)
    }
    assert "with 37% of its IOs" in " ".join(replay.notes)
    assert any("2026-11-20 23:1" in note for note in replay.notes)
    assert "its busiest 60 s have 5.5 times the rate of its busiest 6 min" in " ".join(replay.notes)
    # All of it is kept.
    assert yaml.safe_load(replay.night)["duration"] == "6000s"
    # An interval that is too long by itself becomes shorter, at the same rate.
    short = made(observed(slots, 60.0), 10_000)
    assert short.window.duration_s == 12
    [step] = text_of(short)["workload"]["reads-8k"]["schedule"]
    assert step == {"at": "0s", "rate": "833/s"}


def test_what_was_held_back_is_told() -> None:
    fast = observed([{("sdb", "read"): (20_000, 8192)}] * 30)
    slow = observed([{("sdb", "read"): (20_000, 8192)}] * 30, mean_us=9_000.0)
    rows = [*fast.intervals.to_pylist()[:20], *slow.intervals.to_pylist()[20:]]
    table = fast.intervals.from_pylist(rows, schema=fast.intervals.schema)
    said = " ".join(demand_window.carried(demand_window.whole(
        Run(**{**vars(fast), "intervals": table})), "2026-11-20T22:00:00"))  # fmt: skip
    assert "2026-11-20 22:03:20 to 22:05:00 IOs took 9.00 ms, against 0.60 ms usually" in said
    assert "held them back" not in " ".join(made(fast).notes)


def test_next_to_nothing_is_no_load() -> None:
    with pytest.raises(ScenarioError, match="never one IO a second"):
        made(observed([{("sdb", "read"): (1, 8192)}]))


def test_one_interval_is_as_long_as_it_is() -> None:
    run = observed([{("sdb", "read"): (60_000, 8192)}], 60.0)
    assert text_of(made(run))["workload"]["reads-8k"]["schedule"][0]["rate"] == "1000/s"
    wanted, _ = demand.of_run(run)
    assert wanted["reads"] == {"iops": 1000, "io_size": "8192B"}


def test_devices_are_told_apart() -> None:
    run = observed([{("sdb", "read"): (10_000, 8192), ("sdc", "write"): (100, 4096)}])
    one = text_of(made(run))["workload"]
    assert {job["on"] for job in one.values()} == {"data"}
    two = text_of(made(run, text=TWO, data="sdb", log="sdc"))["workload"]
    assert {name: job["on"] for name, job in two.items()} == {
        "data-reads-8k": "data",
        "log-writes-4k": "log",
    }
    with pytest.raises(ScenarioError, match="--map log=sdb"):
        made(run, text=TWO)
    with pytest.raises(ScenarioError, match="--map: `sdz`; night has sdb and sdc"):
        made(run, text=TWO, data="sdz")


def test_a_simulated_day_comes_back(blockyard: Blockyard, tmp_path: Path) -> None:
    """The load of a run is simulated again from its counts."""
    (tmp_path / "today.yaml").write_text(
        LAYOUT.replace("host:", "duration: 60s\nhost:")
        + "workload:\n  r: {kind: access_spec, on: data, file_size: 9GiB, rate: [800/s, 2000/s], "
        "pattern: {size: 16KiB, read: 70%, random: 100%}}\n"
    )
    blockyard("simulate", "today.yaml", *ONCE, "--out", "run")
    done = blockyard("what-if", "today.yaml", "--workload", "run", "-o", "again.yaml", "--json")
    found = json.loads(done.stdout)
    assert sum(job["per_s"] for job in found["now"]["jobs"]) == pytest.approx(1400, rel=0.03)
    [beside] = [note for note in found["workload"] if note.startswith("mean latencies")]
    means = re.search(r"reads ([\d.]+) ms seen, ([\d.]+) ms simulated", beside)
    assert means
    assert float(means[2]) == pytest.approx(float(means[1]), rel=0.05)
    same = what_if(tmp_path / "today.yaml", workload=tmp_path / "run")
    assert same["now"]["jobs"] == found["now"]["jobs"]
    assert Scenario.load((tmp_path / "again.yaml").read_text(), "again").duration_s == 60


def test_what_cannot_be_a_load_is_one_line(blockyard: Blockyard, tmp_path: Path) -> None:
    (tmp_path / "today.yaml").write_text(LAYOUT)
    done = blockyard("what-if", "today.yaml", "--device", "sdb")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "expected --workload too" in done.stderr
    (tmp_path / "vmstat.txt").write_text("procs -----------memory----------\n")
    done = blockyard("what-if", "today.yaml", "--workload", "vmstat.txt")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "vmstat's report, which counts blocks, not IOs; record with" in done.stderr


PLACES = """
name: places
duration: 2s
storage:
  data: {type: gp3, size: 100GiB}
workload:
  scan: {kind: access_spec, on: data, file_size: 1GiB, processes: 3, outstanding: 2,
    pattern: {size: 64KiB, read: 100%, random: 0%}}
  pages: {kind: access_spec, on: data, file_size: 40GiB, rate: 300/s,
    pattern: {size: 8KiB, read: 0%, random: 75%}}
"""


def test_of_a_run_that_kept_each_io_sequential_shares_are_known(
    blockyard: Blockyard, tmp_path: Path
) -> None:
    (tmp_path / "places.yaml").write_text(PLACES)
    made_run = blockyard("simulate", "places.yaml", "--io-log", *ONCE, "--out", "run")
    assert made_run.returncode == 0, made_run.stderr
    replay = made(loading.load(tmp_path / "run"), text=PLACES)
    random = {
        job["pattern"]["read"]: int(job["pattern"]["random"].rstrip("%"))
        for job in text_of(replay)["workload"].values()
    }
    # Each process of the scan begins somewhere, and goes on from there.
    assert random["100%"] <= 1
    assert random["0%"] == pytest.approx(75, abs=6)
    (said,) = (note for note in replay.notes if "go on where another ended" in note)
    assert f"{100 - random['0%']}% of data's writes" in said


@pytest.mark.parametrize(
    ("duration_s", "steps"), [(0.4, 1), (1.05, 1), (1.6, 1), (9.95, 10), (10.0003, 10), (20.7, 20)]
)
def test_a_part_of_a_second_is_no_step(duration_s: float, steps: int) -> None:
    """Its rate would be that of a whole second, and so too low."""
    slots = [demand_window.Slot(float(start), {}) for start in range(21)]
    found = Steps.of(demand_window.Window(1.0, slots, duration_s))
    assert found.duration_s == steps
    assert bool(found.notes) == (duration_s in (1.6, 20.7))
