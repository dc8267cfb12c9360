"""`import aws --live`: AWS is asked itself, here played by moto."""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from blockyard._core import FileError
from blockyard.formats.aws import live
from blockyard.questions.account import examine_live
from conftest import Blockyard, one_line

REGION = "us-east-1"
# Of the week that is asked for.
NOW = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """An account without anything in it."""
    import boto3
    from moto import mock_aws

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    with mock_aws():
        yield boto3


def furnished(boto3: Any, reads: float) -> str:
    """An instance with a gp2 volume that does `reads` in each of ten minutes; its id."""
    ec2 = boto3.client("ec2", region_name=REGION)
    image = ec2.describe_images()["Images"][0]["ImageId"]
    tags = [{"ResourceType": "instance", "Tags": [{"Key": "Name", "Value": "orders"}]}]
    (instance,) = ec2.run_instances(
        ImageId=image, InstanceType="r6i.large", MinCount=1, MaxCount=1, TagSpecifications=tags
    )["Instances"]
    zone = instance["Placement"]["AvailabilityZone"]
    volume = ec2.create_volume(AvailabilityZone=zone, Size=100, VolumeType="gp2")["VolumeId"]
    ec2.attach_volume(Device="/dev/sdf", InstanceId=instance["InstanceId"], VolumeId=volume)
    for metric, value in (("VolumeReadOps", reads), ("VolumeReadBytes", 8192 * reads)):
        points = [
            {
                "MetricName": metric,
                "Dimensions": [{"Name": "VolumeId", "Value": volume}],
                "Timestamp": NOW - timedelta(minutes=number + 1),
                "Value": value,
                "Unit": "Count",
            }
            for number in range(10)
        ]
        cloudwatch = boto3.client("cloudwatch", region_name=REGION)
        cloudwatch.put_metric_data(Namespace="AWS/EBS", MetricData=points)
    return str(instance["InstanceId"])


@pytest.mark.slow
def test_aws_is_asked_for_what_there_is_and_what_it_did(account: Any) -> None:
    name = furnished(account, reads=2_900 * 60)
    found = live.read(REGION, None, NOW)
    (own,) = found.instances.values()
    assert (own.id, own.type, own.name) == (name, "r6i.large", "orders")
    data = next(one for one in found.volumes.values() if one.gib == 100)
    series = found.metrics[data.id, "VolumeReadOps"]
    assert (series.period_s, len(series.points)) == (60, 10)
    assert set(series.points.values()) == {2_900.0 * 60}


@pytest.mark.slow
def test_what_was_asked_is_judged(account: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    furnished(account, reads=2_950 * 60)
    monkeypatch.setattr("blockyard.questions.account.datetime", _Clock)
    (found,) = examine_live(REGION, only="orders").findings
    assert found.under is not None
    assert found.under["intervals"] == 10
    reached = [one for one in found.under["limits"] if one["reached"] and not one["credits"]]
    assert [one["reached"] for one in reached if one["limit"]["device"] == "sdf"] == [10]


class _Clock:
    @staticmethod
    def now(zone: object) -> datetime:
        assert zone is UTC
        return NOW


@pytest.mark.slow
def test_an_account_without_anything_is_said(account: Any) -> None:
    del account
    with pytest.raises(FileError, match="no instance with a volume and no database"):
        examine_live(REGION)


def test_what_aws_refuses_is_one_line(account: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    del account
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("HOME", "/nonexistent")
    with pytest.raises(FileError, match="AWS, region us-east-1: Unable to locate credentials"):
        live.read(REGION, None, NOW)


def test_boto3_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "boto3", None)
    with pytest.raises(live.NoBotoError, match=r"pip install 'blockyard\[aws\]'"):
        live.read(REGION, None, NOW)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--live"], "--live: expected --region beside it, such as us-east-1"),
        (["--region", "us-east-1"], "--region: is that of --live; expected --live beside it"),
        ([], "no file; expected saved answers, or --live"),
        (["gp3.yaml", "--live", "--region", "us-east-1"], "--live: beside files; expected either"),
    ],
)
def test_options_that_miss_each_other(given: list[str], said: str, blockyard: Blockyard) -> None:
    assert said in one_line(blockyard("import", "aws", *given))
