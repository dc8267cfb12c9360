"""The instance types of the catalog.

Made by scripts/door_types.py from schemas/catalog-instances.schema.json, the schema of the Rust
type `Vec<InstanceType>`, which says what each key means.
"""

from typing import TypedDict

from blockyard.types.catalog_volumes import Date


class Rate(TypedDict):
    """A level of an instance's EBS limits."""

    iops: int
    mbps: int
    mb_per_s: float


class InstanceType(TypedDict):
    """One instance type."""

    type: str
    vcpu: int
    memory_mib: int
    nitro: bool
    baseline: Rate | None
    maximum: Rate | None
    instance_store: str
    disk_iops: tuple[int, int] | None
    disk_mib_per_s: tuple[float, float] | None
    disk_mib_per_s_assumed_as: str | None
    observed: Date
    source: str
    assumed: bool


InstanceTypes = list[InstanceType]
