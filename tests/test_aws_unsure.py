"""What saved answers of AWS leave open, and that no verdict is better for it."""

import json
from pathlib import Path

import pytest

import aws_answers as answers
from blockyard.questions.account import examine
from blockyard.words import account as words
from blockyard.words import account_fleet, under_load
from blockyard.words.account_finding import Finding
from conftest import Blockyard


def of_one_volume(
    folder: Path, reads_per_s: float, kind: str = "gp3", **more: list[float] | None
) -> Finding:
    """What is said of a volume with this load for 15 minutes; None leaves a metric out."""
    reads = [300 * reads_per_s] * 3
    series: dict[str, list[float] | None] = {
        "VolumeReadOps": reads,
        "VolumeWriteOps": [],
        "VolumeReadBytes": [4096 * one for one in reads],
        "VolumeWriteBytes": [],
        **more,
    }
    values = {(answers.DATA, name): own for name, own in series.items() if own is not None}
    volume = answers.volume(answers.DATA, "/dev/sdf", 500, kind, "data", Iops=3000, Throughput=125)
    answers.account(folder, values, volumes={"Volumes": [volume]})
    (found,) = examine([folder]).findings
    return found


def test_a_limit_that_holds_the_load_back_hides_what_was_wanted(tmp_path: Path) -> None:
    said = (
        "orders was throttled by data IOPS: the rates are what these let through, and what was "
        "wanted is at least that"
    )
    assert said in words.else_to_know(of_one_volume(tmp_path / "full", 3000))
    assert said not in words.else_to_know(of_one_volume(tmp_path / "idle", 300))


def test_what_is_not_known_of_a_load_makes_no_volume_cheaper(tmp_path: Path) -> None:
    found = of_one_volume(tmp_path / "whole", 300, "gp2")
    assert found.changes
    found = of_one_volume(tmp_path / "part", 300, "gp2", VolumeReadBytes=None)
    assert not found.changes
    assert "data: nothing is proposed: no file has its VolumeReadBytes" in words.better(found)
    assert "of what is known of its load" in words.first(found)
    table = under_load.limits(found.under, 0) if found.under else None
    assert table is not None
    assert not any("data throughput" in row[0] for row in table.rows)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"BurstBalance": [90.0, 0.0, 3.0]}, "data's BurstBalance at 0%"),
        (
            {"VolumeIOPSExceededCheck": [0.0, 1.0, 1.0]},
            "data's VolumeIOPSExceededCheck in 2 intervals",
        ),
    ],
)
def test_what_cloudwatch_saw_and_the_load_does_not_show_is_the_news(
    tmp_path: Path, more: dict[str, list[float] | None], said: str
) -> None:
    found = of_one_volume(tmp_path, 0, "gp2", **more)
    assert words.first(found).startswith(f"CloudWatch saw {said}")
    assert not found.changes
    assert any(one.startswith("data: nothing is proposed") for one in words.better(found))


def test_an_rds_class_whose_credits_ended_unexplained_gets_no_advice(tmp_path: Path) -> None:
    answers.billing(tmp_path)
    values = {
        ("billing", "ReadIOPS"): [100.0] * 3,
        ("billing", "WriteIOPS"): [],
        ("billing", "ReadThroughput"): [819_200.0] * 3,
        ("billing", "WriteThroughput"): [],
        ("billing", "EBSIOBalance%"): [80.0, 0.0, 4.0],
    }
    answers.write(tmp_path, query=answers.query(values), metrics=answers.data(values))
    (found,) = examine([tmp_path]).findings
    assert words.first(found).startswith("CloudWatch saw the instance's EBSIOBalance% at 0%")
    assert any(one.startswith("nothing is proposed") for one in words.better(found))
    assert found.next_scenario is None


def test_without_prices_nothing_is_proposed_and_no_part_is_empty(
    tmp_path: Path, blockyard: Blockyard
) -> None:
    there = json.dumps([answers.volumes(), answers.instances()]).replace("us-east-1a", "eu-west-3a")
    volumes, instances = json.loads(there)
    answers.write(tmp_path, volumes=volumes, instances=instances)
    done = blockyard("import", "aws", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "nothing is proposed without prices" in done.stdout
    assert "What is at a limit" not in done.stdout
    parts = done.stdout.split("\n\n")
    assert all(len(part.splitlines()) > 1 for part in parts)


def test_a_load_of_minutes_is_no_week(tmp_path: Path) -> None:
    found = of_one_volume(tmp_path, 300)
    assert "15 min have no night, and no busiest hour: give a week" in words.else_to_know(found)


def test_an_answer_in_part_is_said_unless_its_last_page_is_there(tmp_path: Path) -> None:
    values = answers.metrics(days=1)
    part = answers.data(values)
    results = part["MetricDataResults"]
    assert isinstance(results, list)
    answers.write(
        tmp_path,
        volumes=answers.volumes(),
        instances=answers.instances(),
        query=answers.query(values),
        metrics={"MetricDataResults": [{**one, "StatusCode": "PartialData"} for one in results]},
    )
    (found,) = examine([tmp_path]).findings
    assert any("VolumeReadOps of data" in one and "in part" in one for one in found.notes)
    answers.write(tmp_path, metrics_last=answers.data(values))
    (found,) = examine([tmp_path]).findings
    assert not any("in part" in one for one in found.notes)


def test_figures_of_another_account_are_named(tmp_path: Path) -> None:
    values = {(other, "VolumeReadOps"): [1.0] for other in ("vol-00000000000000001", "vol-2")}
    answers.write(
        tmp_path,
        volumes=answers.volumes(),
        query=answers.query(values),
        metrics=answers.data(values),
    )
    found = examine([tmp_path])
    said = (
        "CloudWatch's figures of vol-00000000000000001 and 1 more are of nothing in these answers"
    )
    assert said in found.notes
    assert [one.under for one in found.findings] == [None]


def test_an_instance_that_the_catalog_does_not_know_has_volumes(tmp_path: Path) -> None:
    values = answers.metrics(days=1)
    answers.account(tmp_path, values, instances=answers.instances("r99i.2xlarge"))
    (found,) = examine([tmp_path]).findings
    assert found.changes
    assert any("r99i.2xlarge is not in the catalog" in one for one in found.notes)
    assert any(one.startswith("its volumes cost $") for one in words.better(found))


def test_hosts_of_one_name_are_told_apart_and_their_prices_explained(tmp_path: Path) -> None:
    volumes = [
        answers.volume(f"vol-{number:017x}", "/dev/sdf", 100, tag="data") for number in (1, 2)
    ]
    for number, volume in enumerate(volumes):
        attached = {"InstanceId": f"i-{number:017x}", "Device": "/dev/sdf", "State": "attached"}
        volume |= {"Attachments": [attached], "AvailabilityZone": "mars-north-1a"}
    one = answers.instances()["Reservations"]
    assert isinstance(one, list)
    own = one[0]["Instances"][0]
    placed = {"AvailabilityZone": "mars-north-1a"}
    both = [{**own, "InstanceId": f"i-{number:017x}", "Placement": placed} for number in (0, 1)]
    answers.write(
        tmp_path,
        volumes={"Volumes": volumes},
        instances={"Reservations": [{"Instances": both}]},
    )
    found = examine([tmp_path]).findings
    rows = [row[0] for row in account_fleet.fleet(found).rows]
    assert sorted(rows) == [f"orders (i-{number:017x})" for number in (0, 1)]
    (said,) = account_fleet.prices(found)
    assert said.startswith(f"{rows[0]}, {rows[1]}: no region is known of zone `mars-north-1a`")
