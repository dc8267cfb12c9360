"""`blockyard plan`: what to buy, from Python and on the command line."""

import json
import math
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import blockyard as by
from blockyard import ScenarioError
from blockyard.pages import plan
from blockyard.pages.figure import Curves
from blockyard.pages.page import html
from blockyard.questions import demand
from conftest import ROOT, Blockyard, one_line

WANTED: dict[str, Any] = {
    "name": "orders",
    "size": "500GiB",
    "reads": {"iops": 12000},
    "writes": {"iops": 4000},
    "latency": {"read": {"p99": "2ms"}},
    "instance": {"vcpu": 8, "memory": "32GiB", "families": ["r6i", "r5", "t3"]},
    "as_of": "2026-11-01",
}

_HOST = ("instance", "iops")

TODAY: dict[str, Any] = {
    "name": "today",
    "as_of": "2026-11-01",
    "duration": "3s",
    "host": {"instance": "r5.2xlarge"},
    "storage": {"data": {"type": "gp2", "size": "3334GiB"}},
    "workload": {
        "readers": {"kind": "ranread", "on": "data", "file_size": "500GiB", "rate": "9000/s"}
    },
}


def test_the_winner_is_a_scenario_that_meets_its_goals(tmp_path: Path) -> None:
    few = {"volumes": {"at_most": 4, "types": ["gp3", "io2"]}}
    made = by.plan(WANTED, few)
    best = made.best
    assert best is not None
    assert (best["instance"], best["data"]["type"]) == ("r5.4xlarge", "gp3")
    # The bill adds up, and everything leaves the tenth that is asked for.
    assert sum(item["usd_per_month"] for item in best["bill"]) == pytest.approx(
        best["usd_per_month"], abs=0.02
    )
    assert min(use["left"] for use in best["limits"]) >= 0.0999
    (tmp_path / "orders.yaml").write_text(made.scenario or "")
    run = by.simulate(tmp_path / "orders.yaml")
    assert run.result["goals"]
    assert all(goal["met"] for goal in run.result["goals"])
    simulated = {total["job"]: total["latency_us"] for total in run.result["totals"]}
    for job in best["simulated"] or []:
        latency = simulated[job["job"]]
        assert latency is not None
        assert latency["p99"] == job["p99_us"]
        stated = job["p99_expected_us"]
        assert stated is not None
        assert stated["min"] < job["p99_us"] < stated["max"]
    # The same question has the same answer.
    assert by.plan(WANTED, few) == made


def test_what_misses_a_goal_in_the_simulation_is_dropped() -> None:
    # The profile's p99 of 1.08 ms is below the goal; that of volumes that differ is not.
    tight = {"latency.read.p99": "1.1ms", "instance.families": ["r6i"], "volumes.at_most": 4}
    made = by.plan(WANTED, tight)
    dropped = made.answer["dropped"][0]
    assert dropped["layout"]["data"]["type"] == "gp3"
    reason = dropped["reasons"][0]
    assert reason["kind"] == "simulated"
    assert reason["goal"] == "reads.latency.p99 <= 1.1ms"
    best = made.best
    assert best is not None
    assert best["data"] != dropped["layout"]["data"]
    unproven = by.plan(WANTED, tight, prove=False).best
    assert unproven is not None
    assert unproven["data"] == dropped["layout"]["data"]
    assert unproven["usd_per_month"] < best["usd_per_month"]


def test_a_plan_says_what_to_change(tmp_path: Path, blockyard: Blockyard) -> None:
    (tmp_path / "today.yaml").write_text(json.dumps(TODAY))
    (tmp_path / "wanted.yaml").write_text(json.dumps(WANTED))
    done = blockyard("plan", "wanted.yaml", "--from", "today.yaml", "--out", "plan.yaml")
    assert done.returncode == 0, done.stderr
    assert (
        "today: 1 x gp2 of 3,334GiB on r5.2xlarge, $701.32 a month; it holds 56% of it with its"
        in (" ".join(done.stdout.split()))
    )
    assert " a month more, and p99 goes from" in " ".join(done.stdout.split())
    assert (tmp_path / "plan.yaml").exists()
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    mirror = blockyard(
        *("plan", "wanted.yaml", "--from", "today.yaml", "--no-prove"),
        *("--set", "availability=mirror"),
    )
    assert "it holds 56% of it with its headroom without a second copy" in (
        " ".join(mirror.stdout.split())
    )
    assert "copies: 1 -> 2, in two zones" in mirror.stdout
    again = blockyard("plan", "wanted.yaml", "--no-prove", "--out", "plan.yaml")
    assert "plan.yaml exists already" in one_line(again)


