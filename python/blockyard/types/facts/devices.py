"""The devices of a run, and the limits in force over them.

Made by scripts/door_types.py from schemas/facts.schema.json, the schema of the Rust type `Facts`,
which says what each key means.
"""

from typing import Literal, TypedDict

from blockyard.types.facts.shared import LimitId


class Leg(TypedDict):
    """The volumes of a device, or of a leg of it if it is a mirror."""

    name: str | None
    volumes: list[str]
    host: str
    behind_host: bool


class InForce(TypedDict):
    """A limit over a device, interval by interval."""

    limit: LimitId
    per_s: list[float | None]


Acknowledge = Literal["A", "B", "C"]


class Mirroring(TypedDict):
    """How a mirror over a link works."""

    acknowledge: Acknowledge
    reads_both: bool


class Device(TypedDict):
    """A device of a run's scenario."""

    name: str
    legs: list[Leg]
    in_force: list[InForce]
    mirror: Mirroring | None
