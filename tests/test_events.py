"""Events of scenarios: in the summary, on charts, between runs, on real storage and served."""

import errno
import json
from pathlib import Path

import pytest

from blockyard.pages.charts import all_figures
from blockyard.pages.figure import Lines
from blockyard.words import paragraphs, summary
from blockyard.words.headline import headline
from conftest import Blockyard
from nbdclient import Client
from runs import simulated
from serving import serve

CALM = """\
name: calm
duration: 4s
storage: {data: {stripe: {chunk: 64KiB, width: 2}, of: {type: gp3, size: 10GiB}}}
workload: {readers: {kind: ranread, on: data, file_size: 1GiB, processes: 4}}
"""
EVENTFUL = CALM + "events: [{at: 1s, pause: data, for: 1s}, {at: 3s, add: readers, processes: 2}]\n"


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    (tmp_path / "calm.yaml").write_text(CALM)
    (tmp_path / "eventful.yaml").write_text(EVENTFUL)
    return tmp_path


def test_the_summary_says_what_events_did(blockyard: Blockyard, texts: Path) -> None:
    shown = blockyard("simulate", "eventful.yaml", "--seeds", 1, "--out", "run").stdout
    said = " ".join(shown.split())
    assert "at 0:01: data pauses until 0:02: " in said
    assert " IOPS before, 0 meanwhile, " in said
    assert " after; 1 s without IO at 0:03: readers: 2 processes more: " in said
    result = json.loads((texts / "run" / "result.json").read_text())
    pause = result["events"][0]
    assert (pause["kind"], pause["on"], pause["until_s"]) == ("pause", "data", 2.0)


def test_a_report_says_what_events_did(tmp_path: Path) -> None:
    [happened] = [
        paragraph.sentences
        for paragraph in paragraphs.paragraphs(simulated(tmp_path, EVENTFUL))
        if paragraph.heading == "What happened meanwhile"
    ]
    assert happened[0].startswith("At 0:01: data pauses until 0:02: ")
    assert happened[0].endswith(" without IO.")
    assert len(happened) == 2


def test_what_waits_in_a_pause_waits_for_no_limit(tmp_path: Path) -> None:
    text = CALM.replace("processes: 4", "rate: 1500/s, arrivals: even").replace("4s", "8s")
    run = simulated(tmp_path, text + "events: [{at: 2s, pause: data, for: 2s}]\n")
    assert run.facts is not None
    assert run.facts["modelled"] is not None
    [behind] = run.facts["behind"]
    assert behind["cause"] == {"kind": "event", "event": 0}
    [hold] = run.facts["modelled"]["events"]
    [own] = hold["jobs"]
    assert own["waited"] > 0.4
    said = headline(run.result, run.facts)
    assert "limited by the event at 0:02 (data pauses)" in said
    lines = summary.html(run.result, None, run.facts)
    assert "of the latency of readers is the event at 0:02 (data pauses)" in " ".join(lines.split())


def test_charts_over_time_show_when_events_begin_and_end(tmp_path: Path) -> None:
    run = simulated(tmp_path, EVENTFUL)
    figures = {figure.name: figure.plot for figure in all_figures([run], 5)}
    for name in ("iops-data", "throughput-data", "queue-depth-data"):
        plot = figures[name]
        assert isinstance(plot, Lines)
        marks = [(span.label, span.start) for span in plot.spans if span.start == span.end]
        assert marks == [
            ("data pauses", 1.0),
            ("data resumes", 2.0),
            ("readers: 2 processes more", 3.0),
        ]


def test_compare_says_that_events_differ(blockyard: Blockyard, texts: Path) -> None:
    for name in ("calm", "eventful"):
        assert blockyard("simulate", f"{name}.yaml", "--seeds", 1, "--out", name).returncode == 0
    lines = blockyard("compare", texts / "calm", texts / "eventful").stdout.splitlines()
    assert "events.0: none -> at 1s, pause data, for 1s" in lines


def test_real_storage_has_no_events(blockyard: Blockyard, texts: Path) -> None:
    short = ["--set", "duration=400ms", "--set", "interval=100ms"]
    short += ["--set", "events=[{at: 100ms, pause: data}, {at: 200ms, add: readers, processes: 2}]"]
    bench = blockyard("bench", "eventful.yaml", "--map", "data=null:", *short, "--out", "run")
    assert "real storage has its own; 1 of the scenario's did not happen" in bench.stdout
    result = json.loads((texts / "run" / "result.json").read_text())
    assert [step["processes"] for step in result["steps"]] == [4, 6]
    assert "events" not in result


def test_what_is_served_has_the_scenarios_events(tmp_path: Path) -> None:
    scenario = CALM + "events: [{at: 0s, fail: data.0}]\n"
    options = ["--as", f"nbd={tmp_path / 'nbd'}"]
    with serve(scenario, *options, folder=tmp_path) as served:
        client = Client(served.paths["data"].partition("socket=")[2], "data")
        with pytest.raises(OSError, match="answer") as raised:
            client.read(0, 4096)
        assert raised.value.errno == errno.EIO
        client.read(64 * 1024, 4096)
        client.close()
        served.stop()
    [event] = served.result()["events"]
    assert (event["what"], event["kind"], event["on"]) == ("data.0 fails", "fail", "data.0")
    assert event["effect"]["failed_ios"] == 1


FULL = """
name: shop
as_of: 2026-11-01
duration: 20s
hosts: {a: {instance: m5.xlarge}, b: {instance: m5.xlarge}}
links: {ab: {between: [a, b], round_trip: 1ms}}
storage:
  of_a: {type: gp3, size: 2GiB, host: a}
  of_b: {type: gp3, size: 3GiB, host: b}
workload:
  shop: {kind: oltp, engine: postgres, on: of_a, data_size: 1GiB, pool: 4MiB, threads: 8,
    rate: 50/s, log: {file_size: 64MiB},
    transactions: {pay: {pages: 2, changes: 1, log: 2MiB, cpu: 1ms}},
    standbys: {nodes: {b: {on: of_b}}, synchronous_commit: local}}
events: [{at: 1s, fail: b}]
"""


def test_a_primary_that_stops_for_its_standbys_says_so(
    blockyard: Blockyard, tmp_path: Path
) -> None:
    (tmp_path / "shop.yaml").write_text(FULL)
    finished = blockyard("simulate", "shop.yaml", "--seeds", "1", "--no-advice", "--out", "full")
    assert finished.returncode == 0, finished.stderr
    said = " ".join(finished.stdout.split())
    assert "the log that it keeps for standbys filled its disk" in said
    assert "a has no room for the 102" in said
