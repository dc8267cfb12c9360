"""How much a layout takes, and what changes of it would bring: the commands and Python."""

import json
import re
from pathlib import Path

import pytest

import blockyard as by
from blockyard.cli import what_if_change, what_if_table
from blockyard.pages.capacity import load_curve
from blockyard.pages.figure import Curves
from blockyard.text.formatting import latency
from conftest import ROOT, Blockyard, one_line

GP3 = {
    "name": "one",
    "as_of": "2026-10-01",
    "warmup": "1s",
    "duration": "6s",
    "storage": {"data": {"type": "gp3", "size": "100GiB", "tokens": "0%"}},
    "workload": {
        "readers": {"kind": "ranread", "on": "data", "file_size": "1GiB", "processes": [2, 4]}
    },
}


@pytest.fixture
def gp3(tmp_path: Path) -> Path:
    path = tmp_path / "one.yaml"
    path.write_text(json.dumps(GP3))
    return path


def test_the_answer_can_be_simulated_by_hand(blockyard: Blockyard, gp3: Path) -> None:
    # At a limit the mean is the same with every seed.
    goal = "readers.latency.mean < 2.3ms"
    finished = blockyard("capacity", gp3.name, "--goal", goal)
    assert finished.returncode == 0, finished.stderr
    found = by.capacity(gp3, goal)
    holds, missed = found["holds"], found["missed"]
    assert holds is not None
    assert missed == holds + 1
    said = finished.stdout.replace("\n", " ")
    assert f"holds up to {holds} processes with 95% probability, and no longer at {missed}" in said
    assert "readers has a list of loads" in said
    assert "data IOPS (3,000 IOPS)" in said
    assert max(map(len, finished.stdout.splitlines())) <= 80
    for load, met in ((holds, True), (missed, False)):
        run = by.simulate(gp3, {"goals": [goal], "workload.readers.processes": load})
        assert [one["met"] for one in run.result["goals"]] == [met]


def test_no_load_at_all_is_a_missed_goal(blockyard: Blockyard, gp3: Path) -> None:
    goal = "readers.latency.p99 < 10us"
    finished = blockyard("capacity", gp3.name, "--goal", goal)
    assert finished.returncode == 1
    assert "is missed even at 1 process, the lowest load" in finished.stdout.replace("\n", " ")


def test_bad_input_is_one_line(blockyard: Blockyard, gp3: Path) -> None:
    cases = {
        ("capacity", "--goal", "reader.iops > 5"): "--goal: no job is called `reader`",
        ("capacity",): "goals: none; expected some",
        ("capacity", "--goal", "readers.iops > 5", "--job", "writers"): "--job: no job is called",
        ("what-if", "--job", "raeders"): "--job: no job is called `raeders`; did you mean",
        ("what-if", "--term", "3y"): "'3y' is not one of 'on-demand', '1y-no-upfront'",
    }
    for (command, *rest), message in cases.items():
        finished = blockyard(command, gp3.name, *rest)
        assert finished.returncode == 2
        assert message in one_line(finished)


def test_what_helps_agrees_with_the_report(gp3: Path) -> None:
    limited = {"workload.readers.processes": 32}
    found = by.what_if(gp3, limited)
    rows = {what_if_change.change(row): row for row in found["changes"]}
    brought = rows["data: 4,000 IOPS for 3,000"]["came"]
    assert brought
    assert brought["gain"] == pytest.approx(1 / 3, abs=0.02)
    nothing = rows["data: 250 MiB/s for 125"]
    assert nothing["came"]
    assert nothing["came"]["gain"] == 0.0
    assert nothing["worth"] == "nothing"
    # What the report of a run says would help.
    trials = by.simulate(gp3, limited, advice=True).trials
    helps = {limit["counts"] for limit, moved in trials.raised if moved}
    assert helps == {"ios"}
    assert not trials.idle_matter


