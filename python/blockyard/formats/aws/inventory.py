"""What there is: the answers of describe-volumes, -instances and -db-instances."""

from collections.abc import Callable

from blockyard.formats.aws.account import Account, Database, Instance, Volume
from blockyard.formats.aws.optional import count, size, text
from blockyard.formats.foreign.tree import Node

# A volume in one of these is not there, or not yet.
_GONE = ("creating", "deleting", "deleted", "error")


def _volumes(answer: Node, account: Account) -> None:
    for node in answer.items():
        if text(node, "State") in _GONE:
            continue
        attachments = node.get("Attachments").items() if node.has("Attachments") else ()
        attached = tuple(
            (one.get("InstanceId").text(), text(one, "Device"))
            for one in attachments
            if one.has("InstanceId") and text(one, "State") in ("", "attached", "busy")
        )
        volume = Volume(
            id=node.get("VolumeId").text(),
            name=tag_name(node),
            type=node.get("VolumeType").text(),
            gib=size(node.get("Size")),
            iops=count(node, "Iops"),
            mib_per_s=count(node, "Throughput"),
            zone=text(node, "AvailabilityZone"),
            attached=attached,
        )
        account.volumes[volume.id] = volume


def _instances(answer: Node, account: Account) -> None:
    for reservation in answer.items():
        for node in reservation.get("Instances").items():
            state = text(node.get("State"), "Name") if node.has("State") else ""
            if state in ("terminated", "shutting-down"):
                continue
            placement = node.get("Placement") if node.has("Placement") else None
            instance = Instance(
                id=node.get("InstanceId").text(),
                name=tag_name(node),
                type=node.get("InstanceType").text(),
                zone=text(placement, "AvailabilityZone") if placement else "",
                root=text(node, "RootDeviceName"),
            )
            account.instances[instance.id] = instance


def _databases(answer: Node, account: Account) -> None:
    for node in answer.items():
        database = Database(
            id=node.get("DBInstanceIdentifier").text(),
            engine=node.get("Engine").text(),
            instance_class=node.get("DBInstanceClass").text(),
            type=text(node, "StorageType"),
            gib=node.get("AllocatedStorage").whole() if node.has("AllocatedStorage") else 0,
            iops=count(node, "Iops"),
            mib_per_s=count(node, "StorageThroughput"),
            zone=text(node, "AvailabilityZone"),
            multi_az=node.has("MultiAZ") and node.get("MultiAZ").value is True,
        )
        if not database.is_aurora:
            size(node.get("AllocatedStorage"))
        account.databases[database.id] = database


# By the kind of answer.
READERS: dict[str, Callable[[Node, Account], None]] = {
    "volumes": _volumes,
    "instances": _instances,
    "databases": _databases,
}


def tag_name(node: Node) -> str:
    """The value of the tag `Name`; empty without one."""
    for tag in node.get("Tags").items() if node.has("Tags") else ():
        if text(tag, "Key") == "Name":
            return text(tag, "Value")
    return ""
