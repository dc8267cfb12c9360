"""CloudFormation: the volumes of a layout, attached to instances that exist or are made."""

import itertools
import re
from collections.abc import Iterable

from blockyard._core import plain
from blockyard.formats.provisioning import yaml_text
from blockyard.formats.provisioning.cloudformation import instances, watching
from blockyard.formats.provisioning.cloudformation.instances import Hosts, Need
from blockyard.formats.provisioning.layout import Layout
from blockyard.formats.provisioning.text import comment, counted
from blockyard.formats.provisioning.yaml_text import Call, Node
from blockyard.types.bought import Bought, Order

# The most resources of one template, and of how many bytes it can be sent with a request.
_MOST = 500
_SENT = 51_200


def written(layout: Layout, host: str | None, *, with_instance: bool) -> str:
    """Write the template, for one host or for all, and `with_instance` these themselves.

    Raises ScenarioError if there is nothing to buy, too much, or not all of it in one region.
    """
    bought = layout.bought(host, with_instance=with_instance)
    orders, watch = bought["orders"], bought["watch"]
    if "{{" in layout.name:
        layout.refuse("name", "`{{` begins what CloudFormation looks up; expected another name")
    used = bought["hosts"]
    # The only one needs no name.
    names = _identifiers(used) if len(used) > 1 else {used[0]: ""}
    hosts = Hosts(layout, names, with_instance)
    attached = {host for order in orders for host in order["attached"]}
    needed = instances.needed(hosts, attached, {order["host"] for order in orders})
    named = _identifiers(name for order in orders for name in _names(order))
    resources = dict(instances.resources(hosts))
    for order in orders:
        resources |= _resources(layout, order, named, hosts)
    if attached:
        resources |= watching.alarms(bought, named, hosts)
        resources |= [watching.snapshots(layout, watch)]
    if len(resources) > _MOST:
        layout.refuse("storage", f"{len(resources)} resources; CloudFormation takes {_MOST}")
    optional = instances.optional(hosts)
    template: dict[str, Node] = {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": plain(f"{counted(len(orders), 'volume')} of {layout.name}"),
        "Parameters": {
            **{need.name: need.definition for need in needed},
            **optional,
            **instances.root_device(hosts),
            **_KMS_KEY,
            **(watching.parameters(watch) if attached else {}),
        },
        "Conditions": {
            **{f"Has{name}": watching.is_given(name) for name in (*optional, *_KMS_KEY)},
            **(watching.conditions() if attached else {}),
        },
        "Resources": resources,
        "Outputs": _outputs(orders, named, hosts),
    }
    text = yaml_text.written(template)
    head = _comments(bought, hosts, needed, stored=False)
    if len((head + text).encode()) > _SENT:
        head = _comments(bought, hosts, needed, stored=True)
    return head + text


_KMS_KEY: dict[str, Node] = {
    "KmsKeyId": {
        "Type": "String",
        "Default": "",
        "Description": "The KMS key that encrypts the volumes (by default the account's for EBS)",
    }
}


def _comments(bought: Bought, hosts: Hosts, needed: list[Need], *, stored: bool) -> str:
    """How to use the template; a large one must be `stored` in a bucket."""
    parameters = " ".join(f"{need.name}={need.example}" for need in needed)
    lines = [
        "Made by `blockyard provision --format cloudformation`.",
        "",
        "  aws cloudformation deploy --stack-name NAME --template-file FILE \\",
        *(["    --s3-bucket BUCKET \\"] if stored else []),
        f"    --parameter-overrides {parameters}",
        "  aws cloudformation describe-stacks --stack-name NAME --output text \\",
        "    --query \"Stacks[0].Outputs[?OutputKey=='Volumes'].OutputValue\" >volumes",
    ]
    lines += ["", "A volume that leaves the stack is kept; delete it yourself."]
    if not hosts.own:
        lines += [
            "With SnapshotRoleArn: tag the instance, so that its volumes are snapshotted.",
            "",
            "  aws ec2 create-tags --resources i-... \\",
            f"    --tags 'Key={bought['watch']['snapshot_tag']},Value=...'",
        ]
    for about in bought["remarks"]:
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


def _names(order: Order) -> list[str]:
    """What a volume is called, and its attachments where it has several."""
    several = order["attached"] if order["multi_attach"] else ()
    return [order["name"], *(_on(order, host) for host in several)]


def _on(order: Order, host: str) -> str:
    return f"{order['name']}.on.{host}" if order["multi_attach"] else order["name"]


def _resources(
    layout: Layout, order: Order, named: dict[str, str], hosts: Hosts
) -> Iterable[tuple[str, Node]]:
    """The volume and its attachments."""
    name = f"Volume{named[order['name']]}"
    properties: dict[str, Node] = {
        "AvailabilityZone": hosts.zone(order["host"]),
        "VolumeType": order["type"],
        "Size": order["gib"],
    }
    if order["iops"] is not None:
        properties["Iops"] = order["iops"]
    if order["mib_per_s"] is not None:
        properties["Throughput"] = order["mib_per_s"]
    if order["multi_attach"]:
        properties["MultiAttachEnabled"] = True
    properties["Encrypted"] = True
    properties["KmsKeyId"] = instances.given("KmsKeyId")
    tags = {
        "Name": f"{layout.name} {order['name']}",
        "Scenario": layout.name,
        "Device": order["device"],
        "Index": str(order["index"]),
        "Role": order["role"],
        **({"Host": order["host"]} if len(layout.hosts) > 1 else {}),
    }
    properties["Tags"] = [{"Key": key, "Value": value} for key, value in tags.items()]
    yield (
        name,
        {
            "Type": "AWS::EC2::Volume",
            # The data outlive a stack that no longer has the volume, or has another for it.
            "DeletionPolicy": "Retain",
            "UpdateReplacePolicy": "Retain",
            "Properties": properties,
        },
    )
    for host, device_name in order["attached"].items():
        yield (
            f"Attachment{named[_on(order, host)]}",
            {
                "Type": "AWS::EC2::VolumeAttachment",
                "Properties": {
                    "Device": device_name,
                    "InstanceId": hosts.instance(host),
                    "VolumeId": Call("Ref", name),
                },
            },
        )


def _outputs(orders: list[Order], named: dict[str, str], hosts: Hosts) -> dict[str, Node]:
    """The ids: of new instances, and of volumes as the script reads them, a line for each."""
    found: dict[str, Node] = {
        f"Instance{of}Id": {
            "Description": f"The instance {name}",
            "Value": hosts.instance(name),
        }
        for name, of in hosts.names.items()
        if hosts.own
    }
    lines = [Call("Sub", f"{order['name']}=${{Volume{named[order['name']]}}}") for order in orders]
    if lines:
        found["Volumes"] = {
            "Description": "The volumes' ids as the script of blockyard provision reads them",
            "Value": Call("Join", ["\n", lines]),
        }
    return found
