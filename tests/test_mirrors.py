"""Mirrors over a link: results, words, and the same mirror served in real time."""

import time
from pathlib import Path

import pytest

from blockyard.runs.run import Run
from blockyard.words import paragraphs, summary
from blockyard.words.headline import headline
from nbdclient import Client
from runs import simulated
from serving import serve

# The other host is 20 ms away, so that nothing else counts on a busy machine.
SERVED = """\
name: served
interval: 1s
hosts:
  near: {instance: m5.large}
  far: {instance: m5.large}
links:
  wan: {between: [near, far], round_trip: 20ms, bandwidth: 1Gbit/s}
storage:
  data:
    mirror:
      legs:
        here: {type: gp3, size: 1GiB, host: near}
        there: {type: gp3, size: 1GiB, host: far}
      link: wan
      acknowledge: LETTER
"""


# Writes that fill the wires, and reads that do not take them.
FULL = """\
name: full
duration: 5s
warmup: 1s
hosts:
  near: {instance: m5.4xlarge}
  far: {instance: m5.4xlarge}
links:
  wan: {between: [near, far], round_trip: 1ms, bandwidth: 1Gbit/s, socket_buffer: 256KiB}
storage:
  data:
    mirror:
      legs:
        here: {type: gp3, size: 50GiB, iops: 6000, throughput: 500MiB/s, host: near}
        there: {type: gp3, size: 50GiB, iops: 6000, throughput: 500MiB/s, host: far}
      link: wan
      acknowledge: C
      read: local
workload:
  writers:
    {kind: access_spec, on: data, file_size: 20GiB, rate: 2500/s,
     pattern: {size: 64KiB, read: 0%, random: 100%}}
  readers:
    {kind: access_spec, on: data, file_size: 20GiB, processes: 2,
     pattern: {size: 8KiB, read: 100%, random: 100%}}
"""


def test_full_wires_are_why_writes_fall_behind_and_local_reads_are_not_held(
    tmp_path: Path,
) -> None:
    run = simulated(tmp_path, FULL)
    said = headline(run.result, run.facts)
    assert "too few, throttled by the bandwidth of wan at near; 2 processes of readers" in said
    assert said.count("throttled by") + said.count("limited by") == 1
    wider = simulated(tmp_path, FULL, "links.wan.bandwidth=10Gbit/s")
    assert wider.facts is not None
    assert wider.facts["behind"] == []


def test_a_mirror_and_its_link_are_told_of(tmp_path: Path) -> None:
    run = simulated(tmp_path, "infoscale/4-mirror-udp", "duration=5s", "warmup=1s")
    [mirror] = run.result["mirrors"]
    assert (mirror["device"], mirror["state"], mirror["at_risk_bytes"]) == ("data", "in sync", 0)
    there, back = run.result["links"]
    assert (there["from_host"], there["to_host"]) == ("a", "b")
    assert (back["from_host"], back["to_host"]) == ("b", "a")
    assert [volume["name"] for volume in run.result["volumes"]] == ["data.a", "data.b"]
    said = " ".join(paragraphs.of(run))
    assert "The mirror data ends in sync, with nothing at risk while it ran." in said
    assert "llt carries 1.98 MiB/s from a to b" in said
    assert "of one processor of a, 1.8% of all 2." in said
    assert "llt carries" in summary.html(run.result, None, run.facts)


def test_a_slow_host_of_a_mirror_is_told_of(tmp_path: Path) -> None:
    sets = ("duration=15s", "warmup=1s")
    event = "events=[{at: 5s, degrade: b, to: 10%, for: 5s}]"
    whole, slow = (
        simulated(tmp_path, "infoscale/3-mirror-tcp", *sets, *more) for more in ((), (event,))
    )
    [said] = slow.result["events"]
    assert (said["what"], said["until_s"]) == ("b degrades to 10% of its processors' speed", 10)
    effect = said["effect"]
    assert effect is not None
    before, during = effect["iops_before"], effect["iops_during"]
    assert before is not None
    assert during is not None
    assert 0.3 * before < during < 0.9 * before
    text = " ".join(summary.lines(slow.result, slow.facts))
    assert "at 0:05: b degrades to 10% of its processors' speed until 0:10: " in text
    assert "of the latency of load goes to the processor of llt at a" in text
    # Its processor is busy ten times as long for each IO in this third of the run.
    busy = [{it["host"]: it["busy_s"] for it in run.result["packet_cpu"]} for run in (whole, slow)]
    ios = [run.result["totals"][0]["ios"] + run.result["totals"][1]["ios"] for run in (whole, slow)]
    each = busy[0]["a"] / ios[0]
    assert busy[1]["a"] / ios[1] == pytest.approx(each, rel=0.1)
    slowed = busy[1]["b"] - busy[1]["a"]
    assert slowed == pytest.approx(9 * each * 5 * during, rel=0.1)