def test_traffic_between_zones_is_on_the_bill_as_cost_has_it(
    tmp_path: Path, blockyard: Blockyard
) -> None:
    single = {
        **WANTED,
        "journal": {"size": "100GiB", "iops": 500, "io_size": "16KiB"},
        "volumes": {"types": ["gp3"]},
    }
    mirror = {**single, "availability": "mirror"}
    made = by.plan(mirror, prove=False)
    best, alone = made.best, by.plan(single, prove=False).best
    assert best is not None
    assert alone is not None
    traffic = best["bill"][-1]
    assert traffic["assumed"] == "the load lasts all the time"
    # 4,000 writes of 8 KiB and 500 of 16 KiB a second, 730 hours: at a cent a GiB at each end.
    gib = (4000 * 8 + 500 * 16) / (1 << 20) * 730 * 3600
    assert traffic["count"] == round(gib)
    assert traffic["usd_per_month"] == pytest.approx(gib * 0.02, abs=0.01)
    # Whatever is chosen, it is the same.
    fewest = made.answer["fewest"]
    assert fewest is None or fewest["bill"][-1] == traffic
    bought = best["usd_per_month"] - traffic["usd_per_month"]
    assert bought == pytest.approx(2 * alone["usd_per_month"], abs=0.02)
    # What the written scenario's run sends costs the same, but for chance.
    (tmp_path / "mirror.yaml").write_text(made.scenario or "")
    bill = by.cost(by.simulate(tmp_path / "mirror.yaml"))
    assert bill["per_month"] == pytest.approx(best["usd_per_month"], rel=0.02)
    (tmp_path / "wanted.yaml").write_text(json.dumps({**mirror, "duration": "30m"}))
    done = blockyard("plan", "wanted.yaml", "--no-prove")
    assert "its traffic assumes that the load comes once a day" in " ".join(done.stdout.split())


def test_arm_is_named_where_nobody_asked_for_it(blockyard: Blockyard) -> None:
    words = ("plan", "--size", "500GiB", "--read-iops", "16000", "--memory", "32GiB", "--no-prove")
    day = ("--as-of", "2026-11-01")
    done = " ".join(blockyard(*words, *day).stdout.split())
    assert " (arm64): $" in done
    other = json.loads(blockyard(*words, *day, "--architecture", "x86_64", "--json").stdout)
    best = other["best"]
    assert best["architecture"] == "x86_64"
    # The price that is told is that of the plan for the others.
    told = f"for x86_64 it is ${best['usd_per_month']:,.2f} on {best['instance']}: --architecture"
    assert told in done
    asked = blockyard(*words, *day, "--architecture", "arm64").stdout
    assert "--architecture" not in asked


def test_disks_of_the_instance_are_proven_too(tmp_path: Path, blockyard: Blockyard) -> None:
    words = ("--size", "3TiB", "--read-iops", "60000", "--write-iops", "9000", "--family", "i3")
    lost = ("--set", "durability=ephemeral", "--type", "instance-store")
    told = ("--p99", "3ms", "--free-space", "0%")
    done = blockyard("plan", *words, *lost, *told, "--out", "local.yaml")
    assert "buy 2 x instance-store of " in done.stdout
    assert re.search(r"simulated reads .* p99 \d.* ms", done.stdout)
    assert "of: {type: instance-store, tokens: 0%}" in (tmp_path / "local.yaml").read_text()


