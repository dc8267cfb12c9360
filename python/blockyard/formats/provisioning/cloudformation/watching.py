"""Alarms on what volumes and instances report of their limits, and snapshots of all at once."""

from collections.abc import Iterator

from blockyard.formats.provisioning.cloudformation.instances import Hosts
from blockyard.formats.provisioning.layout import Layout
from blockyard.formats.provisioning.yaml_text import Call, Node
from blockyard.types.bought import Bought, Watch


def parameters(watch: Watch) -> dict[str, Node]:
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
            "AllowedValues": watch["snapshot_hours"],
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


def alarms(bought: Bought, named: dict[str, str], hosts: Hosts) -> Iterator[tuple[str, Node]]:
    """Give the alarms; `named` has the identifiers of volumes."""
    watch = bought["watch"]
    balance = watch["balance"]
    low: dict[str, Node] = {**_LOW, "Threshold": watch["balance_left"]}
    for order in bought["orders"]:
        of = named[order["name"]]
        dimension = {"VolumeId": Call("Ref", f"Volume{of}")}
        for host in order["attached"]:
            if hosts.host(host).platform == "xen":
                continue
            on = hosts.names[host] if order["multi_attach"] else ""
            for metric, minutes in watch["volume_checks"].items():
                if metric != watch["stalled"] and (
                    order["multi_attach"] or order["type"] == "standard"
                ):
                    continue
                both = {**dimension, "InstanceId": hosts.instance(host)}
                yield f"{metric}{of}{on}", _failed("AWS/EBS", metric, minutes, both)
        if order["attached"] and order["type"] in watch["with_balance"]:
            yield f"{balance}{of}", _alarm("AWS/EBS", balance, dimension, low)
    attached = {host for order in bought["orders"] for host in order["attached"]}
    for host, of in hosts.names.items():
        if host in attached and hosts.host(host).platform in ("nitro", None):
            for metric, minutes in watch["instance_checks"].items():
                dimension = {"InstanceId": hosts.instance(host)}
                yield f"{metric}{of}", _failed("AWS/EC2", metric, minutes, dimension)


_LOW: dict[str, Node] = {
    "Statistic": "Minimum",
    "Period": 300,
    "EvaluationPeriods": 1,
    "ComparisonOperator": "LessThanThreshold",
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


def snapshots(layout: Layout, watch: Watch) -> tuple[str, Node]:
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
                "Description": watch["policy_description"],
                "ExecutionRoleArn": Call("Ref", "SnapshotRoleArn"),
                "State": "ENABLED",
                "PolicyDetails": {
                    "ResourceTypes": ["INSTANCE"],
                    "TargetTags": [{"Key": watch["snapshot_tag"], "Value": layout.name}],
                    "Parameters": {"ExcludeBootVolume": True},
                    "Schedules": [schedule],
                },
            },
        },
    )