def test_changes_are_listed_in_the_order_of_their_worth(blockyard: Blockyard, gp3: Path) -> None:
    finished = blockyard("what-if", gp3.name)
    assert finished.returncode == 0, finished.stderr
    assert max(map(len, finished.stdout.splitlines())) <= 80
    assert "data: 2 volumes for 1, a stripe" in finished.stdout
    as_json = blockyard("what-if", gp3.name, "--json")
    found = json.loads(as_json.stdout)
    order = list(what_if_table._HEADINGS)
    worths = [order.index(row["worth"]) for row in found["changes"]]
    assert worths == sorted(worths)
    stripe = next(row for row in found["changes"] if row["change"]["kind"] == "volumes")
    (override,) = stripe["sets"]
    path, value = override.split("=", 1)
    again = by.simulate(gp3, {path: value})
    assert sum(total["iops"] for total in again.result["totals"]) == pytest.approx(
        stripe["came"]["jobs"][0]["per_s"]
    )


def test_a_page_has_the_curve_and_the_goals_line(
    blockyard: Blockyard, gp3: Path, tmp_path: Path
) -> None:
    goal = "readers.latency.p99 < 3ms"
    finished = blockyard("capacity", gp3.name, "--goal", goal, "--html", "curve.html")
    assert finished.returncode == 0, finished.stderr
    found = by.capacity(gp3, goal)
    page = load_curve(found, "scenario")
    figures = [figure for section in page.sections for figure in section.figures]
    plots = [figure.plot for figure in figures if isinstance(figure.plot, Curves)]
    assert len(plots) == len(figures)
    loads = [float(point["load"]) for point in found["curve"]]
    for plot in plots:
        line, missed = plot.curves
        assert [x for x, _, _ in line.points] == loads
        assert line.marked == (loads.index(found["holds"] or 0), "holds")
        assert [x for x, _, _ in missed.points] == [
            point["load"] for point in found["curve"] if not point["met"]
        ]
    assert [[(own.label, own.value) for own in plot.levels] for plot in plots] == [
        [],
        [(goal, 3.0)],
    ]
    written = (tmp_path / "curve.html").read_text()
    for point in found["curve"]:
        us = point["jobs"][0]["latency_us"]
        assert us
        assert f">{latency(us['p99'])}<" in written
    # It is looked at before anything is read or simulated.
    again = blockyard("capacity", "nowhere.yaml", "--goal", goal, "--html", "curve.html")
    assert again.returncode == 2
    assert "curve.html exists already" in one_line(again)


def test_what_lives_on_burst_credits_says_so(blockyard: Blockyard, tmp_path: Path) -> None:
    gp2 = {
        **GP3,
        "storage": {"data": {"type": "gp2", "size": "200GiB"}},
        "workload": {
            "readers": {"kind": "ranread", "on": "data", "file_size": "1GiB", "rate": "1500/s"}
        },
        "goals": "readers.latency.p99 < 3ms",
    }
    (tmp_path / "gp2.yaml").write_text(json.dumps(gp2))
    changes = blockyard("what-if", "gp2.yaml").stdout
    assert "The layout lives on burst credits, which last 1 h 38 min more" in _unwrapped(changes)
    marked = [line for line in changes.splitlines() if " *  " in line]
    assert any("2 volumes for 1" in line for line in marked)
    assert not any("534 GiB for 200" in line or "io2 for gp2" in line for line in marked)
    assert "no effect, as long as burst credits last:" in changes
    lasting = blockyard("what-if", "gp2.yaml", "--sustained").stdout
    assert " *  " not in lasting
    assert "used up" in lasting
    largest = blockyard("capacity", "gp2.yaml", "--up-to", "2000").stdout
    said = _unwrapped(largest)
    assert "IOs/s sustained with 95% probability. On burst credits, which last 1 h 3 min " in said
    assert "met, for 1 h 3 min more" in largest