def test_the_hottest_volume_of_a_skewed_load_decides(blockyard: Blockyard, tmp_path: Path) -> None:
    words = ("plan", "--size", "1TiB", "--read-iops", "30000", "--type", "gp3", "--p99", "2ms")
    on = ("--instance", "r6i.8xlarge", "--as-of", "2026-11-01")
    uniform = blockyard(*words, *on, "--no-prove")
    assert "places are taken to be uniform; --skew states otherwise" in uniform.stdout
    files = ("--out", "hot.yaml", "--html", "hot.html")
    skewed = blockyard(*words, *on, "--skew", "{zipf: 0.99}", *files)
    assert skewed.returncode == 0, skewed.stderr
    said = " ".join(skewed.stdout.split())
    assert re.search(r"the hottest of \d+ volumes takes [\d.]+% of the IOs", said)
    assert "goals hold in " in said
    assert " seeds (at least " in said
    assert "skew: {zipf: 0.99}" in (tmp_path / "hot.yaml").read_text()
    assert "The hottest of " in (tmp_path / "hot.html").read_text()
    # What is bought for a uniform load falls behind.
    wanted = {"size": "1TiB", "reads": {"iops": 30000}, "latency": {"read": {"p99": "2ms"}}}
    sets = {"volumes.types": ["gp3"], "instance.type": "r6i.8xlarge", "as_of": "2026-11-01"}
    cheaper = by.plan(wanted, sets, prove=False)
    (tmp_path / "even.yaml").write_text(cheaper.scenario or "")
    run = by.simulate(tmp_path / "even.yaml", {"workload.reads.skew": "{zipf: 0.99}"})
    assert not all(goal["met"] for goal in run.result["goals"])


def test_skew_and_probability_out_of_range_are_one_line(blockyard: Blockyard) -> None:
    words = ("plan", "--size", "1TiB", "--write-iops", "3000", "--no-prove")
    for more, message in {
        ("--skew", "{zipf: 20}"): "--skew: `20` is not an exponent",
        ("--skew", "zipf"): "--skew: ",
        ("--skew", "{hot: {ios: 90%}}"): "--skew: ",
        ("--probability", "100%"): "--probability: `100%`; expected from 50% to 99%",
    }.items():
        finished = blockyard(*words, *more)
        assert finished.returncode == 2
        assert message in one_line(finished)


def test_a_load_is_taken_from_a_run_that_was_held_back(tmp_path: Path) -> None:
    held = {**TODAY, "storage": {"data": {"type": "gp3", "size": "600GiB"}}}
    (tmp_path / "held.yaml").write_text(json.dumps(held))
    run = by.simulate(tmp_path / "held.yaml", out=tmp_path / "run")
    load, notes = demand.of_run(run)
    assert load["size"] == f"{500 << 30}B"
    reads = load["reads"]
    assert isinstance(reads, dict)
    assert (reads["io_size"], reads["iops"] >= 3000) == ("8192B", True)
    assert "throttled by data IOPS (3,000 IOPS)" in notes[0]
    # fio's summary is such a run: all that there is are means.
    summed, notes_of_it = demand.of_run(replace(run, intervals=run.intervals.slice(0, 0)))
    [total] = run.result["totals"]
    assert summed["reads"] == {"iops": round(total["iops"]), "io_size": "8192B"}
    assert "rates are the means of all of" in notes_of_it[-2]
    made = by.plan(workload=tmp_path / "run", sets={"instance.type": "r6i.4xlarge"}, prove=False)
    assert made.best is not None
    assert made.answer["notes"] == notes


# A layout with a volume of its own for what is only written, on burst credits.
APART = {
    "name": "apart",
    "as_of": "2026-11-01",
    "duration": "6s",
    "host": {"instance": "r5.2xlarge"},
    "storage": {
        "data": {"stripe": {"width": 2, "chunk": "64KiB"}, "of": {"type": "gp2", "size": "400GiB"}},
        "wal": {"type": "gp2", "size": "100GiB"},
    },
    "workload": {
        "reads": {"kind": "ranread", "on": "data", "file_size": "400GiB", "rate": "3000/s"},
        "log": {
            "kind": "access_spec",
            "on": "wal",
            "file_size": "20GiB",
            "pattern": {"size": "8KiB", "read": "0%", "random": "0%"},
            "rate": "200/s",
        },
    },
}