def test_a_link_that_holds_writes_back_is_named_and_a_larger_buffer_brings_it(
    tmp_path: Path,
) -> None:
    run, larger = (
        simulated(
            tmp_path,
            "infoscale/4-mirror-udp",
            "duration=4s",
            "warmup=1s",
            f"links.llt.socket_buffer={buffer}",
            "workload.load.processes=64",
            "workload.load.pattern={size: 64KiB, read: 0%, random: 0%}",
            *(f"storage.data.mirror.legs.{leg}.type=gp3" for leg in "ab"),
            *(f"storage.data.mirror.legs.{leg}.iops=3000" for leg in "ab"),
            *(f"storage.data.mirror.legs.{leg}.throughput=700MiB/s" for leg in "ab"),
        )
        for buffer in ("64KiB", "128KiB")
    )
    assert run.facts is not None
    assert run.facts["modelled"] is not None
    [hold] = run.facts["modelled"]["links"]
    assert (hold["link"], hold["from_host"], hold["cause"]) == ("llt", "a", "socket_buffer")
    assert hold["waited"] > 0.9
    assert run.facts["modelled"]["closed_loops"] == []
    assert "throttled by the socket buffer of llt at a" in headline(run.result, run.facts)
    # One message of 64 KiB is under way with 64 and with 96 KiB, and two or three with more.
    said = paragraphs.of(run)
    assert "Raising the socket buffer of llt by a half was tried: no effect." in said
    tried = [
        line for line in paragraphs.of(larger) if line.startswith("Raising the socket buffer of")
    ]
    [moved] = next(moved for hold, moved in larger.trials.links if hold["cause"] == "socket_buffer")
    assert tried[0].startswith("Raising the socket buffer of llt by a half was tried: load's p99 ")
    assert moved["after"]["iops"] > 1.2 * moved["before"]["iops"]
    assert larger.result["totals"][0]["iops"] > 1.7 * run.result["totals"][0]["iops"]


def test_lost_packets_are_counted_and_named_where_they_hold_writes_back(tmp_path: Path) -> None:
    sets = ("duration=5s", "warmup=1s", "links.llt.loss=1%")
    run = simulated(tmp_path, "infoscale/4-mirror-udp", *sets)
    assert run.facts is not None
    assert run.facts["modelled"] is not None
    [first, *_] = run.facts["modelled"]["links"]
    assert first["cause"] == "loss"
    assert "limited by lost packets of llt at " in headline(run.result, run.facts)
    there, _ = run.result["links"]
    again = f"sends {there['retransmitted']:,} of {there['packets']:,} packets again"
    assert again in " ".join(paragraphs.of(run))


def test_processes_that_reach_a_mirrors_limit_do(tmp_path: Path) -> None:
    sets = ("duration=12s", "warmup=4s")
    run = simulated(tmp_path, "infoscale/4-mirror-udp", *sets)
    assert run.facts is not None
    assert run.facts["modelled"] is not None
    [loop] = run.facts["modelled"]["closed_loops"]
    assert loop["reach"]
    needed = loop["reach"]["processes"]
    reached, short = (
        simulated(tmp_path, "infoscale/4-mirror-udp", *sets, f"workload.load.processes={count}")
        for count in (needed + 1, needed - 1)
    )
    for one, held in ((reached, True), (short, False)):
        assert one.facts is not None
        assert one.facts["modelled"] is not None
        assert bool(one.facts["modelled"]["waits"]) == held


@pytest.mark.realtime
@pytest.mark.parametrize(("letter", "round_trips"), [("A", 0), ("C", 1)])
def test_a_mirror_is_served_as_it_acknowledges(
    tmp_path: Path, letter: str, round_trips: int
) -> None:
    nbd = tmp_path / "nbd"
    with serve(SERVED.replace("LETTER", letter), "--as", f"nbd={nbd}", folder=tmp_path) as served:
        client = Client(served.paths["data"].partition("socket=")[2], "data")
        took = []
        for block in range(20):
            start = time.monotonic()
            client.write(4096 * block, b"x" * 4096)
            took.append(time.monotonic() - start)
        assert client.read(0, 4096) == b"x" * 4096
        client.close()
    # What else the machine does can only delay an answer.
    assert 0.02 * round_trips <= min(took) < 0.02 * (round_trips + 1)


