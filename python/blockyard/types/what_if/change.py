"""Changes of a layout that are tried.

Made by scripts/door_types.py from schemas/what-if.schema.json, the schema of the Rust type
`Alternatives`, which says what each key means.
"""

from typing import Literal, TypedDict

# More or fewer volumes in each stripe of a device; a single volume becomes a stripe of two with a
# chunk of 4 MiB.
VolumesChange = TypedDict(
    "VolumesChange",
    {"kind": Literal["volumes"], "device": str, "from": int, "to": int, "size": int | None},
)


# More or fewer IOPS on each volume of a device.
IopsChange = TypedDict(
    "IopsChange", {"kind": Literal["iops"], "device": str, "volumes": int, "from": int, "to": int}
)


# Larger or smaller volumes of a type whose IOPS or throughput come with its size.
SizeChange = TypedDict(
    "SizeChange", {"kind": Literal["size"], "device": str, "volumes": int, "from": int, "to": int}
)


# More or less throughput on each volume of a device.
ThroughputChange = TypedDict(
    "ThroughputChange",
    {"kind": Literal["throughput"], "device": str, "volumes": int, "from": int, "to": int},
)


# What there is more or less of on a volume.
Amount = Literal["iops", "size", "throughput"]


# What a change makes of the volumes that are written in one place of a device.
Part = TypedDict("Part", {"place": str, "volumes": int, "of": Amount, "from": int, "to": int})


class PartsChange(TypedDict):
    """More or less on the volumes of a device of which not all can have the same."""

    kind: Literal["parts"]
    device: str
    parts: list[Part]


# Another instance: the next larger of its family, a smaller one, or a cheaper one of another
# family.
InstanceChange = TypedDict(
    "InstanceChange",
    {"kind": Literal["instance"], "host": str | None, "from": str, "to": str | None},
)


# Volumes of another type, with the IOPS and the throughput that the load takes in its busiest
# second and a tenth free, or the most that the type can have. Where limits throttle closed loops
# nobody knows what these would take: then with what the type comes with, twice and four times that.
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


# Another setting of what a job replicates to, or of a mirror.
SettingChange = TypedDict(
    "SettingChange",
    {
        "kind": Literal["setting"],
        "job": str,
        "key": str,
        "from": str | None,
        "to": str | None,
        "weaker": bool,
    },
)


# One more node of what a job replicates to, like the last one.
NodeChange = TypedDict(
    "NodeChange",
    {"kind": Literal["node"], "job": str, "host": str, "zone": str | None, "from": int, "to": int},
)


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
    | SettingChange
    | NodeChange
)