@pytest.mark.slow
def test_a_plan_from_a_run_keeps_all_volumes_and_the_instances_size(
    tmp_path: Path, blockyard: Blockyard
) -> None:
    (tmp_path / "apart.yaml").write_text(json.dumps(APART))
    made = by.plan(workload=tmp_path / "apart.yaml", since=tmp_path / "apart.yaml")
    assert made.answer["notes"][0] == f"{tmp_path / 'apart.yaml'} was simulated"
    current = made.answer["current"]
    assert current
    assert current["layout"]["journal"]
    assert current["layout"]["usd_per_month"] == by.cost(APART)["per_month"]
    assert [name for name, *_ in made.answer["wanted"]["streams"]] == ["reads", "journal"]
    assert made.answer["wanted"]["size"] == 400 << 30
    best = made.best
    assert best
    assert (best["vcpu"] >= 8, best["memory_mib"] >= 64 << 10) == (True, True)
    page = plan.planned(made.answer)
    today = next(passage for passage in page.words if passage.heading == "Today")
    assert " once burst credits are used up, after " in str(today.content[0])
    kept = "at least 8 vCPU and 64GiB of memory, as r5.2xlarge has today"
    assert any(kept in said for said in page.headlines)
    # What is stated is not changed.
    small = by.plan(
        {"size": "400GiB", "reads": {"iops": 100}, "journal": {"iops": 10, "size": "20GiB"}},
        {"instance.vcpu": 2, "instance.memory": "4GiB"},
        workload=tmp_path / "apart.yaml",
        since=tmp_path / "apart.yaml",
        prove=False,
    )
    assert small.answer["instance_kept"] is None
    assert [iops for _, iops, _ in small.answer["wanted"]["streams"]] == [100, 10]
    # No volume is left out without a word.
    refused = blockyard("plan", "--from", "apart.yaml", "--size", "400GiB", "--read-iops", "100")
    assert refused.returncode == 2
    assert "storage.wal: a second device" in one_line(refused)


def test_sizes_of_all_files_of_a_run_count() -> None:
    shop = {
        "name": "shop",
        "as_of": "2026-11-01",
        "duration": "3s",
        "storage": {"data": {"type": "gp3", "size": "200GiB"}},
        "workload": {
            "shop": {
                "kind": "oltp",
                "engine": "innodb",
                "on": "data",
                "data_size": "50GiB",
                "pool": "64MiB",
                "cores": 4,
                "threads": 4,
                "transactions": {"pay": {"pages": 10, "changes": 1, "log": "1KiB", "cpu": "1ms"}},
            }
        },
    }
    run = by.simulate(shop)
    files = run.asked().files()
    load, _ = demand.of_run(run)
    assert load["size"] == f"{sum(size for _, _, size, _ in files)}B"
    assert sum(size for _, _, size, _ in files) > 50 << 30
    # A database with a WIJ and a journal, each on a device of its own.
    run = by.simulate(ROOT / "scenarios" / "examples" / "ranwrite.yaml", {"duration": "10s"})
    load, _ = demand.of_run(run)
    sizes = [size for _, _, size, _ in run.asked().files()]
    assert len(sizes) >= 3
    journal = load.get("journal", {})
    assert isinstance(journal, dict)
    told = [str(it).removesuffix("B") for it in (load["size"], journal.get("size", "0B"))]
    assert sum(map(int, told)) == sum(sizes)


