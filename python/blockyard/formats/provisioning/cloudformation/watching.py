"""Alarms on what volumes and instances report of their limits, and snapshots of all at once."""

from collections.abc import Iterator

from blockyard.formats.provisioning.cloudformation.instances import Hosts
from blockyard.formats.provisioning.layout import Layout
from blockyard.formats.provisioning.order import Order
from blockyard.formats.provisioning.watch import (
    BALANCE,
    BALANCE_LEFT,
    INSTANCE_CHECKS,
    SNAPSHOT_HOURS,
    SNAPSHOT_TAG,
    STALLED,
    VOLUME_CHECKS,
    policy_description,
    with_balance,
)
from blockyard.formats.provisioning.yaml_text import Call, Node


def parameters() -> dict[str, Node]:
    """Give the parameters, all with defaults."""
    return {
        "Alarms": {
            "Type": "String",
            "Default": "true",
            "AllowedValues": ["true", "false"],
            "Description": "Whether CloudWatch watches the limits of volumes and instances",
        },
        "AlarmTopicArn": {
            "Type": "String",
            "Default": "",
            "Description": "The SNS topic that alarms notify; without one they show their state",
        },
        "SnapshotRoleArn": {
            "Type": "String",
            "Default": "",
            "Description": (
                "Role of Data Lifecycle Manager, such as AWSDataLifecycleManagerDefaultRole, with "
                "which all data volumes of an instance are snapshotted at one moment (by default "
                "none are)"
            ),
        },
        "SnapshotHours": {
            "Type": "Number",
            "Default": 24,
            "AllowedValues": list(SNAPSHOT_HOURS),
            "Description": "Hours between two snapshots",
        },
        "SnapshotsKept": {
            "Type": "Number",
            "Default": 7,
            "MinValue": 1,
            "MaxValue": 1000,
            "Description": "How many snapshots are kept",
        },
    }


def conditions() -> dict[str, Node]:
    """Give the conditions of what the parameters switch on."""
    return {
        "HasAlarms": Call("Equals", [Call("Ref", "Alarms"), "true"]),
        **{f"Has{name}": is_given(name) for name in ("AlarmTopicArn", "SnapshotRoleArn")},
    }


def is_given(parameter: str) -> Call:
    """Whether a parameter is not empty."""
    return Call("Not", [Call("Equals", [Call("Ref", parameter), ""])])


def alarms(bought: list[Order], named: dict[str, str], hosts: Hosts) -> Iterator[tuple[str, Node]]:
    """Give the alarms; `named` has the identifiers of volumes."""
    for order in bought:
        volume, of = order.volume, named[order.volume.name]
        dimension = {"VolumeId": Call("Ref", f"Volume{of}")}
        for host in order.attached:
            if hosts.host(host).platform == "xen":
                continue
            on = hosts.names[host] if order.multi_attach else ""
            for metric, minutes in VOLUME_CHECKS.items():
                if metric != STALLED and (order.multi_attach or volume.type == "standard"):
                    continue
                both = {**dimension, "InstanceId": hosts.instance(host)}
                yield f"{metric}{of}{on}", _failed("AWS/EBS", metric, minutes, both)
        if order.attached and volume.type in with_balance(hosts.layout):
            yield f"{BALANCE}{of}", _alarm("AWS/EBS", BALANCE, dimension, _LOW)
    attached = {host for order in bought for host in order.attached}
    for host, of in hosts.names.items():
        if host in attached and hosts.host(host).platform in ("nitro", None):
            for metric, minutes in INSTANCE_CHECKS.items():
                dimension = {"InstanceId": hosts.instance(host)}
                yield f"{metric}{of}", _failed("AWS/EC2", metric, minutes, dimension)


_LOW: dict[str, Node] = {
    "Statistic": "Minimum",
    "Period": 300,
    "EvaluationPeriods": 1,
    "ComparisonOperator": "LessThanThreshold",
    "Threshold": BALANCE_LEFT,
}


def _failed(namespace: str, metric: str, minutes: int, dimensions: dict[str, Call]) -> Node:
    when: dict[str, Node] = {
        "Statistic": "Maximum",
        "Period": 60,
        "EvaluationPeriods": minutes,
        "ComparisonOperator": "GreaterThanOrEqualToThreshold",
        "Threshold": 1,
    }
    return _alarm(namespace, metric, dimensions, when)


def _alarm(namespace: str, metric: str, dimensions: dict[str, Call], when: dict[str, Node]) -> Node:
    topic = Call("If", ["HasAlarmTopicArn", [Call("Ref", "AlarmTopicArn")], _NOTHING])
    return {
        "Type": "AWS::CloudWatch::Alarm",
        "Condition": "HasAlarms",
        "Properties": {
            "Namespace": namespace,
            "MetricName": metric,
            "Dimensions": [{"Name": name, "Value": of} for name, of in dimensions.items()],
            **when,
            "TreatMissingData": "notBreaching",
            "AlarmActions": topic,
            "OKActions": topic,
        },
    }


_NOTHING = Call("Ref", "AWS::NoValue")


def snapshots(layout: Layout) -> tuple[str, Node]:
    """Give the policy of snapshots: one of an instance is one of all its volumes."""
    schedule: dict[str, Node] = {
        "Name": "data volumes",
        "CopyTags": True,
        "CreateRule": {"Interval": Call("Ref", "SnapshotHours"), "IntervalUnit": "HOURS"},
        "RetainRule": {"Count": Call("Ref", "SnapshotsKept")},
    }
    return (
        "Snapshots",
        {
            "Type": "AWS::DLM::LifecyclePolicy",
            "Condition": "HasSnapshotRoleArn",
            "Properties": {
                "Description": policy_description(layout),
                "ExecutionRoleArn": Call("Ref", "SnapshotRoleArn"),
                "State": "ENABLED",
                "PolicyDetails": {
                    "ResourceTypes": ["INSTANCE"],
                    "TargetTags": [{"Key": SNAPSHOT_TAG, "Value": layout.name}],
                    "Parameters": {"ExcludeBootVolume": True},
                    "Schedules": [schedule],
                },
            },
        },
    )
