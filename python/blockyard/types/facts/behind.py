"""The open loops of a run that fell behind.

Made by scripts/door_types.py from schemas/facts.schema.json, the schema of the Rust type `Facts`,
which says what each key means.
"""

from typing import TypedDict

from blockyard.types.facts.shared import Bottleneck, LimitId, RateUnit


class Also(TypedDict):
    """A limit that stands in the way of what is due once another does not."""

    limit: LimitId
    needed: tuple[float, RateUnit]


class Takes(TypedDict):
    """What it takes of limits to serve all that is due."""

    value: tuple[float, RateUnit] | None
    needed: float | None
    also: list[Also]
    at_least: bool


class Behind(TypedDict):
    """An open loop that fell behind."""

    job: str
    from_s: float
    to_s: float
    due_per_s: float
    served_per_s: float
    failed_per_s: float
    wait_s: float
    then_failed: bool
    skips: bool
    cause: Bottleneck | None
    takes: Takes | None
