"""The hosts of an account, each with its devices: what a scenario is made of."""

import functools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from blockyard._core import catalog_instances, rds_storage
from blockyard.formats.aws.account import Account, Database, Instance, Volume


@dataclass(frozen=True)
class Device:
    """A volume, or the equal volumes that RDS stripes over."""

    # Within the scenario.
    name: str
    # What CloudWatch calls it.
    id: str
    type: str
    # Of one volume, as are IOPS and throughput.
    gib: int
    iops: int | None
    mib_per_s: int | None
    width: int = 1


@dataclass(frozen=True)
class Host:
    """An instance or a database of RDS, and what lies behind it."""

    id: str
    # Its tag `Name`, or its id.
    name: str
    # None where its limits are not known; of a database its class.
    instance_type: str | None
    zone: str
    devices: list[Device]
    # The type of the instance or the class of the database as AWS has it; empty where unknown.
    kind: str = ""
    # What AWS's answers leave open: its name, and what was taken.
    assumptions: dict[str, str] = field(default_factory=dict)
    # The class of a database of RDS; None of an instance.
    instance_class: str | None = None
    # The GiB from which on RDS stripes, and over how many volumes; None if it never does, or does.
    stripes_from: tuple[int, int] | None = None

    @property
    def region(self) -> str | None:
        """The region of its zone, such as `us-east-1` of `us-east-1a`."""
        found = re.fullmatch(r"([a-z]{2}(?:-[a-z]+)+-\d)[a-z]", self.zone)
        return found[1] if found else None


def hosts(account: Account) -> Iterator[Host]:
    """Every instance with volumes, then every database of RDS."""
    behind: dict[str, list[Volume]] = {}
    for volume in account.volumes.values():
        if not volume.attached:
            said = f"{volume.id} ({volume.type}, {volume.gib:,} GiB) is attached to no instance"
            account.note(f"{said}, and is charged all the same")
            continue
        behind.setdefault(volume.attached[0][0], []).append(volume)
    for name, volumes in sorted(behind.items()):
        yield _of_instance(name, account.instances.get(name), volumes)
    for database in account.databases.values():
        if database.is_aurora:
            account.note(
                f"{database.id}: Aurora has no volumes and no limits of volumes; it is charged by "
                "its data and its IO, and not modelled"
            )
        else:
            yield _of_database(database)


def _of_instance(name: str, instance: Instance | None, volumes: list[Volume]) -> Host:
    assumptions = {}
    if instance is None:
        assumptions["host"] = (
            f"{name} is not in describe-instances: its type and its limits are not known"
        )
    elif instance.type not in _types():
        assumptions["host"] = (
            f"{instance.type} is not in the catalog: its limits and its price are not known"
        )
    devices: list[Device] = []
    for volume in sorted(volumes, key=lambda one: one.attached[0][1]):
        place = volume.attached[0][1]
        is_root = instance is not None and place == instance.root
        named = "root" if is_root else volume.name or place.rpartition("/")[2] or volume.id
        device = _unique(_named(named), [one.name for one in devices])
        devices.append(Device(device, volume.id, volume.type, volume.gib, *_provisioned(volume)))
        if len(volume.attached) > 1:
            assumptions[device] = f"{volume.id} is attached to several instances; taken as {name}'s"
    for alike in _alike(devices):
        assumptions["stripe"] = (
            f"{', '.join(one.name for one in alike)} are alike and may be a stripe, which only the "
            "guest knows: each is judged by its own IO"
        )
    title = (instance.name if instance else "") or name
    return Host(
        id=name,
        name=_named(title),
        instance_type=instance.type if instance and instance.type in _types() else None,
        kind=instance.type if instance else "",
        zone=(instance.zone if instance else "") or volumes[0].zone,
        devices=devices,
        assumptions=assumptions,
    )


@functools.cache
def _types() -> frozenset[str]:
    """The instance types that the catalog has."""
    return frozenset(row["type"] for row in json.loads(catalog_instances()))


def _of_database(database: Database) -> Host:
    least, volumes, is_known = rds_storage(database.engine, database.instance_class)
    striped = least is not None and database.gib >= least and database.type != "standard"
    width = volumes if striped else 1

    def each(total: int | None) -> int | None:
        return None if total is None else -(-total // width)

    below = database.instance_class.removeprefix("db.")
    assumptions = {
        "host": (
            f"the bandwidth of {database.instance_class} is RDS's own; its IOPS, and what it "
            f"sustains, are those of {below}, which AWS names as the type below it"
            if is_known
            else f"the limits of {database.instance_class} are not in the catalog, and are not "
            f"those of {below}: only its storage is judged"
        )
    }
    if striped:
        assumptions["stripe"] = (
            f"RDS for {database.engine} stripes {least} GiB and more over {width} volumes; chunks "
            "of 256KiB are assumed"
        )
    if database.multi_az:
        assumptions["multi_az"] = "writes go to a second copy in another zone, which is not judged"
    iops, mib_per_s = _provisioned(database)
    data = Device(
        name="data",
        id=database.id,
        type=database.type,
        gib=-(-database.gib // width),
        iops=each(iops),
        mib_per_s=each(mib_per_s),
        width=width,
    )
    return Host(
        id=database.id,
        name=_named(database.id),
        instance_type=database.instance_class if is_known else None,
        kind=database.instance_class,
        zone=database.zone,
        devices=[data],
        assumptions=assumptions,
        instance_class=database.instance_class,
        stripes_from=None if striped or least is None else (least, volumes),
    )


def _provisioned(of: Volume | Database) -> tuple[int | None, int | None]:
    """IOPS and throughput as they are provisioned: AWS states a baseline of gp2 too."""
    iops = of.iops if of.type in ("gp3", "io1", "io2") else None
    return iops, of.mib_per_s if of.type == "gp3" else None


def _alike(devices: list[Device]) -> Iterator[list[Device]]:
    kinds: dict[tuple[object, ...], list[Device]] = {}
    for one in devices:
        if one.name != "root":
            kinds.setdefault((one.type, one.gib, one.iops, one.mib_per_s), []).append(one)
    yield from (alike for alike in kinds.values() if len(alike) > 1)


def _named(text: str) -> str:
    """A name of letters, digits, `_` and `-`, as scenarios have them."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", text).strip("-") or "unnamed"


def _unique(name: str, taken: list[str]) -> str:
    # No device is called as a host is.
    numbered = [name, *(f"{name}-{number}" for number in range(2, len(taken) + 3))]
    return next(one for one in numbered if one not in (*taken, "host"))
