"""CloudFormation: the volumes of a layout, attached to instances that exist."""

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass

from blockyard.formats.provisioning import yaml_text
from blockyard.formats.provisioning.layout import Layout
from blockyard.formats.provisioning.order import Order, hosts_of, orders, remarks
from blockyard.formats.provisioning.text import comment, counted, plain
from blockyard.formats.provisioning.yaml_text import Call, Node

# The most resources of one template, and of how many bytes it can be sent with a request.
_MOST = 500
_SENT = 51_200


def written(layout: Layout, host: str | None) -> str:
    """Write the template, for one host or for all.

    Raises ScenarioError if there is nothing to buy, too much, or not all of it in one region.
    """
    bought = orders(layout, host)
    if "{{" in layout.name:
        layout.refuse("name", "`{{` begins what CloudFormation looks up; expected another name")
    resources = sum(1 + len(order.attached) for order in bought)
    if resources > _MOST:
        layout.refuse("storage", f"{resources} resources; CloudFormation takes {_MOST}")
    hosts = _identifiers(host.name for host in hosts_of(layout, bought))
    if len(hosts) == 1:
        # The only one needs no name.
        hosts = dict.fromkeys(hosts, "")
    needed = _needed(bought, hosts)
    instances = {host.name: host.instance for host in layout.hosts}
    named = _identifiers(name for order in bought for name in _names(order))
    template: dict[str, Node] = {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": plain(f"{counted(len(bought), 'volume')} of {layout.name}"),
        "Parameters": _parameters(needed, instances),
        "Conditions": {
            "HasKmsKey": Call("Not", [Call("Equals", [Call("Ref", "KmsKeyId"), ""])]),
        },
        "Resources": {
            name: resource
            for order in bought
            for name, resource in _resources(layout, order, named, hosts)
        },
        "Outputs": _outputs(bought, named),
    }
    text = yaml_text.written(template)
    head = _comments(layout, needed, stored=False)
    if len((head + text).encode()) > _SENT:
        head = _comments(layout, needed, stored=True)
    return head + text


@dataclass(frozen=True)
class _Need:
    """A parameter for what must be known of a host."""

    name: str
    host: str
    # Whether it is the instance, or its zone.
    is_instance: bool
    # What tells the host from others.
    of: str


def _needed(bought: list[Order], hosts: dict[str, str]) -> list[_Need]:
    """The instances that volumes are attached to, and the zones that they are in."""
    attached = {host for order in bought for host in order.attached}
    placed = {order.volume.host for order in bought}
    return [
        _Need(f"{what}{name}", host, what == "InstanceId", f" of {host}" if name else "")
        for host, name in hosts.items()
        for what, used in (("InstanceId", attached), ("AvailabilityZone", placed))
        if host in used
    ]


def _comments(layout: Layout, needed: list[_Need], *, stored: bool) -> str:
    """How to use the template; a large one must be `stored` in a bucket."""
    parameters = " ".join(
        f"{need.name}={'i-...' if need.is_instance else '...'}" for need in needed
    )
    lines = [
        "Made by `blockyard provision --format cloudformation`.",
        "",
        "  aws cloudformation deploy --stack-name NAME --template-file FILE \\",
        *(["    --s3-bucket BUCKET \\"] if stored else []),
        f"    --parameter-overrides {parameters}",
        "  aws cloudformation describe-stacks --stack-name NAME --output text \\",
        "    --query \"Stacks[0].Outputs[?OutputKey=='Volumes'].OutputValue\" >volumes",
    ]
    for about in remarks(layout):
        lines += ["", about]
    return comment(*lines)


def _identifiers(names: Iterable[str]) -> dict[str, str]:
    """A name of letters and digits alone for each name, `data-a.0` as `DataA0`; all differ."""
    found: dict[str, str] = {}
    for name in names:
        words = re.split("[^A-Za-z0-9]+", name)
        base = "".join(word[:1].upper() + word[1:] for word in words)
        candidates = itertools.chain([base], (f"{base}x{n}" for n in itertools.count(2)))
        found[name] = next(it for it in candidates if it and it not in found.values())
    return found


def _parameters(needed: list[_Need], instances: dict[str, str | None]) -> dict[str, Node]:
    found: dict[str, Node] = {}
    for need in needed:
        kind = f", of type {instances[need.host]}" if instances[need.host] else ""
        found[need.name] = (
            {
                "Type": "AWS::EC2::Instance::Id",
                "Description": f"The instance{need.of} that volumes are attached to{kind}",
            }
            if need.is_instance
            else {
                "Type": "AWS::EC2::AvailabilityZone::Name",
                "Description": f"The zone of the instance{need.of}",
            }
        )
    found["KmsKeyId"] = {
        "Type": "String",
        "Default": "",
        "Description": "The KMS key that encrypts the volumes (by default the account's for EBS)",
    }
    return found


def _names(order: Order) -> list[str]:
    """What a volume is called, and its attachments where it has several."""
    several = order.attached if order.multi_attach else ()
    return [order.volume.name, *(_on(order, host) for host in several)]


def _on(order: Order, host: str) -> str:
    return f"{order.volume.name}.on.{host}" if order.multi_attach else order.volume.name


def _resources(
    layout: Layout, order: Order, named: dict[str, str], hosts: dict[str, str]
) -> Iterable[tuple[str, Node]]:
    """The volume and its attachments."""
    volume = order.volume
    name = f"Volume{named[volume.name]}"
    properties: dict[str, Node] = {
        "AvailabilityZone": Call("Ref", f"AvailabilityZone{hosts[volume.host]}"),
        "VolumeType": volume.type,
        "Size": order.gib,
    }
    if volume.iops is not None:
        properties["Iops"] = volume.iops
    if order.mib_per_s is not None:
        properties["Throughput"] = order.mib_per_s
    if order.multi_attach:
        properties["MultiAttachEnabled"] = True
    properties["Encrypted"] = True
    properties["KmsKeyId"] = Call(
        "If", ["HasKmsKey", Call("Ref", "KmsKeyId"), Call("Ref", "AWS::NoValue")]
    )
    tags = {
        "Name": f"{layout.name} {volume.name}",
        "Scenario": layout.name,
        "Device": volume.device,
        "Index": str(order.index),
        "Role": order.role,
        **({"Host": volume.host} if len(layout.hosts) > 1 else {}),
    }
    properties["Tags"] = [{"Key": key, "Value": value} for key, value in tags.items()]
    yield (
        name,
        {
            "Type": "AWS::EC2::Volume",
            "DeletionPolicy": "Snapshot",
            "UpdateReplacePolicy": "Snapshot",
            "Properties": properties,
        },
    )
    for host, device_name in order.attached.items():
        yield (
            f"Attachment{named[_on(order, host)]}",
            {
                "Type": "AWS::EC2::VolumeAttachment",
                "Properties": {
                    "Device": device_name,
                    "InstanceId": Call("Ref", f"InstanceId{hosts[host]}"),
                    "VolumeId": Call("Ref", name),
                },
            },
        )


def _outputs(bought: list[Order], named: dict[str, str]) -> dict[str, Node]:
    """The ids, as the script reads them: a line for each volume."""
    lines = [
        Call("Sub", f"{order.volume.name}=${{Volume{named[order.volume.name]}}}")
        for order in bought
    ]
    return {
        "Volumes": {
            "Description": "The volumes' ids as the script of blockyard provision reads them",
            "Value": Call("Join", ["\n", lines]),
        }
    }
