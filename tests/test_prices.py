"""`blockyard prices import`, where its prices are found, and `blockyard catalog prices`."""

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import price_lists
from blockyard import _core
from conftest import ROOT, Blockyard, one_line

GP3 = {"type": "gp3", "size": "100GiB", "iops": 4000}


def there(folder: Path) -> Callable[[], None]:
    """Have the command look for imported prices in this folder."""
    return lambda: os.environ.update(BLOCKYARD_PRICES=str(folder))


def imported(blockyard: Blockyard, path: Path, *more: str) -> tuple[str, dict[str, Any]]:
    """What importing a price list says, and the only file that it wrote."""
    folder = path.parent / "prices"
    done = blockyard("prices", "import", path, "--out", folder, *more)
    assert done.returncode == 0, done.stderr
    (file,) = folder.iterdir()
    return done.stdout, yaml.safe_load(file.read_text())


@pytest.mark.parametrize("name", ["index.json", "index.csv"])
@pytest.mark.parametrize("packed", [False, True])
def test_both_forms_give_the_same_price_file(
    blockyard: Blockyard, tmp_path: Path, name: str, packed: bool
) -> None:
    path = price_lists.write(tmp_path, name)
    if packed:
        path.write_bytes(gzip.compress(path.read_bytes()))
    said, made = imported(blockyard, path)
    (sheet,) = made["prices"]
    assert (sheet["region"], str(sheet["observed"])) == ("us-west-2", "2026-10-06")
    assert sheet["snapshots"] == 0.05
    volumes = {row.pop("type"): row for row in sheet["volumes"]}
    assert volumes == {
        "gp2": {"capacity": 0.1},
        "gp3": {
            "capacity": 0.08,
            "iops": [{"above": 3000, "price": 0.005}],
            "throughput": [{"above": "125MiB/s", "price": 0.04}],
        },
        "io1": {"capacity": 0.125, "iops": [{"above": 0, "price": 0.065}]},
        "io2": {
            "capacity": 0.125,
            "iops": [
                {"above": 0, "price": 0.065},
                {"above": 32000, "price": 0.0455},
                {"above": 64000, "price": 0.03185},
            ],
        },
        "sc1": {"capacity": 0.015},
        "st1": {"capacity": 0.045},
        "standard": {"capacity": 0.05, "requests": 0.05},
    }
    instances = {row.pop("type"): row for row in sheet["instances"]}
    assert instances == {
        "r6i.large": {
            "on_demand": 0.126,
            "no_upfront": 0.079,
            "all_upfront": 0.075,
            "all_upfront_3y": 0.05,
            "partial_upfront_3y": 0.052204,
        },
        "r3.xlarge": {"on_demand": 0.333, "ebs_optimized": 0.02},
    }
    words = " ".join(said.split())
    assert (
        "7 volume types, snapshots, instances: 2 on-demand, 1 1y-no-upfront, 1 1y-all-upfront, "
        "1 3y-partial-upfront, 1 3y-all-upfront"
    ) in words
    assert (
        "skipped, as the catalog does not know them: 1 instance types and 2 volume types" in words
    )


def test_every_command_finds_imported_prices(blockyard: Blockyard, tmp_path: Path) -> None:
    prefix = price_lists.offers("APE2-")
    (tmp_path / "l.csv").write_text(price_lists.as_csv("ap-east-2", prefix))
    imported(blockyard, tmp_path / "l.csv", "--discount", "10%")
    found = there(tmp_path / "prices")
    load = {"kind": "random", "on": "d", "file_size": "1GiB", "processes": 1}
    scenario = {
        "name": "taipei",
        "region": "ap-east-2",
        "duration": "2s",
        "host": {"instance": "r6i.large"},
        "storage": {"d": GP3},
        "workload": {"reads": load | {"kind": "ranread"}},
    }
    (tmp_path / "s.json").write_text(json.dumps(scenario))
    assert "no price is known of gp3 volumes in ap-east-2" in blockyard("cost", "s.json").stderr

    bill = json.loads(blockyard("cost", "s.json", "--json", before=found).stdout)
    assert [line["discount"] for line in bill["lines"]] == ["10%"] * 3
    # 100 GiB at 0.08 and 1,000 IOPS at 0.005, less 10 %, and the instance.
    storage = [line["per_month"] for line in bill["lines"] if line["of"] == "d"]
    assert storage == [7.2, 4.5]
    text = " ".join(blockyard("cost", "s.json", before=found).stdout.split())
    assert "Your prices: AWS's price list of ap-east-2 (2026-10-06)." in text
    assert "Discount, taken off these prices: 10%." in text

    want = ["--size", "50GiB", "--read-iops", "1000", "--region", "ap-east-2", "--no-prove"]
    want += ["--instance", "r6i.large"]
    lacking = blockyard("plan", *want)
    assert lacking.returncode == 2
    assert "no price is known of volumes in ap-east-2; import" in one_line(lacking)
    plan = blockyard("plan", *want, "--json", before=found)
    best = json.loads(plan.stdout)["best"]
    assert (plan.returncode, best["instance"]) == (0, "r6i.large")
    gib = best["data"]["size"] >> 30
    assert best["usd_per_month"] == pytest.approx(gib * 0.072 + 730 * 0.1134, abs=0.01)

    # A run that was made before the import has a bill too.
    assert blockyard("simulate", "s.json", "--out", "run").returncode == 0
    report = blockyard("report", "run", before=found)
    assert "AWS's price list of ap-east-2" in report.stdout, report.stderr
    what = blockyard("what-if", "s.json", "--json", before=found)
    assert json.loads(what.stdout)["now"]["bill"]["per_month"] == pytest.approx(
        bill["per_month"]
    ), what.stderr


