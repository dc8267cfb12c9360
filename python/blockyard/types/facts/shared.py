"""What several parts of a run's facts have.

Made by scripts/door_types.py from schemas/facts.schema.json, the schema of the Rust type `Facts`,
which says what each key means.
"""

from typing import Literal, TypedDict

# What a limit counts.
Counted = Literal["ios", "bytes"]


# Which requests a limit applies to.
AppliesTo = Literal["both", "reads", "writes"]


class LimitId(TypedDict):
    """A limit of a device's volumes, of those of a leg of it, or of a host."""

    device: str | None
    leg: str | None
    host: str | None
    counts: Counted
    applies: AppliesTo
    credits: bool
    network: bool


# What a limit's value counts, as its provider states it.
RateUnit = Literal["IOPS", "MiB/s", "MB/s"]


class LimitBottleneck(TypedDict):
    """A limit throttles the IO."""

    kind: Literal["limit"]
    limit: LimitId


class LinkBottleneck(TypedDict):
    """A link of a mirror adds to the latency of the IO."""

    kind: Literal["link"]
    place: int


class EventBottleneck(TypedDict):
    """An event paused or slowed down the IO."""

    kind: Literal["event"]
    event: int


class InFlightBottleneck(TypedDict):
    """As many IOs are in flight as may be, at the storage's own latency."""

    kind: Literal["in_flight"]
    most: int


class OtherBottleneck(TypedDict):
    """What holds up a job's IO, or its transactions, and has no figures."""

    kind: Literal[
        "cpu", "reads", "writes", "log_space", "commit", "replication", "flow_control", "threads"
    ]


# What holds up a job's IO, or its transactions.
Bottleneck = (
    LimitBottleneck | LinkBottleneck | EventBottleneck | InFlightBottleneck | OtherBottleneck
)
