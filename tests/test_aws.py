"""`blockyard import aws`: what an account's volumes live on, from AWS's saved answers."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

import aws_answers as answers
import blockyard as by
from blockyard.formats import aws
from blockyard.formats.aws import demand, hosts
from blockyard.formats.aws.account import CHECKS
from blockyard.formats.aws.hosts import Device, Host
from blockyard.formats.foreign import ForeignError
from blockyard.questions.account import examine
from blockyard.questions.host_under_load import HostUnderLoad
from blockyard.words import account as words
from blockyard.words.account_finding import Finding
from conftest import Blockyard, one_line


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("orders")
    answers.orders(folder)
    return folder


def dry_s(period_s: int = 1) -> int:
    """When the made-up volume runs dry, second by second."""
    _, left = answers.served(period_s, 4)
    return period_s * (1 + next(n for n, share in enumerate(left) if share < 1))


@pytest.mark.slow
def test_a_gp2_runs_dry_when_the_volume_itself_did(orders: Path) -> None:
    (found,) = examine([orders]).findings
    assert found.under is not None
    (left,) = (
        limit["credits"]
        for limit in found.under["limits"]
        if limit["credits"] and limit["limit"]["device"] == "data"
    )
    assert left is not None
    assert left["dry_s"] is not None
    # Means of 5 minutes cannot tell it more exactly.
    assert abs(left["dry_s"] - dry_s()) <= 300
    # The model's balance is that of the volume, all week.
    seen = answers.metrics()[answers.DATA, "BurstBalance"]
    apart = [abs(a - b) for a, b in zip(left["balance_pct"], seen, strict=True)]
    assert max(apart) < 3


@pytest.mark.slow
def test_the_three_answers_stand_on_one_screen(orders: Path, blockyard: Blockyard) -> None:
    done = blockyard("import", "aws", orders)
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert "data runs dry at Thu 2026-11-19 03:" in said
    assert "data: gp3 of 500 GiB" in said
    assert "saves $" in said
    assert "no percentile of a latency follows" in said
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert len(done.stdout.splitlines()) <= 40


def test_what_is_proposed_carries_the_load_for_less(orders: Path, tmp_path: Path) -> None:
    (found,) = examine([orders]).findings
    assert found.next_scenario is not None
    assert found.saving is not None
    assert found.saving > 0
    today, after = tmp_path / "today.yaml", tmp_path / "next.yaml"
    today.write_text(found.scenario)
    after.write_text(found.next_scenario)
    assert found.today_usd == pytest.approx(by.cost(today)["per_month"])
    saved = by.cost(today)["per_month"] - by.cost(after)["per_month"]
    assert found.saving == pytest.approx(saved)
    assert sum(one.before_usd - one.after_usd for one in found.changes) == pytest.approx(saved)
    assert "on the same load nothing runs dry then, and no limit is reached" in words.better(found)


def test_credits_of_a_volume_that_stays_do_not_fill_by_a_change_of_another() -> None:
    # 200 GiB of gp2 have 600 IOPS; a tenth of their credits lasts 540,000 / (1,000 - 600) s.
    data, log = (
        Device(name, "", "gp2", gib=200, iops=None, mib_per_s=None) for name in ("data", "log")
    )
    host = Host("i-1", "orders", None, "us-east-1a", [data, log])
    flows = {"reads": [300_000] * 10, "read_bytes": [300_000 * 4096] * 10}
    nothing = {"writes": [0] * 10, "write_bytes": [0] * 10}
    load = demand.Demand(0, 300, dict.fromkeys(("data", "log"), flows | nothing), [])
    case = HostUnderLoad(host, load, {"data": 10.0, "log": 10.0})
    _, then = case.scenario([data, replace(log, type="gp3")])
    after = case.under(then)
    assert after is not None
    (left,) = (limit["credits"] for limit in after["limits"] if limit["credits"])
    assert left is not None
    assert left["dry_s"] == pytest.approx(1350, abs=300)


def test_layouts_are_scenarios_that_other_commands_take(
    orders: Path, blockyard: Blockyard, tmp_path: Path
) -> None:
    done = blockyard(
        "import", "aws", orders, "--out", tmp_path / "out", "--html", tmp_path / "a.html"
    )
    assert done.returncode == 0, done.stderr
    made = sorted(one.name for one in (tmp_path / "out").iterdir() if one.suffix == ".yaml")
    assert made == ["orders-load.yaml", "orders-next.yaml", "orders.yaml"]
    assert "runs dry" in (tmp_path / "a.html").read_text()
    terraform = blockyard(
        "provision", tmp_path / "out" / "orders-next.yaml", "--format", "terraform"
    )
    assert terraform.returncode == 0, terraform.stderr
    assert terraform.stdout.count('"gp3"') == 3
    run = by.simulate(tmp_path / "out" / "orders.yaml", {"duration": "2s"})
    assert {total["device"] for total in run.result["totals"]} >= {"data", "log"}


def test_pages_of_an_answer_and_queries_of_several_are_joined(tmp_path: Path) -> None:
    values = answers.metrics(days=1)
    whole = answers.data(values)["MetricDataResults"]
    assert isinstance(whole, list)
    early = [
        {**one, "Timestamps": one["Timestamps"][100:], "Values": one["Values"][100:]}
        for one in whole
    ]
    late = [
        {**one, "Timestamps": one["Timestamps"][:100], "Values": one["Values"][:100]}
        for one in whole
    ]
    answers.write(
        tmp_path,
        volumes=answers.volumes(),
        instances=answers.instances(),
        query={"MetricDataQueries": answers.query(values), "StartTime": "2026-11-16"},
        metrics={"MetricDataResults": [*late, *early]},
    )
    account = aws.read([tmp_path])
    assert account.notes == []
    series = account.metrics[answers.DATA, "VolumeReadOps"]
    assert (
        list(dict(sorted(series.points.items())).values()) == values[answers.DATA, "VolumeReadOps"]
    )


def test_an_answer_that_goes_on_is_said(tmp_path: Path) -> None:
    answers.write(tmp_path, volumes={**answers.volumes(), "NextToken": "more"})
    (note,) = aws.read([tmp_path]).notes
    assert note.endswith("volumes.json has a NextToken: the pages after it belong beside it")


def test_statistics_of_one_metric_are_told_by_the_names_of_their_files(tmp_path: Path) -> None:
    points = [
        {"Timestamp": "2026-11-16T00:05:00+00:00", "Sum": 600.0, "Unit": "Count"},
        {"Timestamp": "2026-11-16T00:00:00+00:00", "Sum": 300.0, "Unit": "Count"},
    ]
    answers.write(tmp_path, volumes=answers.volumes())
    answer = json.dumps({"Label": "VolumeReadOps", "Datapoints": points})
    (tmp_path / f"{answers.LOG}-reads.json").write_text(answer)
    series = aws.read([tmp_path]).metrics[answers.LOG, "VolumeReadOps"]
    assert (series.period_s, sorted(series.points.values())) == (300, [300.0, 600.0])
    (tmp_path / f"{answers.LOG}-reads.json").rename(tmp_path / "reads.json")
    with pytest.raises(
        ForeignError, match=r"reads\.json: VolumeReadOps of what is not said; put its"
    ):
        aws.read([tmp_path])


CSV = """\
Full label,{id} VolumeReadOps,{id} VolumeWriteOps
Label,VolumeReadOps,VolumeWriteOps
Statistic,Sum,Sum
Period,1 minute,60
2026/11/16 00:00:00,60,120
2026/11/16 00:01:00,,180
"""


def test_the_consoles_csv(tmp_path: Path) -> None:
    answers.write(tmp_path, volumes=answers.volumes(), instances=answers.instances())
    (tmp_path / "ops.csv").write_text(CSV.format(id=answers.DATA))
    account = aws.read([tmp_path])
    (host,) = hosts.hosts(account)
    load = demand.demand(account, host)
    assert load is not None
    assert (load.interval_s, load.flows["data"]["reads"]) == (60, [60, 0])
    assert load.flows["data"]["writes"] == [120, 180]
    assert load.notes == [
        "CloudWatch's files have nothing of data (VolumeReadBytes, VolumeWriteBytes), log, root",
        "1 of 4 values are missing: taken as none",
    ]


@pytest.mark.slow
def test_many_rows_of_csv(tmp_path: Path) -> None:
    answers.write(tmp_path, volumes=answers.volumes(), instances=answers.instances())
    head = CSV.format(id=answers.DATA).splitlines()[:4]
    rows = [
        f"2026/11/{16 + n // 50_000} 00:{n // 60 % 60:02}:{n % 60:02},1,1" for n in range(100_000)
    ]
    (tmp_path / "ops.csv").write_text("\n".join([*head, *rows]) + "\n")
    account = aws.read([tmp_path])
    assert len(account.metrics[answers.DATA, "VolumeReadOps"].points) == 7200


def database(**more: object) -> dict[str, object]:
    return {
        "DBInstanceIdentifier": "billing",
        "DBInstanceClass": "db.r6g.large",
        "Engine": "postgres",
        "StorageType": "gp3",
        "AllocatedStorage": 400,
        "Iops": 12_000,
        "StorageThroughput": 500,
        "AvailabilityZone": "eu-west-1b",
        "MultiAZ": True,
        **more,
    }


@pytest.mark.parametrize(
    ("more", "width", "gib", "iops"),
    [
        ({}, 4, 100, 3000),
        ({"AllocatedStorage": 399, "Iops": 3000}, 1, 399, 3000),
        ({"Engine": "oracle-ee", "AllocatedStorage": 200}, 4, 50, 3000),
        ({"Engine": "sqlserver-se", "AllocatedStorage": 1000}, 1, 1000, 12_000),
        ({"StorageType": "io2", "AllocatedStorage": 1000}, 4, 250, 3000),
    ],
)
def test_rds_stripes_by_engine_and_size(
    more: dict[str, object], width: int, gib: int, iops: int, tmp_path: Path
) -> None:
    answers.write(tmp_path, databases={"DBInstances": [database(**more)]})
    (host,) = hosts.hosts(aws.read([tmp_path]))
    (data,) = host.devices
    assert (data.width, data.gib, data.iops) == (width, gib, iops)


def test_rds_is_judged_by_its_rates(tmp_path: Path, blockyard: Blockyard) -> None:
    values = {
        ("billing", "ReadIOPS"): [11_900.0, 100.0],
        ("billing", "WriteIOPS"): [100.0, 100.0],
        ("billing", "ReadThroughput"): [11_900 * 8192.0, 8e5],
        ("billing", "WriteLatency"): [0.0042, 0.0007],
    }
    answers.write(
        tmp_path,
        databases={"DBInstances": [database()]},
        query=answers.query(values, 60),
        metrics=answers.data(values, 60),
    )
    done = blockyard("import", "aws", tmp_path)
    said = " ".join(done.stdout.split())
    assert "billing (billing, db.r6g.large): 4 volumes, 2 min in steps of 60 s" in said
    assert "data IOPS is at its limit of 12,000 IOPS in 1 interval" in said
    assert "writes took 4.20 ms in the mean" in said
    assert "RDS charges prices of its own" in said


@pytest.mark.parametrize(
    ("of", "said"),
    [
        (
            {"StorageType": "gp2", "AllocatedStorage": 100},
            "not enough: below 400 GiB RDS sells gp3 with its baseline only; 400 GiB have 12,000 ",
        ),
        (
            {"StorageType": "gp2", "AllocatedStorage": 100, "Engine": "sqlserver-ee"},
            "not enough: order more than the 5,000 IOPS",
        ),
        ({"DBInstanceClass": "db.t3.medium"}, "the limits of its class are in the way: a larger"),
    ],
)
def test_rds_is_told_what_it_can_order(
    tmp_path: Path, blockyard: Blockyard, of: dict[str, object], said: str
) -> None:
    values = {
        ("billing", "ReadIOPS"): [5000.0] * 48,
        ("billing", "ReadThroughput"): [4e7] * 48,
        ("billing", "WriteIOPS"): [],
        ("billing", "WriteThroughput"): [],
    }
    answers.write(
        tmp_path,
        databases={"DBInstances": [database(**of)]},
        query=answers.query(values, 3600),
        metrics=answers.data(values, 3600),
    )
    assert said in " ".join(blockyard("import", "aws", tmp_path).stdout.split())


def test_what_rds_makes_itself_is_not_provisioned(tmp_path: Path, blockyard: Blockyard) -> None:
    rds = tmp_path / "rds.yaml"
    answers.billing(tmp_path / "answers")
    (found,) = examine([tmp_path / "answers"]).findings
    rds.write_text(found.scenario)
    assert "\n  instance: db.r6g.xlarge\n" in found.scenario
    done = blockyard("provision", rds, "--format", "terraform")
    assert done.returncode == 2
    said = "db.r6g.xlarge is of RDS, which makes the volumes itself: order its storage there"
    assert said in one_line(done)
    cost = blockyard("cost", rds)
    assert "RDS's prices, also those of its storage, are not in the catalog" in one_line(cost)


def test_aurora_is_said_to_have_no_volumes(tmp_path: Path, blockyard: Blockyard) -> None:
    aurora = database(Engine="aurora-postgresql", StorageType="aurora", AllocatedStorage=1)
    (path,) = answers.write(tmp_path, databases={"DBInstances": [aurora]})
    done = blockyard("import", "aws", path)
    assert done.returncode == 2
    assert "billing: Aurora has no volumes" in one_line(done)


@pytest.mark.slow
def test_several_hosts_are_a_table_with_the_largest_saving_first(
    tmp_path: Path, blockyard: Blockyard
) -> None:
    answers.orders(tmp_path / "orders")
    answers.write(
        tmp_path,
        databases={"DBInstances": [database()]},
        more={
            "Volumes": [
                answers.volume("vol-0123456789abcdef0", "/dev/sdf", 10) | {"Attachments": []}
            ]
        },
    )
    done = blockyard("import", "aws", tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("2 of 2 hosts and databases judged, $")
    assert done.stdout.index("orders") < done.stdout.index("billing")
    assert "is attached to no instance, and is charged all the same" in " ".join(
        done.stdout.split()
    )
    one = blockyard("import", "aws", tmp_path, "--instance", "orders")
    assert one.stdout.startswith("orders (i-0a1b2c3d4e5f60718, r6i.2xlarge): 3 volumes, 7 d")
    none = blockyard("import", "aws", tmp_path, "--instance", "order")
    assert "no instance or database is called `order`; expected one such as i-0a1" in one_line(none)


def test_prices_of_a_zone_without_a_known_region_are_said(tmp_path: Path) -> None:
    values = answers.metrics(days=1)
    known = json.dumps([answers.volumes(), answers.instances()])
    volumes, instances = json.loads(known.replace("us-east-1a", "us-west-2-lax-1a"))
    answers.account(tmp_path, values, volumes=volumes, instances=instances)
    (found,) = examine([tmp_path]).findings
    assert found.prices == "no region is known of zone `us-west-2-lax-1a`: prices are us-east-1's"


def test_a_query_asks_for_what_an_answer_is_read_for(orders: Path, blockyard: Blockyard) -> None:
    asked = orders.parent / "asked.json"
    done = blockyard("import", "aws", orders, "--query", asked)
    assert (done.returncode, done.stdout) == (0, "")
    query = json.loads(asked.read_text())
    metrics = {
        (one["Metric"]["Dimensions"][0]["Value"], one["Metric"]["MetricName"])
        for one in (entry["MetricStat"] for entry in query["MetricDataQueries"])
    }
    assert metrics >= set(answers.metrics(days=1))
    # gp3 has no balance.
    assert (answers.ROOT, "BurstBalance") not in metrics
    assert (answers.INSTANCE, "EBSIOBalance%") in metrics
    assert "exists already" in one_line(blockyard("import", "aws", orders, "--query", asked))


def test_what_is_checked_and_exceeded_is_counted(tmp_path: Path) -> None:
    values = answers.metrics(days=1)
    count = len(next(iter(values.values())))
    values[answers.DATA, "VolumeIOPSExceededCheck"] = [1.0] * 7 + [0.0] * (count - 7)
    values[answers.INSTANCE, "EBSIOBalance%"] = [99.0] * (count - 1) + [42.0]
    answers.account(tmp_path, values, instances=answers.instances("r6i.large"))
    (found,) = examine([tmp_path]).findings
    assert [(one.of, one.intervals) for one in found.checks] == [("data", 7)]
    assert ("the instance", "EBSIOBalance%", 42.0) in [
        (one.of, one.metric, one.lowest) for one in found.balances
    ]
    assert "burst_balance: 99.0%" in found.scenario


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.json", "{", "a.json:1:2: the file ends within its JSON; save the whole answer"),
        (
            "a.json",
            "An error occurred",
            "a.json:1:1: no answer, but `An error occurred`; ask AWS again",
        ),
        (
            "a.json",
            "{}",
            "a.json: an answer of another kind; expected the answer of describe-volumes",
        ),
        ("a.json", '{"Volumes": 3}', "a.json: Volumes: 3; expected a list"),
        (
            "a.json",
            '{"Volumes": [{"VolumeId": 7}]}',
            "a.json: Volumes[0].VolumeId: 7; expected a text",
        ),
        ("a.json", "[" * 100_000, "a.json: no JSON: "),
        ("a.csv", "Id;m1\n", "a.csv:1: cells without commas between them; a spreadsheet saved it"),
        ("a.csv", "Id,m1\n16.11.2026 00:00,3\n", "a.csv:2: '16.11.2026 00:00'; expected 2026/11/"),
        ("a.csv", "x,y\n1,2\n", "a.csv: no line begins with a time; expected CloudWatch's CSV"),
        (
            "a.csv",
            "Label,vol-0d0d0d0d0d0d0d0d1 VolumeReadOps\n2026-11-16 00:00,1\n",
            "a.csv:1: VolumeReadOps without its statistic; expected a line `Statistic,Sum`",
        ),
        (
            "a.csv",
            "Label,vol-0d0d0d0d0d0d0d0d1 VolumeReadOps\nStatistic,Average\n2026-11-16 00:00,1\n",
            "a.csv:1: `Average` of VolumeReadOps; expected `Sum`",
        ),
        (
            "a.csv",
            "Label,vol-0d0d0d0d0d0d0d0d1 VolumeReadOps\nStatistic,Sum\n2026-11-16 00:00,x\n",
            "a.csv:3: 'x'; expected a number of at least 0, of VolumeReadOps",
        ),
    ],
)
def test_what_is_wrong_is_said_in_a_line(
    name: str, text: str, said: str, tmp_path: Path, blockyard: Blockyard
) -> None:
    path = tmp_path / name
    path.write_text(text)
    done = blockyard("import", "aws", path)
    assert done.returncode == 2
    assert said in one_line(done)


def test_figures_without_their_query_are_refused_with_what_to_give(tmp_path: Path) -> None:
    answers.write(
        tmp_path, volumes=answers.volumes(), metrics=answers.data(answers.metrics(days=1))
    )
    with pytest.raises(ForeignError, match="no query beside it has the Id `m0`; expected the file"):
        aws.read([tmp_path])


def test_times_of_many_years_are_refused(tmp_path: Path, blockyard: Blockyard) -> None:
    answers.write(tmp_path, volumes=answers.volumes(), instances=answers.instances())
    rows = CSV.format(id=answers.DATA) + "2031/11/16 00:00:00,1,1\n"
    (tmp_path / "ops.csv").write_text(rows)
    assert "expected at most 90,000: leave out" in one_line(blockyard("import", "aws", tmp_path))


def test_the_samples_of_the_how_tos_are_made_by_their_generator(
    orders: Path, tmp_path: Path
) -> None:
    answers.billing(tmp_path)
    for name, folder in (("orders", orders), ("billing", tmp_path)):
        for made in sorted(folder.iterdir()):
            assert (answers.SAMPLES / name / made.name).read_text() == made.read_text()
    assert math.isclose(dry_s() / 60, 3 * 1440 + 3 * 60, abs_tol=60)


def of_timed(folder: Path, *, dry_ms: float, ms: float, checked: bool = False) -> Finding:
    """The made-up instance for half a week, with the times of its IOs; `dry_ms` without credits."""
    folder.mkdir()
    values = answers.metrics(days=4)
    left = values[answers.DATA, "BurstBalance"]
    for of in (answers.DATA, answers.LOG):
        for op in ("Read", "Write"):
            ios = values[of, f"Volume{op}Ops"]
            is_dry = [of == answers.DATA and pct < 1 for pct in left]
            pairs = zip(ios, is_dry, strict=bool(ios))
            spent = [one * (dry_ms if dry else ms) / 1e3 for one, dry in pairs]
            values[of, f"VolumeTotal{op}Time"] = spent
        if checked:
            values |= {(of, check): [0.0] * len(left) for check in CHECKS[:2]}
    if checked:
        values |= {(answers.INSTANCE, check): [0.0] * len(left) for check in CHECKS[2:]}
    answers.account(folder, values)
    (found,) = examine([folder]).findings
    return found


def test_cloudwatchs_means_say_whether_it_was_the_drive(
    tmp_path: Path, blockyard: Blockyard
) -> None:
    dry = of_timed(tmp_path / "dry", dry_ms=60.0, ms=0.7)
    assert dry.drive is not None
    assert (dry.drive["cause"]["kind"], dry.drive["device"]) == ("credits", "data")
    said = " ".join(blockyard("import", "aws", tmp_path / "dry").stdout.split())
    assert f"was it the drive? {dry.drive_said}" in said
    # In five minutes there may have been bursts, unless EBS saw none.
    slow = of_timed(tmp_path / "slow", dry_ms=60.0, ms=15.0).drive
    assert slow is not None
    assert slow["cause"] == {"kind": "unknown", "why": "coarse"}
    sick = of_timed(tmp_path / "sick", dry_ms=15.0, ms=15.0, checked=True).drive
    assert sick is not None
    assert sick["cause"]["kind"] == "degraded"
