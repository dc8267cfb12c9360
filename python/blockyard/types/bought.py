"""What is bought of a layout.

Made by scripts/door_types.py from schemas/bought.schema.json, the schema of the Rust type `Bought`,
which says what each key means.
"""

from typing import TypedDict


class Order(TypedDict):
    """A volume that is bought."""

    name: str
    device: str
    index: int
    role: str
    host: str
    type: str
    gib: int
    iops: int | None
    mib_per_s: int | None
    multi_attach: bool
    attached: dict[str, str]


class Watch(TypedDict):
    """What is watched of a layout, and how its policy of snapshots is called."""

    volume_checks: dict[str, int]
    instance_checks: dict[str, int]
    stalled: str
    balance: str
    balance_left: int
    with_balance: list[str]
    snapshot_tag: str
    snapshot_hours: list[int]
    policy_description: str


class Bought(TypedDict):
    """What is bought of a layout, and how it is watched."""

    orders: list[Order]
    hosts: list[str]
    remarks: list[str]
    watch: Watch