def test_a_cut_pauses_commits_for_one_timeout_with_an_arbiter_and_for_three_without(
    tmp_path: Path,
) -> None:
    goals = (
        "with-arbiter.outage <= 9s, without-arbiter.outage <= 9s, without-arbiter.lost_bytes <= 0"
    )
    sets = ["duration=100s", "events.0.at=10s", f"goals=[{goals}]"]
    run = simulated(tmp_path, "examples/iris-mirror-cut", *sets)
    assert [goal["met"] for goal in run.result["goals"]] == [True, False, True]
    guarded, alone = run.result["journal_mirrors"]
    measured = [goal["measured"].partition(",")[0] for goal in run.result["goals"]]
    assert measured == [f"{mirror['paused_s']:.3f}s" for mirror in (guarded, alone)] + ["0"]
    assert (guarded["outage_s"], alone["outage_s"]) == (guarded["paused_s"], alone["paused_s"])
    assert 6 < guarded["paused_s"] <= 8
    assert 22 < alone["paused_s"] <= 24
    assert (guarded["trouble_s"], alone["trouble_s"]) == (0, 16)
    stages = [stage["to"] for stage in alone["transitions"]]
    assert stages == ["trouble", "alone", "catching_up", "active"]
    said = " ".join(summary.lines(run.result, run.facts))
    assert "until the backup had lost active status, and 16 s in trouble." in said
    said = headline(run.result, run.facts)
    assert "; no update of without-arbiter was committed for 23." in said
    kinds = [event["kind"] for event in run.result["events"]]
    assert kinds == ["cut", "trouble", "trouble", "catch_up", "catch_up"]


def test_a_split_brain_is_said_and_stays_until_told(tmp_path: Path) -> None:
    def parted(*sets: str) -> Run:
        return simulated(tmp_path, "examples/drbd-split-brain", "events.0.at=5s", *sets)

    run = parted("goals=[writers.outage <= 7s, writers.lost_bytes <= 0]")
    outage, lost = run.result["goals"]
    assert (outage["met"], lost["met"]) == (True, False)
    assert outage["measured"].startswith("6.0"), "until the link is given up"
    kinds = [event["kind"] for event in run.result["events"]]
    assert kinds == [
        "cut", "left", "takeover", "split_brain", "reconnect", "discarded", "catch_up"
    ]  # fmt: skip
    taken, split = run.result["events"][2:4]
    assert (taken["t_s"], split["t_s"]) == (35, 65)
    assert taken["what"].startswith("data: far takes over, without ")
    assert split["what"].startswith("data: split brain: near and far have both been written to")
    [mirror] = run.result["mirrors"]
    assert (mirror["state"], mirror["split_brains"]) == ("in sync", 1)
    assert lost["measured"].startswith(f"{mirror['lost_bytes']}, ")
    assert 0 < mirror["discarded_bytes"] == mirror["lost_bytes"] < mirror["resync_bytes"]
    said = " ".join(paragraphs.of(run))
    assert "Both legs of data have writes that the other lacks: " in said
    assert " of one of them were discarded." in said

    apart = parted("events=[{at: 5s, cut: replication, for: 60s}]")
    [mirror] = apart.result["mirrors"]
    assert (mirror["state"], mirror.get("resync_bytes")) == ("split brain", 0)
    said = " ".join(paragraphs.of(apart))
    assert "The mirror data ends in a split brain" in said
    assert "they stay apart until somebody says whose writes to keep." in said


def test_a_fenced_node_does_not_take_over_and_io_is_frozen_meanwhile(tmp_path: Path) -> None:
    fencing = "storage.data.mirror.fencing=resource_and_stonith"
    run = simulated(tmp_path, "examples/drbd-split-brain", "duration=90s", fencing,
                    "goals=[writers.outage <= 10s, writers.lost_bytes <= 0]",
                    "events=[{at: 5s, cut: replication, for: 60s}]")  # fmt: skip
    [_, left, frozen, back] = run.result["events"]
    outage, lost = run.result["goals"]
    assert (outage["met"], lost["met"]) == (False, True)
    assert outage["measured"].startswith("11.0"), "until the link is given up, and the fencing"
    assert [it["kind"] for it in (left, back)] == ["left", "catch_up"]
    assert (frozen["kind"], frozen["t_s"], frozen["until_s"]) == ("frozen", 11, 16)
    [mirror] = run.result["mirrors"]
    assert (mirror["frozen_s"], mirror.get("takeovers")) == (5, None)
    assert mirror["lost_bytes"] == 0
    said = " ".join(paragraphs.of(run))
    assert "For 5 s data served no IO, until a leg was fenced or a host served." in said
    assert outage["measured"].startswith(f"{mirror['outage_s']:.3f}s")
    assert "lost. The longest time without service of data was 11 s." in said


