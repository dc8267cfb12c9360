"""`blockyard cost`, bills in reports and comparisons, and `blockyard.cost`."""

import json
import re
import shutil
from pathlib import Path
from typing import get_args

import pytest

import blockyard as api
from blockyard.cli import options
from blockyard.cli.completion import values
from blockyard.comparison.sides import of_sides
from blockyard.pages import charts
from blockyard.runs import billing
from blockyard.words import paragraphs
from conftest import ROOT, Blockyard, one_line

SYDNEY = ROOT / "catalog" / "samples" / "prices-ap-southeast-2.yaml"

SCENARIO = {
    "name": "two",
    "as_of": "2026-11-01",
    "duration": "2s",
    "host": {"instance": "r5b.24xlarge"},
    "storage": {
        "data": {
            "stripe": {"width": 5, "chunk": "4MiB"},
            "of": {"type": "gp3", "size": "400GiB", "iops": 16000, "throughput": "1000MiB/s"},
        }
    },
    "workload": {
        "readers": {"kind": "ranread", "on": "data", "file_size": "10GiB", "processes": 4}
    },
}


def test_a_bill_is_a_table_of_80_columns_that_adds_up(blockyard: Blockyard, tmp_path: Path) -> None:
    (tmp_path / "two.json").write_text(json.dumps(SCENARIO))
    finished = blockyard("cost", "two.json")
    assert finished.returncode == 0, finished.stderr
    assert max(map(len, finished.stdout.splitlines())) <= 80
    assert "us-east-1 (assumed), on demand" in finished.stdout
    bill = json.loads(blockyard("cost", "two.json", "--json").stdout)
    assert [line["item"] for line in bill["lines"]] == [
        *("instance", "capacity", "iops", "throughput")
    ]
    # 7.152 $ an hour, 2,000 GiB, 65,000 IOPS and 4,375 MiB/s.
    months = [line["per_month"] for line in bill["lines"]]
    assert months == [5220.96, 160.0, 325.0, 175.0]
    assert bill["per_month"] == pytest.approx(sum(months))
    assert "5,880.96" in finished.stdout


def test_the_bill_has_the_terms_that_were_asked_for(blockyard: Blockyard) -> None:
    bill = api.cost(
        SCENARIO | {"host": {"instance": "r4.2xlarge"}},
        as_of="2018-03-28",
        term="1y-all-upfront",
        hours_per_month=720,
        snapshots="100GiB",
    )
    first, *_, last = bill["lines"]
    assert (first["price"], first["per_month"], first["observed"]) == (0.313, 225.36, "2017-11-12")
    assert (last["item"], last["per_month"]) == ("snapshots", 5.0)
    assert (bill["region"], bill["region_from"]) == ("us-east-1", "assumed")
    assert values.regions("ap-southeast-") == [f"ap-southeast-{n}" for n in range(1, 8)]
    # One list of terms here, one in Rust.
    assert [term.value for term in options.Term] == list(get_args(billing.Term))
    for term in options.Term:
        finished = blockyard("cost", "gp3.yaml", "--term", term.value)
        assert finished.returncode == 0, finished.stderr


def test_a_missing_price_says_how_to_state_it_and_a_file_states_it(
    blockyard: Blockyard, tmp_path: Path
) -> None:
    sydney = ("cost", "gp3.yaml", "--region", "ap-southeast-2", "--set", "storage.data.iops=4000")
    missing = one_line(blockyard(*sydney))
    assert "no price is known of gp3 volumes' IOPS in ap-southeast-2; state it" in missing
    # What the error shows can be pasted.
    shown = missing.split("`")[1]
    pasted = shown.replace("DAY", "2026-11-01").replace("TEXT", "me").replace("PRICE", "0.1")
    pasted = pasted.replace("NUMBER", "3000")
    (tmp_path / "own.yaml").write_text(pasted)
    with_it = blockyard(*sydney, "--price-file", "own.yaml")
    assert "Your prices: me (2026-11-01)." in with_it.stdout
    finished = blockyard(*sydney, "--price-file", SYDNEY)
    assert "Your prices: a sample with prices of other regions (2026-11-01)." in finished.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--region", "us-eats-1"], "no region is called `us-eats-1`; did you mean `us-east-1`?"),
        (["--as-of", "May"], "as_of: `May` is not a date; expected a day as in `2022-11-10`"),
        (["--snapshots", "5GB"], "snapshots: `5GB` is not a size; write `5GiB`"),
        (["--set", "region=eu-wst-1"], "did you mean `eu-west-1`?"),
        (["--price-file", "none.yaml"], "none.yaml: No such file or directory"),
        (["--price-file", "gp3.yaml"], "gp3.yaml:1: name: unknown key"),
        (["--term", "3y"], "'3y' is not one of 'on-demand', '1y-no-upfront'"),
    ],
)
def test_what_is_wrong_is_one_line(blockyard: Blockyard, arguments: list[str], said: str) -> None:
    finished = blockyard("cost", "gp3.yaml", *arguments)
    assert finished.returncode == 2
    assert said in one_line(finished)


