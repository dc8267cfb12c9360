"""The layout of a scenario: what is bought for which host, and what is made of it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from blockyard import _core
from blockyard._core import Scenario, ScenarioError
from blockyard.types import layout as given_as
from blockyard.types.bought import Bought
from blockyard.types.layout import Modifications, Settings

GIB = 1 << 30
MIB = 1 << 20


@dataclass(frozen=True)
class Host:
    """An instance; its type and its zone are None where the scenario does not state them."""

    name: str
    instance: str | None
    zone: str | None
    # How many volumes its type takes beside its root volume; None without a type.
    attachments: int | None
    # Its processors' architecture, such as `arm64`, and its platform: `nitro`, `xen` or `metal`.
    architecture: str | None
    platform: str | None
    # Bytes a second of all its volumes that it sustains; None where nothing limits them.
    sustained: int | None


@dataclass(frozen=True)
class Volume:
    """A volume as it is ordered: sizes in bytes, throughput in bytes a second.

    IOPS and throughput are None where its type provisions none.
    """

    name: str
    device: str
    host: str
    type: str
    size: int
    iops: int | None
    throughput: int | None
    # Bytes a second of large sequential IO that its limits sustain; None without limits.
    sustained: int | None
    # For how many seconds a modification to it is optimised.
    optimising_s: int
    # A disk of the instance, which comes with that.
    local: bool
    # Whether anyone sells it: `unlimited` is only for tests.
    sold: bool


@dataclass(frozen=True)
class Stripe:
    """Equal parts, striped; `chunk` bytes on one before the next one's turn."""

    chunk: int
    parts: tuple["Tree", ...]


@dataclass(frozen=True)
class Linear:
    """Parts one after another."""

    parts: tuple["Tree", ...]


@dataclass(frozen=True)
class Mirror:
    """Two copies, by the names of the legs."""

    legs: tuple[tuple[str, "Tree"], ...]


Tree = Volume | Stripe | Linear | Mirror


@dataclass(frozen=True)
class Device:
    """A device of the scenario and how it is made of volumes."""

    name: str
    tree: Tree

    @property
    def hosts(self) -> list[str]:
        """The hosts that its volumes are attached to, one but for a mirror."""
        return list(dict.fromkeys(volume.host for volume in volumes_of(self.tree)))


@dataclass(frozen=True)
class Cluster:
    """Hosts that share devices, which one of them uses at a time."""

    name: str
    nodes: tuple[str, ...]
    disks: tuple[str, ...]
    # Whether the devices are attached to all of them.
    multi_attach: bool


@dataclass(frozen=True)
class Files:
    """What a job, or a member of its mirror, has on which device, by its role."""

    job: str
    kind: str
    on: dict[str, str]
    # The member of the job's mirror; None is the job itself.
    member: str | None
    # Of a database under updates: how its server is configured; None of other jobs.
    settings: Settings | None


@dataclass(frozen=True)
class Layout:
    """A scenario's layout at its start."""

    name: str
    # What it is of, and what errors call the file that this is from.
    scenario: Scenario
    file: str
    hosts: tuple[Host, ...]
    volumes: tuple[Volume, ...]
    devices: tuple[Device, ...]
    clusters: tuple[Cluster, ...]
    files: tuple[Files, ...]
    # How many events may change it later.
    events: int
    # How often a volume may be modified.
    modifications: Modifications

    @classmethod
    def of(cls, scenario: Scenario, file: str) -> "Layout":
        """Take the layout from a scenario; `file` is what errors call it."""
        given: given_as.Layout = json.loads(scenario.layout())
        volumes = tuple(Volume(**volume) for volume in given["volumes"])
        return cls(
            name=given["name"],
            scenario=scenario,
            file=file,
            hosts=tuple(Host(**host) for host in given["hosts"]),
            volumes=volumes,
            devices=tuple(
                Device(device["name"], _tree(device["layout"], volumes))
                for device in given["devices"]
            ),
            clusters=tuple(_cluster(cluster) for cluster in given["clusters"]),
            files=tuple(Files(**files) for files in given["files"]),
            events=given["events"],
            modifications=given["modifications"],
        )

    def refuse(self, path: str, why: str) -> NoReturn:
        """Raise ScenarioError: what stands at `path` has no meaning in the format."""
        raise ScenarioError(f"{self.file}: {path}: {why}")

    def bought(self, host: str | None, *, with_instance: bool = False) -> Bought:
        """Give what to buy for one host, or for all, and how it is watched.

        Raises ScenarioError if that is nothing, if a volume is not sold, if a host takes fewer, or
        if not all are in one region. `with_instance` there may be only disks of the instances,
        whose types must be known.
        """
        text = _core.bought(self.scenario, self.file, host, with_instance=with_instance)
        found: Bought = json.loads(text)
        return found

    def attached_as(self, host: str) -> dict[str, str]:
        """Give the names under which EC2 attaches volumes to a host, by the volume's name."""
        return dict(_core.attached_as(self.scenario, self.file, host))

    def cluster(self, device: str) -> Cluster | None:
        """Give the cluster that shares a device, if one does."""
        return next((it for it in self.clusters if device in it.disks), None)


def volumes_of(tree: Tree) -> Iterator[Volume]:
    """Yield the volumes of a device, from its first byte to its last."""
    match tree:
        case Volume():
            yield tree
        case Mirror(legs):
            for _, leg in legs:
                yield from volumes_of(leg)
        case Stripe(_, parts) | Linear(parts):
            for part in parts:
                yield from volumes_of(part)


def _tree(given: given_as.Tree, volumes: tuple[Volume, ...]) -> Tree:
    if "volume" in given:
        return volumes[given["volume"]]
    if "mirror" in given:
        legs = given["mirror"].items()
        return Mirror(tuple((name, _tree(leg, volumes)) for name, leg in legs))
    if "linear" in given:
        return Linear(tuple(_tree(part, volumes) for part in given["linear"]))
    return Stripe(given["chunk"], tuple(_tree(part, volumes) for part in given["stripe"]))


def _cluster(given: given_as.Cluster) -> Cluster:
    return Cluster(
        name=given["name"],
        nodes=tuple(given["nodes"]),
        disks=tuple(given["disks"]),
        multi_attach=given["multi_attach"],
    )
