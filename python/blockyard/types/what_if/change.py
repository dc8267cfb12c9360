"""Changes of a layout that are tried.

Made by scripts/door_types.py from schemas/what-if.schema.json, the schema of the Rust type
`Alternatives`, which says what each key means.
"""

from typing import Literal, TypedDict

# One volume more in each stripe of a device; a single volume becomes a stripe of two with a chunk
# of 4 MiB.
VolumesChange = TypedDict(
    "VolumesChange", {"kind": Literal["volumes"], "device": str, "from": int, "to": int}
)


# More IOPS on each volume of a device.
IopsChange = TypedDict(
    "IopsChange", {"kind": Literal["iops"], "device": str, "volumes": int, "from": int, "to": int}
)


# Larger volumes of a type whose IOPS or throughput come with its size, for as much more of these.
SizeChange = TypedDict(
    "SizeChange", {"kind": Literal["size"], "device": str, "volumes": int, "from": int, "to": int}
)


# More throughput on each volume of a device.
ThroughputChange = TypedDict(
    "ThroughputChange",
    {"kind": Literal["throughput"], "device": str, "volumes": int, "from": int, "to": int},
)


# What there is more of on a volume.
Amount = Literal["iops", "size", "throughput"]


# What a change makes of the volumes that are written in one place of a device.
Part = TypedDict("Part", {"place": str, "volumes": int, "of": Amount, "from": int, "to": int})


class PartsChange(TypedDict):
    """More on the volumes of a device of which not all can have the same."""

    kind: Literal["parts"]
    device: str
    parts: list[Part]


# The next size of an instance family.
InstanceChange = TypedDict(
    "InstanceChange",
    {"kind": Literal["instance"], "host": str | None, "from": str, "to": str | None},
)


# Volumes of another type, with as many IOPS and as much throughput as they have now for as long as
# the load lasts, or the most that the type can have.
TypeChange = TypedDict(
    "TypeChange",
    {
        "kind": Literal["type"],
        "device": str,
        "volumes": int,
        "from": str,
        "to": str,
        "iops": int | None,
        "throughput": int | None,
        "size": int | None,
    },
)


class JournalChange(TypedDict):
    """io2 for the journal alone: what its device is made of, or a device of its own."""

    kind: Literal["journal"]
    job: str
    device: str
    apart: bool


# A change of a layout.
Change = (
    VolumesChange
    | IopsChange
    | SizeChange
    | ThroughputChange
    | PartsChange
    | InstanceChange
    | TypeChange
    | JournalChange
)
