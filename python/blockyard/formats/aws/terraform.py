"""What there is by Terraform: `terraform show -json` of a state or a plan."""

from collections.abc import Iterator
from pathlib import Path

from blockyard.formats.aws import hosts as inventory
from blockyard.formats.aws import scenario
from blockyard.formats.aws.account import Account, Database, Instance, Volume
from blockyard.formats.aws.answer import answer
from blockyard.formats.aws.optional import count, size, text
from blockyard.formats.foreign.error import ForeignError
from blockyard.formats.foreign.tree import Node

# How deep modules are nested at most.
_DEEPEST = 64


def layout(path: Path) -> str:
    """The scenario of the one instance or database in a file, without its root volume.

    Raises ForeignError if there are several, or none, and OSError.
    """
    one = answer(path)
    if one.kind != "terraform":
        raise ForeignError(path, "no `terraform show -json`; expected that, or a scenario (YAML)")
    account = Account()
    state(one.node, account)
    found = list(inventory.hosts(account))
    if len(found) != 1:
        names = ", ".join(host.id for host in found[:5])
        raise ForeignError(
            path,
            f"{len(found)} instances and databases with volumes"
            + (f" ({names})" if names else "")
            + "; expected one: `blockyard import aws` writes a scenario of each",
        )
    devices = [one for one in found[0].devices if one.name != "root"] or found[0].devices
    return scenario.text(found[0], None, {}, devices)


def state(node: Node, account: Account) -> None:
    """Add the instances, volumes and databases of all modules. Raises ForeignError."""
    values = node.get("values" if node.has("values") else "planned_values")
    resources = list(_resources(values.get("root_module"), 0))
    attached: dict[str, list[tuple[str, str]]] = {}
    for one in resources:
        if one.get("type").value == "aws_instance":
            _instance(one, account)
        elif one.get("type").value == "aws_volume_attachment":
            own = one.get("values")
            volume, instance = text(own, "volume_id"), text(own, "instance_id")
            if not (volume and instance):
                raise ForeignError(
                    one.place,
                    "an attachment whose volume or instance is not there yet; expected "
                    "`terraform show -json` of the state, after `terraform apply`",
                )
            attached.setdefault(volume, []).append((instance, text(own, "device_name")))
    for one in resources:
        if one.get("type").value == "aws_ebs_volume":
            own = one.get("values")
            name = text(own, "id") or one.get("address").text()
            account.volumes[name] = _volume(name, own, "type", "size", attached.get(name, []))
        elif one.get("type").value == "aws_db_instance":
            _database(one, account)


def _resources(module: Node, depth: int) -> Iterator[Node]:
    if depth > _DEEPEST:
        raise ForeignError(module.place, f"more than {_DEEPEST} modules within each other")
    for one in module.get("resources").items() if module.has("resources") else ():
        if text(one, "mode") in ("", "managed"):
            yield one
    for child in module.get("child_modules").items() if module.has("child_modules") else ():
        yield from _resources(child, depth + 1)


def _instance(one: Node, account: Account) -> None:
    own = one.get("values")
    name = text(own, "id") or one.get("address").text()
    root = ""
    for key in ("root_block_device", "ebs_block_device"):
        for disk in own.get(key).items() if own.has(key) else ():
            device = text(disk, "device_name")
            root = device if key == "root_block_device" else root
            volume = text(disk, "volume_id") or f"{name}:{device or key}"
            # An attachment of a volume of its own is listed here too.
            account.volumes[volume] = _volume(
                volume, disk, "volume_type", "volume_size", [(name, device)]
            )
    account.instances[name] = Instance(
        id=name,
        name=_tag(own),
        type=own.get("instance_type").text(),
        zone=text(own, "availability_zone"),
        root=root,
    )


def _volume(name: str, own: Node, kind: str, gib: str, attached: list[tuple[str, str]]) -> Volume:
    return Volume(
        id=name,
        name=_tag(own),
        # What EBS makes of a volume without a type.
        type=text(own, kind) or "gp2",
        gib=size(own.get(gib)),
        iops=count(own, "iops"),
        mib_per_s=count(own, "throughput"),
        zone=text(own, "availability_zone"),
        attached=tuple(attached),
    )


def _database(one: Node, account: Account) -> None:
    own = one.get("values")
    name = text(own, "identifier") or one.get("address").text()
    account.databases[name] = Database(
        id=name,
        engine=own.get("engine").text(),
        instance_class=own.get("instance_class").text(),
        type=text(own, "storage_type") or "gp2",
        gib=size(own.get("allocated_storage")),
        iops=count(own, "iops"),
        mib_per_s=count(own, "storage_throughput"),
        zone=text(own, "availability_zone"),
        multi_az=own.has("multi_az") and own.get("multi_az").value is True,
    )


def _tag(own: Node) -> str:
    tags = own.get("tags") if own.has("tags") else None
    return text(tags, "Name") if tags is not None and tags.value is not None else ""
