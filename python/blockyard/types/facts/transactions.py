"""What binds the transactions of a run.

Made by scripts/door_types.py from schemas/facts.schema.json, the schema of the Rust type `Facts`,
which says what each key means.
"""

from typing import Literal, TypedDict

from blockyard.types.facts.shared import Bottleneck


class BoundPart(TypedDict):
    """A part of the transactions' time."""

    by: Bottleneck
    share: float


class Short(TypedDict):
    """How far an open loop falls behind."""

    due_per_s: float
    done_per_s: float
    wait_s: float


# What takes its time to settle.
Settling = Literal["dirty_pages", "checkpoint_age", "hit_ratio"]


class Unsettled(TypedDict):
    """What had not settled."""

    what: Settling
    before: float
    after: float


class Bound(TypedDict):
    """What binds the transactions of a job."""

    job: str
    by: Bottleneck | None
    more_threads: bool
    parts: list[BoundPart]
    short: Short | None
    unsettled: list[Unsettled]