def test_a_page_has_the_front_and_why_not_the_rest(tmp_path: Path) -> None:
    (tmp_path / "today.yaml").write_text(json.dumps(TODAY))
    few = {"volumes.at_most": 4, "latency.read.p99": "1.1ms"}
    answer = by.plan(WANTED, few, since=tmp_path / "today.yaml").answer
    page = plan.planned(answer)
    best = answer["best"]
    assert best is not None
    assert page.first
    [figure] = page.first.figures
    plot = figure.plot
    assert isinstance(plot, Curves)
    front, *clouds = plot.curves
    # From the cheapest on, each costs more and is faster; what is bought is marked.
    assert front.joined
    costs, slow = [at[0] for at in front.points], [at[1] for at in front.points]
    assert costs == sorted(costs)
    assert slow == sorted(slow, reverse=True)
    assert front.marked
    number, name = front.marked
    assert number == costs.index(best["usd_per_month"])
    assert name == f"bought: {front.points[number][2]}"
    assert [cloud.label for cloud in clouds] == ["dearer or slower", "misses a goal"]
    # What cannot bear the load has no p99 of its own.
    assert "it holds 56% of the load with its headroom, so its latency grows" in figure.caption
    text = html(page)
    # The picture comes right after the answer.
    assert text.index("What latency costs") < text.index(">Bill<")
    assert best["instance"] in page.headlines[0]
    for said in ("Why not the rest", "p99 of read is", "What to change", "Bill"):
        assert said in text


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"samples": 0}, "samples: 0; expected 1 to 100000"),
        ({"samples": 2**31}, "samples: 2147483648; expected 1 to 100000"),
        ({"factor": -1.0}, "factor: -1; expected 0 to 1000"),
        ({"factor": math.nan}, "factor: NaN; expected 0 to 1000"),
    ],
)
def test_samples_are_drawn_within_bounds(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(ScenarioError, match=f"^{said}$"):
        by.plan(WANTED, prove=False, **asked)


def test_samples_choose_the_least_regret() -> None:
    wanted = {
        **WANTED,
        "reads": {"iops": {"low": 2000, "mid": 8000, "high": 40000}},
        "volumes": {"types": ["gp3"], "at_most": 3},
    }
    careful = by.plan(wanted, samples=60, factor=100.0, prove=False).answer["uncertain"]
    careless = by.plan(wanted, samples=60, factor=0.0, prove=False).answer["uncertain"]
    assert careful is not None
    assert careless is not None
    assert careful["layout"] is not None
    assert careless["layout"] is not None
    assert careful["suffices"] == 1.0
    # Nothing missing costs anything: the cheapest of all samples.
    assert careless["layout"]["usd_per_month"] <= careful["usd_per_month"][0]
    assert careless["suffices"] < 0.2
    assert by.plan(wanted, samples=60, factor=100.0, prove=False).answer["uncertain"] == careful
    # What the load takes of limits is told for the likeliest one, which the answer begins with.
    layout = careful["layout"]
    host = next(use for use in layout["limits"] if (use["owner"], use["limit"]) == _HOST)
    assert host["used"] == 12000


def test_what_the_day_gives_back_is_headroom(blockyard: Blockyard) -> None:
    # c8gb.medium: 7,500 IOPS sustained and 120,000 for half an hour a day. 500 more for all of a
    # day are 43.2 of 202.5 million.
    words = ("--size", "100GiB", "--read-iops", "8000", "--instance", "c8gb.medium", "--no-prove")
    done = blockyard("plan", *words, "--as-of", "2026-11-01")
    [line] = [line for line in done.stdout.splitlines() if "instance IOPS, credits" in line]
    assert line.split()[3:] == ["8,000/s", "sustained", "79%"]


def test_what_a_baseline_sustains_is_shown_as_used(blockyard: Blockyard) -> None:
    # 16,000 of the 20,000 IOPS that r6id.4xlarge sustains; its burst is for 30 minutes.
    asked = ("--size", "100GiB", "--read-iops", "16000", "--instance", "r6id.4xlarge", "--no-prove")
    done = blockyard("plan", *asked, "--as-of", "2026-11-01")
    [line] = [line for line in done.stdout.splitlines() if "instance IOPS, sustained" in line]
    assert line.split()[3:] == ["16,000/s", "20,000/s", "20%"]


def test_one_io_a_second_has_no_goal_that_chance_could_miss(
    tmp_path: Path, blockyard: Blockyard
) -> None:
    words = ("--size", "1B", "--read-iops", "1", "--set", "journal={size: 512B, iops: 1}")
    done = blockyard("plan", *words, "--out", "tiny.yaml")
    assert done.returncode == 0, done.stderr
    assert "goals" not in (tmp_path / "tiny.yaml").read_text()


def test_tiers_and_unknown_prices_are_told_apart(blockyard: Blockyard) -> None:
    words = ("--size", "1TiB", "--read-iops", "60000", "--type", "io2", "--no-prove")
    done = blockyard("plan", *words, "--as-of", "2026-11-01")
    assert "1 x io2 IOPS beyond 32,000 " in done.stdout
    assert "is known of" not in done.stdout
    done = blockyard("plan", *words, "--as-of", "2026-11-01", "--term", "1y-all-upfront")
    assert "no 1y-all-upfront price in us-east-1 is known of 1,1" in done.stdout


def test_an_instance_that_nobody_sized_is_cautioned_of(blockyard: Blockyard) -> None:
    words = ("plan", "--size", "200GiB", "--read-iops", "2000", "--no-prove")
    said = "may be too small for a database: --vcpu and --memory say what that needs"
    assert said in " ".join(blockyard(*words).stdout.split())
    for sized in (("--vcpu", "2"), ("--memory", "16GiB"), ("--instance", "r6i.large")):
        assert said not in " ".join(blockyard(*words, *sized).stdout.split())


# Audited: 80,000 IOs a second on a stripe of 28, of which nobody was told what it loses.
_LARGE = ("--size", "2000GiB", "--read-iops", "60000", "--write-iops", "20000", "--no-prove")


def test_what_a_layout_loses_and_what_would_be_cheaper_is_said(blockyard: Blockyard) -> None:
    words = ("plan", *_LARGE, "--vcpu", "16", "--memory", "128GiB", "--as-of", "2026-11-01")
    done = " ".join(blockyard(*words, "--explain").stdout.split())
    answer = json.loads(blockyard(*words, "--json").stdout)
    best, possible = answer["best"], answer["cheapest_possible"]
    assert best["data"]["count"] <= 8
    assert possible["layout"]["data"]["count"] == 28
    share = 1 - 0.998 ** best["data"]["count"]
    assert best["yearly_loss"] == pytest.approx(share)
    assert f"with any of {best['data']['count']} volumes: in {share:.1%} of years" in done
    price = possible["layout"]["usd_per_month"]
    assert f"cheapest possible: ${price:,.2f}, 28 x gp3 of " in done
    assert "yearly loss 5.5%; it breaks: 28 volumes, 8 at most; a file system of " in done
    assert f"{answer['avoided']['GPU']} GPU" in done
    # Of alternatives, and of families of instances.
    assert ", yearly loss 0.001%" in done
    assert done.count("yearly loss") >= 2 + len(answer["others"]) + 5
    page = plan.planned(answer)
    text = html(page)
    for said in ("Data is lost with any of", "yearly loss", "Cheapest possible: $", "left out"):
        assert said in text
    # A goal of durability leaves large stripes out of both.
    kept = json.loads(blockyard(*words, "--json", "--set", "durability=99.5%").stdout)
    assert kept["best"]["yearly_loss"] <= 0.005
    assert kept["cheapest_possible"]["layout"]["yearly_loss"] <= 0.005


def test_growth_is_bought_to_the_horizon_and_its_end_is_told(blockyard: Blockyard) -> None:
    words = ("plan", "--size", "1000GiB", "--read-iops", "1000", "--instance", "r6i.large")
    grown = ("--growth", "40%/year", "--horizon", "18 months", "--no-prove", "--max-volumes", "1")
    done = " ".join(blockyard(*words, *grown, "--type", "gp3", "--json").stdout.split())
    layout = json.loads(done)["best"]
    years = layout["outgrown"]["data_years"]
    # With a fifth left free at the horizon it is full ln(1.25) / ln(1.4) years later.
    assert years == pytest.approx(1.5 + 0.66, abs=0.02)
    said = " ".join(blockyard(*words, *grown, "--type", "gp3").stdout.split())
    assert "1,000GiB growing to 1,657GiB in 18 months, " in said
    assert "outgrown: the data fills its file system after 2.2 years; a load that grows " in said
    wrong = blockyard(*words, "--growth", "40%")
    assert one_line(wrong).startswith("blockyard: --growth: `40%` is no growth; expected more than")


def test_burstable_instances_come_by_option_and_with_a_caution(blockyard: Blockyard) -> None:
    words = ("plan", "--size", "50GiB", "--read-iops", "500", "--vcpu", "2", "--no-prove")
    usual = " ".join(blockyard(*words).stdout.split())
    assert "is burstable: it slows down" not in usual
    assert "is burstable, and slows down once its CPU credits are used up" in usual
    asked = " ".join(blockyard(*words, "--burstable", "--generation", "any").stdout.split())
    assert " on t4g." in asked
    assert " is burstable: it slows down once its CPU credits are used up, or costs more" in asked
    assert "`old` is not known" in one_line(blockyard(*words, "--generation", "old"))


def test_samples_are_planned_with_the_same_preferences() -> None:
    wanted = {
        "size": {"low": "400GiB", "mid": "600GiB", "high": "900GiB"},
        "growth": "20%/year",
        "reads": {"iops": {"low": 8000, "mid": 12000, "high": 30000}},
        "instance": {"vcpu": 4},
        "as_of": "2026-11-01",
    }
    made = by.plan(wanted, samples=40, prove=False).answer
    found = made["uncertain"]
    assert found is not None
    layouts = [found["layout"], *(one["layout"] for one in found["others"])]
    for layout in filter(None, layouts):
        data = layout["data"]
        assert data["count"] <= 8
        assert not layout["burstable"]
        assert not layout["instance"].startswith(("a1.", "g", "hpc"))
        # No sample is below 480 GiB after a year, nor is its file system without a fifth more.
        assert data["count"] * data["size"] > 1.25 * 480 * (1 << 30)
    assert made["cheapest_possible"] is None


@pytest.mark.skipif(shutil.which("mkfs.xfs") is None, reason="needs mkfs.xfs")
@pytest.mark.parametrize(("gib", "volumes"), [(1, 1), (60, 3), (500, 1), (500, 8), (9000, 5)])
def test_the_file_system_that_is_made_is_as_large_as_was_asked_for(
    gib: int, volumes: int, tmp_path: Path
) -> None:
    wanted = {"size": f"{gib}GiB", "reads": {"iops": 2000 * volumes}, "free_space": "10%"}
    bounds = {"volumes.types": ["gp3"], "volumes.at_most": volumes, "instance.type": "r5b.8xlarge"}
    best = by.plan(wanted, bounds, prove=False).best
    assert best is not None
    data = best["data"]
    # As LVM has it: extents of 4 MiB behind a MiB of metadata, on each volume as many.
    extents = (data["size"] - (1 << 20)) // (4 << 20) * data["count"]
    image = tmp_path / "image"
    with image.open("wb") as file:
        file.truncate(extents * (4 << 20))
    subprocess.run(["mkfs.xfs", "-q", str(image)], check=True)
    asked = ["xfs_db", "-r", "-c", "sb 0", "-c", "print dblocks logblocks", str(image)]
    told = subprocess.run(asked, check=True, capture_output=True, text=True).stdout
    blocks, log = (int(line.split("=")[1]) for line in told.splitlines())
    assert (blocks - log) * 4096 >= gib * (1 << 30) / 0.9


def test_an_impossible_requirement_ends_with_status_1(blockyard: Blockyard) -> None:
    words = ("--size", "1TiB", "--read-iops", "500000", "--instance", "r6i.large", "--no-prove")
    done = blockyard("plan", *words, "--explain")
    assert done.returncode == 1
    assert "nearest possible: 0.7% of the load" in " ".join(done.stdout.split())
    assert "instance IOPS: 555,556 IOPS needed, 40,000 on r6i.large" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--read-iops", "5"], "`size` is missing; see --help"),
        (
            ["--size", "1TiB", "--read-iops", "5MiB/s"],
            "--read-iops: `5MiB/s` is a throughput, not IOs a second",
        ),
        (
            ["--size", "1TiB", "--read-iops", "5", "--region", "us-est-1"],
            "no region is called `us-est-1`; did you mean `us-east-1`?",
        ),
        (
            ["--size", "1TiB", "--read-iops", "5", "--instance", "r6.large"],
            "no instance type is called `r6.large`",
        ),
        (["--size", "1TiB", "--p99", "2ms"], "--p99: expected --read-iops, --write-iops or"),
        (["--size", "5", "--read-iops", "5", "--set", "size=x"], "--set: size: `x` is not a size"),
        (
            ["--size", "1TiB", "--read-iops", "5", "--type", "gp3", "--type", "gp4"],
            "--type: no volume type is called `gp4`",
        ),
        (["--size", "1TiB", "--set", "x"], "--set: `x`; expected PATH=VALUE"),
        (["nowhere.yaml"], "nowhere.yaml: No such file or directory"),
    ],
)
def test_mistakes_get_one_line(words: list[str], said: str, blockyard: Blockyard) -> None:
    assert said in one_line(blockyard("plan", *words))