def test_above_the_rate_of_bursts_tokens_end_before_credits(
    blockyard: Blockyard, tmp_path: Path
) -> None:
    gp2 = {
        **GP3,
        "storage": {"data": {"type": "gp2", "size": "200GiB"}},
        "workload": {
            "readers": {"kind": "ranread", "on": "data", "file_size": "1GiB", "rate": "3200/s"}
        },
        "goals": "readers.latency.p99 < 3ms",
    }
    (tmp_path / "gp2.yaml").write_text(json.dumps(gp2))
    largest = blockyard("capacity", "gp2.yaml", "--up-to", "3200").stdout
    assert "On tokens saved before the start, which last about 15" in _unwrapped(largest)
    assert "met, for about 15" in largest
    assert "met, for 38 min" not in largest
    changes = _unwrapped(blockyard("what-if", "gp2.yaml").stdout)
    assert re.search("and on tokens saved before the start, which last about 1.* in all", changes)


def test_tokens_of_a_volume_without_credits_end_too(blockyard: Blockyard, tmp_path: Path) -> None:
    reads = {"kind": "ranread", "on": "data", "file_size": "1GiB", "rate": "3200/s"}
    full = {"data": {"type": "gp3", "size": "200GiB"}}
    run = {**GP3, "storage": full, "workload": {"readers": reads}}
    (tmp_path / "gp3.yaml").write_text(json.dumps(run))
    said = _unwrapped(blockyard("what-if", "gp3.yaml").stdout)
    on_tokens = "on tokens saved before the start, "
    assert f"no limit reached; {on_tokens}at 1.0" in said
    assert f"The layout lives {on_tokens}which last about 1" in said
    emptied = _unwrapped(blockyard("what-if", "gp3.yaml", "--sustained").stdout)
    assert on_tokens not in emptied


TWO = {
    "name": "two",
    "as_of": "2026-11-01",
    "duration": "6s",
    "storage": {
        "data": {"type": "gp3", "size": "200GiB"},
        "wal": {"type": "gp3", "size": "20GiB", "tokens": "0%"},
    },
    "workload": {
        "reads": {"kind": "ranread", "on": "data", "file_size": "100GiB", "rate": "2000/s"},
        "wal": {
            "kind": "access_spec",
            "on": "wal",
            "file_size": "10GiB",
            "pattern": {"size": "8KiB", "read": "0%", "random": "100%"},
            "rate": "3300/s",
        },
    },
    "goals": ["reads.latency.p99 < 5ms", "wal.latency.p99 < 5ms"],
}


def test_what_meets_a_goal_of_any_job_comes_first(blockyard: Blockyard, tmp_path: Path) -> None:
    (tmp_path / "two.yaml").write_text(json.dumps(TWO))
    finished = blockyard("what-if", "two.yaml")
    assert finished.returncode == 0, finished.stderr
    lines = finished.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    start = next(at for at, line in enumerate(lines) if line.startswith("meets goals"))
    cheapest, gives_up, second, third = lines[start + 2 : start + 6]
    assert "wal: 2 volumes for 1" in cheapest
    assert gives_up.split() == ["durability", "99.6%", "→", "99.4%", "a", "year"]
    # As many as are due, and a tenth free; then a step of a thousand.
    assert re.search(r"wal: 3,\d00 IOPS for 3,000", second)
    assert "wal: 4,000 IOPS for 3,000" in third
    assert cheapest.endswith("2 of 2")
    said = _unwrapped(finished.stdout)
    assert "two as it is: wal at 3,000 IOPS" in said
    # What 2,000 reads a second take, and a tenth free.
    assert re.search(r"data: io2 with 2,\d00 IOPS for gp3", said)
    # The order of the goals changes nothing of it.
    swapped = {**TWO, "goals": list(TWO["goals"])[::-1]}
    (tmp_path / "two.yaml").write_text(json.dumps(swapped))
    assert blockyard("what-if", "two.yaml").stdout == finished.stdout