def test_a_price_file_takes_the_place_of_imported_prices(
    blockyard: Blockyard, tmp_path: Path
) -> None:
    imported(blockyard, price_lists.write(tmp_path, "index.json"))
    (tmp_path / "ours.yaml").write_text("discount: 12%\n")
    (tmp_path / "s.json").write_text(json.dumps({"name": "s", "duration": "1s"} | STORAGE))
    arguments = ["cost", "s.json", "--region", "us-west-2", "--json"]
    ours = blockyard(*arguments, "--price-file", "ours.yaml", before=there(tmp_path / "prices"))
    lines = json.loads(ours.stdout)["lines"]
    assert [(line["users"], line["price"]) for line in lines] == [(False, 0.0704), (False, 0.0044)]
    # The variable may name such a file, too.
    same = blockyard(*arguments, before=there(tmp_path / "ours.yaml"))
    assert json.loads(same.stdout)["lines"] == lines


STORAGE = {
    "storage": {"d": GP3},
    "workload": {"reads": {"kind": "ranread", "on": "d", "file_size": "1GiB", "processes": 1}},
}


def test_of_a_region_the_newest_import_counts(blockyard: Blockyard, tmp_path: Path) -> None:
    folder = tmp_path / "prices"
    for day, price in (("2026-10-06", "0.08"), ("2026-11-07", "0.09"), ("2026-02-08", "0.07")):
        found = price_lists.as_json()
        found["publicationDate"] = f"{day}T00:00:00Z"
        found["terms"]["OnDemand"]["E3"]["E3"]["priceDimensions"]["E3.0"]["pricePerUnit"] = {
            "USD": price
        }
        (tmp_path / "index.json").write_text(json.dumps(found))
        done = blockyard("prices", "import", "index.json", "--out", folder)
        assert done.returncode == 0, done.stderr
    assert len(list(folder.iterdir())) == 3
    prices = blockyard("catalog", "prices", "--region", "us-west-2", "--json", before=there(folder))
    volumes = {row["type"]: row["capacity"] for row in json.loads(prices.stdout)[0]["volumes"]}
    gp3 = volumes["gp3"]
    assert (gp3["price"], gp3["observed"], gp3["users"]) == (0.09, "2026-11-07", True)
    again = blockyard("prices", "import", "index.json", "--out", folder)
    assert again.returncode == 0
    assert len(list(folder.iterdir())) == 3


def test_prices_of_all_regions_are_read(blockyard: Blockyard, tmp_path: Path) -> None:
    folder = tmp_path / "prices"
    types = [row["type"] for row in json.loads(_core.catalog_instances())]
    reserved = [("1yr", "No Upfront", "standard", "1.234567", "1000")]
    some = price_lists.offers()
    for name in types:
        one = price_lists.box(name.upper(), name, "1.234567", "USW2-")
        one.reserved = [(years, *reserved[0][1:]) for years in ("1yr", "3yr")]
        some.append(one)
    found = price_lists.as_json("us-west-2", some)
    (tmp_path / "index.json").write_text(json.dumps(found))
    assert blockyard("prices", "import", "index.json", "--out", folder).returncode == 0
    (file,) = folder.iterdir()
    for region in _core.regions():
        text = file.read_text().replace("us-west-2", region)
        (folder / f"{region}.2026-10-06.yaml").write_text(text)
    assert sum(path.stat().st_size for path in folder.iterdir()) > 4 << 20
    shown = blockyard("catalog", "prices", "--json", before=there(folder))
    assert len(json.loads(shown.stdout)) == len(_core.regions()), shown.stderr
    done = blockyard("cost", "gp3.yaml", "--region", "me-south-1", before=there(folder))
    assert "Your prices: AWS's price list of me-south-1 (2026-10-06)." in done.stdout