def test_services_stand_beside_what_the_volumes_cost(blockyard: Blockyard) -> None:
    asked = ("plan", "--size", "500GiB", "--read-iops", "12000", "--write-iops", "4000")
    fixed = ("--instance", "r6i.4xlarge", "--no-prove", "--as-of", "2026-11-01")
    answer = json.loads(blockyard(*asked, *fixed, "--json").stdout)
    charged = {one["service"]: one["usd_per_month"] for one in answer["managed"]}
    # 500 GiB with a fifth free; 16,000 IOPS with a tenth free, of which 12,000 are included.
    assert charged["RDS gp3"] == pytest.approx(625 * 0.115 + 5778 * 0.02, abs=0.1)
    ios_of_a_month = 16_000 * 730 * 3600
    assert charged["Aurora Standard"] == pytest.approx(50 + 0.2 * ios_of_a_month / 1e6)
    said = " ".join(blockyard(*asked, *fixed).stdout.split())
    assert "as a service, storage alone: RDS gp3 $187.4" in said
    own = sum(item["usd_per_month"] for item in answer["best"]["bill"][1:])
    assert f"; here ${own:,.2f} (" in said
    elsewhere = blockyard(*asked, *fixed, "--region", "us-west-2")
    assert "as a service" not in elsewhere.stdout
