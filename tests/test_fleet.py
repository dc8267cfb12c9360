"""`blockyard plan FLEET.csv`: a table of plans, a page, and a folder of layouts."""

import csv
import json
from pathlib import Path

import pytest

import blockyard as by
from conftest import Blockyard, one_line

HEADER = (
    "name,size,reads.iops,writes.iops,latency.read.p99,instance.vcpu,as_of,"
    "from.host.instance,from.storage.data.type,from.storage.data.size,from.storage.data.iops"
)
ORDERS = "orders,500GiB,12000,4000,2ms,8,2026-11-01,r5.2xlarge,gp2,3334GiB,"
BILLING = "billing,200GiB,3000,500,3ms,4,2026-11-01,r6i.4xlarge,io2,1500GiB,16000"
ARCHIVE = "archive,2TiB,200,50,,2,2026-11-01,,,,"
HOPELESS = "hopeless,1TiB,9000000,50,,2,2026-11-01,,,,"


def written(folder: Path, *rows: str, header: str = HEADER) -> Path:
    path = folder / "fleet.csv"
    path.write_text("\n".join([header, *rows]) + "\n")
    return path


def test_each_plan_is_that_of_its_row_alone(tmp_path: Path) -> None:
    fleet = written(tmp_path, ORDERS, ARCHIVE, BILLING)
    plans = by.plan_fleet(fleet, prove=False).plans
    names = [plan.answer["name"] for plan in plans]
    savings = [plan.saving for plan in plans]
    # The largest saving first; without one to tell comes last.
    assert names == ["billing", "orders", "archive"]
    assert savings[2] is None
    assert savings[0] is not None
    assert savings[1] is not None
    assert savings[0] > savings[1]
    wanted = {
        "name": "archive",
        "size": "2TiB",
        "reads": {"iops": 200},
        "writes": {"iops": 50},
        "instance": {"vcpu": 2},
        "as_of": "2026-11-01",
    }
    alone = by.plan(wanted, prove=False)
    assert plans[2].best == alone.best
    assert plans[2].scenario == alone.scenario


def test_a_fleet_gives_a_table_a_page_and_layouts(tmp_path: Path, blockyard: Blockyard) -> None:
    fleet = written(tmp_path, ORDERS, BILLING, HOPELESS)
    out, page = tmp_path / "layouts", tmp_path / "fleet.html"
    done = blockyard("plan", fleet, "--no-prove", "--out", out, "--html", page)
    # One of them cannot be had.
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("2 of 3 databases planned, $")
    assert "\nhopeless: nothing meets it; " in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert {file.name for file in out.iterdir()} == {"billing.yaml", "orders.yaml", "plans.csv"}
    lines = (out / "plans.csv").read_text().splitlines()
    rows = {row["name"]: row for row in csv.DictReader(lines)}
    costs = [float(rows["orders"][column]) for column in ("today_usd", "plan_usd", "saving_usd")]
    assert costs[0] - costs[1] == pytest.approx(costs[2], abs=0.011)
    assert rows["hopeless"] == {
        "name": "hopeless",
        "today_usd": "",
        "plan_usd": "",
        "saving_usd": "",
        "layout": "",
    }
    bill = by.cost(out / "orders.yaml", as_of="2026-11-01")
    assert bill["per_month"] == pytest.approx(costs[1], abs=0.02)
    text = page.read_text()
    assert "billing" in text
    assert "hopeless" in text


def test_what_to_buy_is_proven_as_a_single_plans(tmp_path: Path, blockyard: Blockyard) -> None:
    fleet = written(tmp_path, ORDERS)
    [answer] = json.loads(blockyard("plan", fleet, "--json").stdout)
    wanted = {
        "name": "orders",
        "size": "500GiB",
        "reads": {"iops": 12000},
        "writes": {"iops": 4000},
        "latency": {"read": {"p99": "2ms"}},
        # The memory is that of today's r5.2xlarge.
        "instance": {"vcpu": 8, "memory": "64GiB"},
        "as_of": "2026-11-01",
    }
    assert answer["best"]["simulated"]
    assert answer["best"] == by.plan(wanted).best
    # Nothing else is simulated.
    assert {layout["simulated"] for layout in answer["others"]} == {None}
    assert answer["current"]["layout"]["simulated"] is None


