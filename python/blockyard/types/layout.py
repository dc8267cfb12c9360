"""The layout of a scenario at its start.

Made by scripts/door_types.py from schemas/layout.schema.json, the schema of the Rust type `Layout`,
which says what each key means.
"""

from typing import NotRequired, TypedDict


class Host(TypedDict):
    """A host."""

    name: str
    instance: str | None
    zone: str | None
    attachments: int | None
    architecture: str | None
    platform: str | None
    sustained: int | None


class Volume(TypedDict):
    """A volume as it is ordered."""

    name: str
    device: str
    host: str
    type: str
    size: int
    iops: int | None
    throughput: int | None
    sustained: int | None
    optimising_s: int
    local: bool
    sold: bool


class Tree(TypedDict):
    """What a device is made of: one of a volume, a stripe, parts one after another and a mirror."""

    volume: NotRequired[int]
    stripe: NotRequired[list["Tree"]]
    chunk: NotRequired[int]
    linear: NotRequired[list["Tree"]]
    mirror: NotRequired[dict[str, "Tree"]]


class Device(TypedDict):
    """A device of the scenario."""

    name: str
    size: int
    layout: Tree


class Cluster(TypedDict):
    """Hosts that share devices, which one of them uses at a time."""

    name: str
    nodes: list[str]
    disks: list[str]
    multi_attach: bool


class Settings(TypedDict):
    """How the server of a database under updates is configured."""

    size: int
    block: int
    cache: int
    asyncwij: int
    wij_size: int
    journal_size: int
    daemons: int
    outstanding: int
    per_daemon: int


class Files(TypedDict):
    """What a job, or a member of its mirror, has on which device."""

    job: str
    kind: str
    on: dict[str, str]
    member: str | None
    settings: Settings | None


class Modifications(TypedDict):
    """How often a volume may be modified while it is in use; what is not limited is none."""

    apart_s: int | None
    most: int | None
    within_s: int | None


class Layout(TypedDict):
    """The layout at the start.

    Sizes in bytes, throughputs in bytes a second. Volumes that events add are left out.
    """

    name: str
    hosts: list[Host]
    volumes: list[Volume]
    devices: list[Device]
    clusters: list[Cluster]
    files: list[Files]
    events: int
    modifications: Modifications