def test_prices_that_a_file_does_not_state_are_the_catalogs(
    blockyard: Blockyard, tmp_path: Path
) -> None:
    (tmp_path / "two.json").write_text(json.dumps(SCENARIO))
    sheet = {"region": "us-east-1", "observed": "2026-01-01", "source": "our offer"}
    prices = {"prices": [{**sheet, "volumes": [{"type": "gp3", "capacity": 0.05}]}]}
    (tmp_path / "own.yaml").write_text(json.dumps(prices))
    told = ("cost", "two.json", "--price-file", "own.yaml")
    bill = json.loads(blockyard(*told, "--json").stdout)
    assert [(line["item"], line["users"], line["per_month"]) for line in bill["lines"]] == [
        ("instance", False, 5220.96),
        ("capacity", True, 100.0),
        ("iops", False, 325.0),
        ("throughput", False, 175.0),
    ]
    lines = blockyard(*told).stdout.splitlines()
    assert max(map(len, lines)) <= 80
    ends = [line.split()[-1] for line in lines]
    assert [end for end in ends if end in ("catalog", "you")] == [
        *("catalog", "you", "catalog", "catalog")
    ]
    # What comes with every gp3 needs no price.
    other = {**prices["prices"][0], "region": "ap-southeast-2"}
    (tmp_path / "own.yaml").write_text(json.dumps({"prices": [other]}))
    plain = {**SCENARIO, "host": None, "storage": {"data": {"type": "gp3", "size": "100GiB"}}}
    [line] = api.cost(plain, region="ap-southeast-2", price_file=tmp_path / "own.yaml")["lines"]
    assert line["per_month"] == 5.0


def test_a_run_has_a_bill_with_what_its_work_came_to(blockyard: Blockyard, tmp_path: Path) -> None:
    run = api.simulate(SCENARIO, out=tmp_path / "two")
    bill = json.loads(blockyard("cost", "two", "--json").stdout)
    assert bill == api.cost(run) == run.bill
    (total,) = run.result["totals"]
    assert bill["work"]["iops"] == pytest.approx(total["iops"])
    paid = 1000 * bill["per_month"] / total["iops"]
    assert bill["work"]["per_1000_iops"] == pytest.approx(paid, rel=1e-6)
    said = blockyard("report", "two").stdout
    assert "What it costs" in said
    assert f"{paid:,.2f} $ a month for 1,000 IOPS" in said
    assert "no bill" not in said

    # In Taipei only who names the region is told that there are no prices.
    shutil.copytree(tmp_path / "two", tmp_path / "taipei")
    scenario = tmp_path / "taipei" / "scenario.yaml"
    scenario.write_text(f"region: ap-east-2\n{scenario.read_text()}")
    (sentence,) = next(
        one.sentences
        for one in paragraphs.paragraphs(api.load(tmp_path / "taipei"))
        if one.heading == "What it costs"
    )
    assert sentence.startswith("There is no bill: no price is known of r5b.24xlarge on demand in")


