"""What binds the transactions of a run.

Made by scripts/door_types.py from schemas/facts.schema.json, the schema of the Rust type
`Facts`, which says what each key means.
"""

from typing import Literal, TypedDict

from blockyard.types.facts.shared import LimitId


class LimitBinding(TypedDict):
    """A limit throttles the IO that they wait for."""

    kind: Literal["limit"]
    limit: LimitId


class OtherBinding(TypedDict):
    """What holds transactions, and has no figures."""

    kind: Literal[
        "cpu", "reads", "writes", "log_space", "commit", "replication", "flow_control", "threads"
    ]


class EventBinding(TypedDict):
    """An event paused or slowed down what their IO was for."""

    kind: Literal["event"]
    event: int


class LinkBinding(TypedDict):
    """A link of a mirror added to the latency of their IO."""

    kind: Literal["link"]
    place: int


# What holds transactions.
Binding = LimitBinding | OtherBinding | EventBinding | LinkBinding


class BoundPart(TypedDict):
    """A part of the transactions' time."""

    by: Binding
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
    by: Binding | None
    more_threads: bool
    parts: list[BoundPart]
    short: Short | None
    unsettled: list[Unsettled]
