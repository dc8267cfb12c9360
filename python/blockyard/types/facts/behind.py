"""The open loops of a run that fell behind.

Made by scripts/door_types.py from schemas/facts.schema.json, the schema of the Rust type
`Facts`, which says what each key means.
"""

from typing import Literal, TypedDict

from blockyard.types.facts.shared import LimitId, RateUnit


class Also(TypedDict):
    """A limit that stands in the way of what is due once another does not."""

    limit: LimitId
    needed: tuple[float, RateUnit]


class LimitBehindCause(TypedDict):
    """What its IOs waited for."""

    kind: Literal["limit"]
    limit: LimitId
    value: tuple[float, RateUnit] | None
    needed: float | None
    also: list[Also]
    at_least: bool


class LinkBehindCause(TypedDict):
    """A link."""

    kind: Literal["link"]
    place: int


class EventBehindCause(TypedDict):
    """An event."""

    kind: Literal["event"]
    event: int


class InFlightBehindCause(TypedDict):
    """As many were in flight as may be, at the storage's own latency."""

    kind: Literal["in_flight"]
    most: int


# Why an open loop fell behind.
BehindCause = LimitBehindCause | LinkBehindCause | EventBehindCause | InFlightBehindCause


class Behind(TypedDict):
    """An open loop that fell behind."""

    job: str
    from_s: float
    to_s: float
    due_per_s: float
    served_per_s: float
    wait_s: float
    skips: bool
    cause: BehindCause | None