def test_transactions_have_a_price(tmp_path: Path) -> None:
    job = {"kind": "oltp", "engine": "innodb", "on": "data", "data_size": "10GiB", "pool": "1GiB"}
    mix = {"read": {"pages": 5, "cpu": "1ms"}}
    scenario = SCENARIO | {"workload": {"db": job | {"threads": 8, "transactions": mix}}}
    run = api.simulate(scenario, out=tmp_path / "db")
    bill = run.bill
    assert bill is not None
    work = bill["work"]
    assert work is not None
    tps = run.result["transactions"][0]["tps"]
    assert work["per_tps"] == pytest.approx(bill["per_month"] / tps, rel=1e-6)
    million = 1e6 * bill["per_hour"] / 3600 / tps
    assert work["per_million_transactions"] == pytest.approx(million, rel=1e-4)


def test_sides_are_compared_for_the_money(blockyard: Blockyard, tmp_path: Path) -> None:
    busy = {"duration": "2s", "workload.readers.processes": 32}
    slow = api.simulate(tmp_path / "gp3.yaml", busy, out=tmp_path / "a")
    fast = api.simulate(
        tmp_path / "gp3.yaml", busy | {"storage.data.iops": 16000}, out=tmp_path / "b"
    )
    finished = blockyard("compare", "a", "b", "--seeds", 1)
    assert "Cost: us-east-1 (assumed), on demand" in finished.stdout
    compared = of_sides(["a", "b"], [[slow], [fast]], seeds=1)
    costs = compared.found["costs"]
    assert all(costs)
    first, other = (cost["per_month"] for cost in costs if cost)
    assert other == first + 65
    assert f"{other / first - 1:+.1%}" in finished.stdout
    # Sides that cost the same have no table.
    assert compared.costs is not None
    assert of_sides(["a", "a"], [[slow], [slow]], seeds=1).costs is None
    figures = {figure.name: figure for figure in charts.all_figures([slow, fast], 1.0)}
    assert {"cost-p99", "per-cost"} <= set(figures)
    alone = {figure.name for figure in charts.all_figures([slow], 1.0)}
    assert not alone & {"cost-p99", "per-cost"}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("galera-lost-zone", "shop a node's copy of all data (SST) 10 GiB 0.02 0.20"),
        ("failover-b", "data a full resync 600 GiB 0.02 12.00"),
    ],
)
def test_a_copy_of_all_data_is_priced_beside_the_bill(
    blockyard: Blockyard, name: str, said: str
) -> None:
    finished = blockyard("cost", str(ROOT / f"scenarios/examples/{name}.yaml"))
    assert said in " ".join(finished.stdout.split())


def test_what_a_resync_took_is_paid_once_and_not_each_month(
    blockyard: Blockyard, tmp_path: Path
) -> None:
    cut = {
        "duration": "60s",
        "interval": "1s",
        "workload.writers.file_size": "4GiB",
        "events": [{"at": "5s", "cut": "replication", "for": "20s"}],
    }
    scenario = ROOT / "scenarios" / "examples" / "resync-500gib.yaml"
    run = api.simulate(scenario, cut, out=tmp_path / "cut")
    (copied,) = (mirror["resync_bytes"] / 2**30 for mirror in run.result["mirrors"])
    assert copied >= 4
    said = " ".join(blockyard("cost", "cut").stdout.split())
    once = f"{copied * 0.02:.3f} $ once"
    assert f"took {copied:.1f} GiB from zone to zone in this run, {once}" in said
    # 400 writes/s of 16 KiB with their headers, but none in the 15 s without the leg, which the
    # copy makes up for and the bill says.
    (gib,) = re.findall(r"traffic between zones ([\d,]+) GiB", said)
    writes = 400 * 16 / 1024 / 1024 * 730 * 3600
    assert 0.6 * writes <= float(gib.replace(",", "")) <= 0.8 * writes
    assert "traffic between zones is at the pace of this run, its events included" in said
    # A link that stays cut copies nothing, and the month's traffic is as little as the run's.
    for_good = cut | {"events": [{"at": "5s", "cut": "replication"}]}
    api.simulate(scenario, for_good, out=tmp_path / "for-good")
    said = " ".join(blockyard("cost", "for-good").stdout.split())
    assert "Copies and resyncs" not in said
    assert "traffic between zones is at the pace of this run, its events included" in said