def test_who_takes_over_from_a_lost_host_says_what_it_lacks(tmp_path: Path) -> None:
    lost = {}
    for letter in "AC":
        mirror = "storage.data.mirror"
        sets = (f"{mirror}.acknowledge={letter}", f"{mirror}.log.active=16", "duration=90s")
        # So long a way that something is always on it.
        events = "events=[{at: 5s, fail: near, for: 50s}]"
        far = ("links.replication.overhead=20ms", f"{mirror}.resync.depth=99")
        run = simulated(tmp_path, "examples/drbd-split-brain", *sets, *far, events)
        _, frozen, taken, back = run.result["events"]
        assert back["what"].startswith("data: near is back, and gets the ")
        assert (frozen["kind"], frozen["until_s"]) == ("frozen", 35)
        lost[letter] = taken["what"].partition("far takes over, ")[2]
        [total] = run.result["mirrors"]
        # What the log names is unsure, not all 100 GiB.
        assert (total["takeovers"], total["state"]) == (1, "in sync")
        assert total["resync_bytes"] < 1 << 30
    assert lost["C"] == "and has all that was acknowledged"
    assert lost["A"].startswith("without ")


def test_the_longest_of_several_pauses_is_told_and_the_cause_of_each(tmp_path: Path) -> None:
    cuts = "events=[{at: 10s, cut: mirror, for: 30s}, {at: 60s, fail: primary, for: 4s}]"
    run = simulated(tmp_path, "examples/iris-mirror-cut", "duration=80s", cuts)
    alone = run.result["journal_mirrors"][1]
    assert alone["pauses"] == 2
    longest = alone["outage_s"]
    assert longest is not None
    assert longest + 1 < alone["paused_s"]
    assert longest == pytest.approx(23.8, abs=0.1)
    said = " ".join(summary.lines(run.result, run.facts))
    assert "was committed for 28 s in 2 pauses, the longest of 23.8 s: " in said
    given_up, lost = said.partition("the longest of 23.8 s: ")[2].partition(".")[0].split("; ")
    assert given_up == "backup was given up at 0:18, and primary was in trouble until 0:34"
    assert lost == "primary was lost from 1:00 until 1:04, and backup did not take over"


def test_updates_that_nobody_could_commit_are_not_said_to_be_made(tmp_path: Path) -> None:
    few = ("workload.readers.processes=1", "duration=30s")
    for events, does in ("[]", "make"), ("[{at: 10s, fail: b}]", "are to make"):
        run = simulated(tmp_path, "examples/iris-lost-zone", *few, f"events={events}")
        said = headline(run.result, run.facts)
        assert f"200 processes of writers {does} 20,000 updates a second" in said


def test_a_lost_primary_is_an_outage_until_its_backup_is_ready(tmp_path: Path) -> None:
    run = simulated(tmp_path, "examples/iris-mirror-cut", "events=[{at: 1m, fail: primary}]",
                    "goals=[with-arbiter.outage <= 1ms]")  # fmt: skip
    [goal] = run.result["goals"]
    guarded = run.result["journal_mirrors"][0]
    assert (guarded["job"], guarded["primary"]) == ("with-arbiter", "backup")
    assert guarded["backup"] == "disconnected"
    ready = [change["t_s"] for change in guarded["transitions"] if change["to"] == "ready"]
    assert guarded["paused_s"] == pytest.approx(ready[0] - 60, abs=1)
    assert goal["measured"].startswith(f"{guarded['paused_s']:.3f}s")
    kinds = [event["kind"] for event in run.result["events"]]
    assert kinds[:2] == ["fail", "frozen"]
    assert "takeover" in kinds
    # Without an arbiter nobody tells the backup, and a host that is gone does not go on.
    alone = run.result["journal_mirrors"][1]
    assert [change["to"] for change in alone["transitions"]] == ["primary_lost", "trouble"]
    assert alone["paused_s"] == pytest.approx(120, abs=0.1)
    said = " ".join(summary.lines(run.result, run.facts))
    assert "primary was lost from 1:00 to the end" in said