def test_a_curve_is_of_the_job_whose_goal_binds(blockyard: Blockyard, tmp_path: Path) -> None:
    (tmp_path / "two.yaml").write_text(json.dumps(TWO))
    finished = blockyard("capacity", "two.yaml", "--up-to", "2")
    assert "wal IOPS" in finished.stdout
    assert "wal p99" in finished.stdout
    found = by.capacity(tmp_path / "two.yaml", up_to=2)
    assert found["told"] == "wal"
    page = load_curve(found, "scenario")
    plots = [figure.plot for section in page.sections for figure in section.figures]
    [level] = [own for plot in plots if isinstance(plot, Curves) for own in plot.levels]
    assert level.label == "wal.latency.p99 < 5ms"
    [latencies] = [plot for plot in plots if isinstance(plot, Curves) and plot.levels]
    _, missed = latencies.curves
    assert missed.points
    assert all(y > level.value for _, y, _ in missed.points)


def test_what_failed_is_told_of_where_no_goal_counts_it(blockyard: Blockyard, gp3: Path) -> None:
    def said(*more: str) -> str:
        sets = ("--set", "events=[{at: 1s, fail: data}]", "--up-to", "2")
        goals = ("--goal", "readers.latency.p99 < 1s", *more)
        return " ".join(blockyard("capacity", gp3.name, *sets, *goals).stdout.split())

    hint = "IOs that failed have none. `readers.errors < 1` makes them count."
    assert hint in said()
    counted = said("--goal", "readers.errors < 1")
    assert "are missed even at 1 process, the lowest load" in counted
    assert "makes them count" not in counted
    # Of two jobs the one that fails is named, whichever goal binds.
    beside = (
        "--set", "storage.other={type: gp3, size: 9GiB}",
        "--set", "workload.well={kind: ranread, on: other, file_size: 1GiB, processes: 4}",
        "--goal", "well.latency.p99 < 2ms",
    )  # fmt: skip
    assert hint in said(*beside)


def test_a_limit_binds_only_where_more_of_it_has_an_effect(blockyard: Blockyard, gp3: Path) -> None:
    def said(scenario: str) -> str:
        return _unwrapped(blockyard("what-if", scenario, "--most-ios", "1000000").stdout)

    bottleneck = "Other changes have no effect because the bottleneck is data IOPS (3,000 IOPS)."
    assert bottleneck in said(gp3.name)
    # What came due in a pause waits for the limit, too.
    assert bottleneck not in said(f"{ROOT}/scenarios/examples/event-pause.yaml")


def test_what_a_shorter_timeout_gives_up_is_said(blockyard: Blockyard) -> None:
    scenario = f"{ROOT}/scenarios/examples/drbd-split-brain.yaml"
    said = _unwrapped(blockyard("what-if", scenario, "--most-ios", "500000").stdout)
    assert "replication: timeout 3s for 6s p99 4." in said
    assert (
        "With a shorter timeout a host or a link that pauses for longer is given up, too." in said
    )


def test_the_answer_is_of_what_is_sustained(blockyard: Blockyard, tmp_path: Path) -> None:
    rested = {**GP3, "storage": {"data": {"type": "gp3", "size": "100GiB"}}}
    rested["workload"] = {
        "readers": {"kind": "ranread", "on": "data", "file_size": "1GiB", "rate": "2000/s"}
    }
    (tmp_path / "rested.yaml").write_text(json.dumps(rested))
    goal = "readers.latency.p99 < 3ms"
    found = by.capacity(tmp_path / "rested.yaml", goal)
    said = _unwrapped(blockyard("capacity", "rested.yaml", "--goal", goal).stdout)
    carried = found["sustained"]
    assert carried
    assert found["holds"]
    assert carried["holds"]
    assert carried["holds"] < 3000 < found["holds"]
    assert (
        f"holds up to {carried['holds']:,} IOs/s sustained with 95% probability. On tokens saved "
        "before the start" in said
    )
    assert f"it holds up to {found['holds']:,} IOs/s with 95% probability, and no longer" in said


def test_what_carries_a_load_without_credits_is_named(blockyard: Blockyard, tmp_path: Path) -> None:
    gp2 = {**GP3, "storage": {"data": {"type": "gp2", "size": "100GiB"}}}
    gp2["workload"] = {
        "readers": {"kind": "ranread", "on": "data", "file_size": "1GiB", "rate": "1000/s"}
    }
    (tmp_path / "gp2.yaml").write_text(json.dumps(gp2))
    said = _unwrapped(blockyard("what-if", "gp2.yaml").stdout)
    begin = "Changes that sustain this load: data: gp3 of 2 GiB with 3,000 IOPS, 125 MiB/s for gp2"
    assert begin in said
    named = said.partition("Changes that sustain this load: ")[2].partition("$/month). ")[0]
    assert "GiB for 100" in named
    assert "io2" not in named