def changed(path: tuple[str, ...], value: object) -> Callable[[dict[str, Any]], object]:
    """A change of one place of the JSON form."""

    def change(found: dict[str, Any]) -> None:
        at = found
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = value

    return change


DIMENSION = ("terms", "OnDemand", "R6I", "R6I", "priceDimensions", "R6I.0")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (changed(("offerCode",), "AmazonRDS"), "offerCode `AmazonRDS`; expected AWS's price list"),
        (changed(("publicationDate",), "soon"), "published `soon`; expected a day"),
        (changed((*DIMENSION, "pricePerUnit"), {"USD": "-1"}), "R6I: price `-1` is negative"),
        (changed((*DIMENSION, "pricePerUnit"), {"USD": "x"}), "R6I: price `x`; expected dollars"),
        (changed((*DIMENSION, "pricePerUnit"), {"CNY": "1"}), "priced in CNY; expected USD"),
        (changed((*DIMENSION, "unit"), "Week"), "instance by the `Week`; expected hrs"),
        (changed(("products",), {}), "no price of a volume or an instance"),
        (changed(("products", "R6I"), 3), "products.R6I has no attributes"),
    ],
)
def test_a_wrong_json_list_is_one_line(
    blockyard: Blockyard,
    tmp_path: Path,
    change: Callable[[dict[str, Any]], object],
    expected: str,
) -> None:
    found = price_lists.as_json()
    change(found)
    (tmp_path / "index.json").write_text(json.dumps(found))
    refused(blockyard, tmp_path, "index.json", expected)


def refused(blockyard: Blockyard, tmp_path: Path, name: str, expected: str) -> None:
    done = blockyard("prices", "import", name, "--out", "prices")
    assert done.returncode == 2, done.stdout
    line = one_line(done)
    assert name in line
    assert expected in line
    assert not (tmp_path / "prices").exists()


WHOLE = price_lists.as_csv()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "no header with `SKU`"),
        ("a,b\n1,2\n", "no header with `SKU`"),
        (WHOLE[:-40], "unexpected end of data"),
        (WHOLE[: WHOLE.rindex(",")], "is the file whole?"),
        (WHOLE.replace('"TermType",', '"Kind",'), "no column `TermType`"),
        (WHOLE.replace('"0.126"', '"-0.126"'), "price `-0.126` is negative"),
        (WHOLE.replace("AmazonEC2", "AmazonS3"), "OfferCode `AmazonS3`"),
        (WHOLE.replace('"Region Code"', '"Place"'), "no column `Region Code`"),
        (WHOLE.replace("us-west-2", "xx-west-2"), "no region that the catalog knows"),
        ('{"offerCode": "AmazonEC2"', "its JSON ends too early"),
        ("{]", "its JSON is wrong"),
        ("{}", "offerCode ``"),
        ("\x00" * 100, "no header with `SKU`"),
        (
            "FormatVersion,v1.0\n" + "\x00" * (1 << 20),
            "list:2: a line of 1,048,576 characters or more",
        ),
    ],
)
def test_a_wrong_list_is_one_line(
    blockyard: Blockyard, tmp_path: Path, text: str, expected: str
) -> None:
    (tmp_path / "list").write_text(text)
    refused(blockyard, tmp_path, "list", expected)


def test_what_is_cut_off_is_one_line(blockyard: Blockyard, tmp_path: Path) -> None:
    whole = json.dumps(price_lists.as_json()).encode()
    for end in (200, len(whole) // 2, len(whole) - 1):
        (tmp_path / "index.json").write_bytes(whole[:end])
        refused(blockyard, tmp_path, "index.json", "ends too early")
    packed = gzip.compress(whole)
    (tmp_path / "index.gz").write_bytes(packed[:-20])
    refused(blockyard, tmp_path, "index.gz", "not a whole gzip file")
    (tmp_path / "latin").write_bytes(WHOLE.replace("Hrs", "Stünde").encode("latin-1"))
    refused(blockyard, tmp_path, "latin", "not UTF-8 text")
    refused(blockyard, tmp_path, "nowhere", "No such file")


def test_places_that_hold_something_else_are_one_line(blockyard: Blockyard, tmp_path: Path) -> None:
    path = price_lists.write(tmp_path, "index.json")
    (tmp_path / "file").write_text("")
    done = blockyard("prices", "import", path, "--out", "file")
    assert (done.returncode, "is a file; expected a folder" in one_line(done)) == (2, True)
    folder = tmp_path / "prices"
    missing = blockyard("cost", "gp3.yaml", before=there(folder))
    assert "is not there; expected a price file or a folder" in one_line(missing)
    folder.mkdir()
    assert blockyard("cost", "gp3.yaml", before=there(folder)).returncode == 0
    (folder / "mine.yaml").write_text("discount: 5%\n")
    strange = blockyard("cost", "gp3.yaml", before=there(folder))
    assert "mine.yaml: not a name of `blockyard prices import`" in one_line(strange)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["index.json", "index.csv"])