def test_options_are_for_all_rows(tmp_path: Path, blockyard: Blockyard) -> None:
    fleet = written(tmp_path, ORDERS, BILLING)
    asked = ("plan", fleet, "--no-prove", "--json", "--type", "io2")
    answers = json.loads(blockyard(*asked).stdout)
    assert {answer["best"]["data"]["type"] for answer in answers} == {"io2"}
    assert one_line(blockyard("plan", fleet, "--headroom", "x")).startswith(
        "blockyard: --headroom: `x` is not a percentage"
    )
    assert "--explain: is of one database" in one_line(blockyard("plan", fleet, "--explain"))


def test_a_semicolon_separates_where_the_comma_is_in_numbers(tmp_path: Path) -> None:
    fleet = written(tmp_path, "a;4GiB;400", header="\ufeffname;size;reads.iops")
    assert [plan.answer["name"] for plan in by.plan_fleet(fleet, prove=False).plans] == ["a"]


MISTAKES = [
    ("name,size,reads.iops", ["a,-4GiB,4"], "2: size: `-4GiB` is negative"),
    ("name,size,reads.iosp", ["a,4GiB,4"], "2: reads.iosp: unknown key; did you mean `iops`?"),
    ("name,size", ["a,4GiB"], "2: no load; expected `reads`, `writes`, `demand` or `journal`"),
    ("size,reads.iops", ["4GiB,4"], "1: no column `name`; expected it beside"),
    ("name,size,size", ["a,4GiB,4"], "1: column `size`: stands there twice"),
    ("name,size,reads.iops", ["a,4GiB,4", "a,4GiB,4"], "3: name: `a` stands in"),
    ("name,size,reads.iops", [",4GiB,4"], "2: name: empty; expected the database's own"),
    ("name,size,reads.iops", ["../a,4GiB,4"], "2: name: `../a` is not a name"),
    ("name,size,reads.iops", ["a,4GiB,4,5"], "2: cells: 4; expected 3, as in line 1"),
    ("name,size,reads.iops", [], ": no databases; expected a row for each"),
    ("name,size,reads.iops", ['"a,4GiB,4'], ": unexpected end of data; expected a table in CSV"),
    ("name,size,reads.iops,from", ["a,4GiB,4,x.yaml"], "x.yaml: No such file or directory"),
    (
        "name,size,reads.iops,from.storage.data.tpe",
        ["a,4GiB,4,gp3"],
        "2: from.storage.data.tpe: unknown key; did you mean `type`?",
    ),
]


@pytest.mark.parametrize(("header", "rows", "expected"), MISTAKES)
def test_a_mistake_is_one_line_and_nothing_is_written(
    tmp_path: Path, blockyard: Blockyard, header: str, rows: list[str], expected: str
) -> None:
    fleet = written(tmp_path, *rows, header=header)
    line = one_line(blockyard("plan", fleet, "--out", tmp_path / "out"))
    assert line.startswith(f"blockyard: {fleet}")
    assert expected in line
    assert not (tmp_path / "out").exists()


def test_all_rows_that_are_wrong_are_named_up_to_a_bound(
    tmp_path: Path, blockyard: Blockyard
) -> None:
    rows = [f"a{number},1GiB,-5" for number in range(25)]
    done = blockyard("plan", written(tmp_path, *rows, header="name,size,reads.iops"))
    lines = done.stderr.splitlines()
    assert done.returncode == 2
    assert len(lines) == 11
    assert lines[-1] == "blockyard: and 15 more rows"


def test_a_table_of_measurements_is_refused_at_once(tmp_path: Path, blockyard: Blockyard) -> None:
    rows = [f"a{number},1GiB,5" for number in range(10_001)]
    fleet = written(tmp_path, *rows, header="name,size,reads.iops")
    assert ":10002: more than 10,000 databases" in one_line(blockyard("plan", fleet))


def test_a_database_without_prices_costs_the_others_nothing(
    tmp_path: Path, blockyard: Blockyard
) -> None:
    rows = ["a,100GiB,1000,us-east-1", "b,100GiB,1000,ap-east-2"]
    fleet = written(tmp_path, *rows, header="name,size,reads.iops,region")
    done = blockyard("plan", fleet, "--no-prove")
    assert done.returncode == 1
    assert done.stdout.startswith("1 of 2 databases planned, $")
    assert "\nb: no price is known of volumes in ap-east-2" in done.stdout
    answers = json.loads(blockyard("plan", fleet, "--no-prove", "--json").stdout)
    assert [answer["name"] for answer in answers] == ["a", "b"]
    assert answers[1]["error"].startswith("no price is known of volumes in ap-east-2")