def test_savings_say_what_they_give_up(blockyard: Blockyard, tmp_path: Path) -> None:
    large = {
        **GP3,
        "host": {"instance": "r6i.4xlarge"},
        "storage": {"data": {"type": "io2", "size": "1500GiB", "iops": 8000}},
        "workload": {
            "readers": {"kind": "ranread", "on": "data", "file_size": "1GiB", "rate": "2000/s"}
        },
        "goals": ["readers.latency.p99 < 5ms"],
    }
    (tmp_path / "large.yaml").write_text(json.dumps(large))
    finished = blockyard("what-if", "large.yaml", "--vcpu", "8", "--memory", "64GiB")
    assert finished.returncode == 0, finished.stderr
    assert max(map(len, finished.stdout.splitlines())) <= 80
    said = _unwrapped(finished.stdout)
    assert "data: gp3 with 3,000 IOPS, 125 MiB/s for io2 p99" in said
    assert "durability 99.999% → 99.8% a year" in said
    assert "8 vCPUs for 16; 64 GiB of memory for 128" in said
    assert "4 vCPUs for 16" not in said
    assert re.search(r"\d+ changes tried by themselves and \d+ combinations of two or three", said)
    wrong = blockyard("what-if", "large.yaml", "--memory", "much")
    assert (wrong.returncode, "--memory: `much` is not a size" in one_line(wrong)) == (2, True)


SHOP = """
name: shop
as_of: 2026-11-01
duration: 30s
hosts: {a: {instance: m5.xlarge}, b: {instance: m5.xlarge}, c: {instance: m5.xlarge}}
links:
  ab: {between: [a, b], round_trip: 1ms, bandwidth: 1Gbit/s}
  ac: {between: [a, c], round_trip: 20ms, bandwidth: 200kbit/s}
  bc: {between: [b, c], round_trip: 20ms, bandwidth: 1Gbit/s}
storage:
  data_a: {type: gp3, size: 90GiB, host: a}
  data_b: {type: gp3, size: 90GiB, host: b}
  data_c: {type: gp3, size: 90GiB, host: c}
workload:
  shop:
    {kind: oltp, engine: postgres, on: data_a, data_size: 1GiB, pool: 4MiB, threads: 8,
     rate: 50/s, transactions: {pay: {pages: 2, changes: 1, log: 1KiB, cpu: 1ms}},
     standbys: {nodes: {b: {on: data_b}, c: {on: data_c}}, failover: 5s,
                synchronous_commit: local}}
events: [{at: 10s, fail: b}, {at: 12s, fail: a}]
goals: [shop.transactions.lost <= 0, shop.transactions.outage <= 10s]
"""


def test_changes_of_a_cluster_say_what_they_do_to_its_service(
    blockyard: Blockyard, tmp_path: Path
) -> None:
    (tmp_path / "shop.yaml").write_text(SHOP)
    finished = blockyard("what-if", "shop.yaml", "--most-ios", "200000")
    assert finished.returncode == 0, finished.stderr
    assert max(map(len, finished.stdout.splitlines())) <= 80
    meets, *others = finished.stdout.split("\n\n")[1:]
    assert meets.startswith("meets goals that are missed now")
    # The near standby, which acknowledges first, is lost, too: the other is promoted only if it has
    # all of that.
    assert re.search(r"shop: synchronous_commit on for .*\n.*local, synchronous 2 for 1", meets)
    assert re.search(r"\n    outage 5\.[0-9]+ s → ", meets)
    assert re.search(r"\n    [0-9]+ → 0 lost", meets)
    assert "shop: 4 nodes for 3" in "".join(others)


def _unwrapped(text: str) -> str:
    return " ".join(text.split())