def test_a_long_list_is_read_in_little_memory(tmp_path: Path, name: str) -> None:
    some = price_lists.offers()
    # Nine of ten products of a region's list are other systems, tenancies and licences.
    some += [
        price_lists.box(f"X{n}", f"m{n}.large", "1", "USW2-", tenancy="Host", note="x" * 200)
        for n in range(60_000)
    ]
    path = tmp_path / name
    if name.endswith(".json"):
        path.write_text(json.dumps(price_lists.as_json("us-west-2", some)))
    else:
        path.write_text(price_lists.as_csv("us-west-2", some))
    del some
    grown = subprocess.run(
        [sys.executable, "-c", MEASURED, path],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    megabytes, kib = path.stat().st_size / 1e6, int(grown.stdout)
    assert megabytes > 8
    assert kib < 6000, f"{kib} KiB more for a file of {megabytes:.0f} MB"


MEASURED = """\
import resource, sys
from pathlib import Path
import ijson
from blockyard.formats.price_list import bulk_csv, bulk_json
from blockyard.formats.price_list.reading import read
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
found = read(Path(sys.argv[1]))
assert found.regions["us-west-2"].instances["r6i.large"]
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_the_catalogs_prices_are_a_table(blockyard: Blockyard) -> None:
    done = blockyard("catalog", "prices")
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    (oregon,) = [line for line in lines if line.startswith("us-west-2")]
    assert "2026-10-06" in oregon
    one = blockyard("catalog", "prices", "--region", "eu-west-1").stdout
    assert "0.0168" in one
    assert "0.03528 above" in one
    assert "lamngockhuong/aws-price" in one
    rows = json.loads(blockyard("catalog", "prices", "--json").stdout)
    assert len(rows) == 34
    assert all(row["instances"] for row in rows)
    wrong = blockyard("catalog", "prices", "--region", "eu-wst-1")
    expected = "no region is called `eu-wst-1`; did you mean `eu-west-1`?"
    assert (wrong.returncode, expected in one_line(wrong)) == (2, True)


def test_savings_plans_are_a_share_or_rates(blockyard: Blockyard, tmp_path: Path) -> None:
    host = {"name": "s", "duration": "1s", "host": {"instance": "r6i.large"}} | STORAGE
    (tmp_path / "s.json").write_text(json.dumps(host))
    plain = blockyard("cost", "s.json", "--term", "savings-plan")
    assert "no price is known of r6i.large on a Savings Plan" in one_line(plain)
    (tmp_path / "plan.yaml").write_text("savings_plan: 28%\n")
    arguments = ["--term", "savings-plan", "--price-file", "plan.yaml", "--json"]
    bill = json.loads(blockyard("cost", "s.json", *arguments).stdout)
    assert bill["lines"][0]["price"] == pytest.approx(0.126 * 0.72)
    want = ["--size", "50GiB", "--read-iops", "1000", "--no-prove", "--json"]
    plan = blockyard("plan", *want, *arguments[:-1])
    assert json.loads(plan.stdout)["term"] == "savings-plan", plan.stderr
    three = blockyard("cost", "s.json", "--term", "3y-all-upfront", "--json")
    assert json.loads(three.stdout)["lines"][0]["price"] < 0.06


def test_ebs_optimization_of_old_types_is_on_the_bill(blockyard: Blockyard, tmp_path: Path) -> None:
    host = {"name": "s", "duration": "1s", "host": {"instance": "r3.xlarge"}} | STORAGE
    (tmp_path / "s.json").write_text(json.dumps(host))
    bill = json.loads(blockyard("cost", "s.json", "--json").stdout)
    lines = [(line["item"], line["per_month"]) for line in bill["lines"]][:2]
    assert lines == [("instance", 243.09), ("ebs_optimized", 14.6)]
    text = blockyard("cost", "s.json").stdout
    assert "r3.xlarge, EBS-optimized" in text
