"""What was found out about a run.

Made by scripts/door_types.py from schemas/findings.schema.json, the schema of the Rust type
`Findings`, which says what each key means.
"""

from typing import Literal, NotRequired, TypedDict

from blockyard.types.bill import Bill
from blockyard.types.facts import Facts, LimitId, LinkHold
from blockyard.types.result import LatencyUs


class Done(TypedDict):
    """What a job did: its IO on a device by operation, or its transactions."""

    job: str
    device: str
    op: str
    ios: int
    iops: float
    latency_us: LatencyUs | None


class Moved(TypedDict):
    """What a job did before and after a change, and which of its figures moved."""

    before: Done
    after: Done
    rate: bool
    mean: bool
    p99: bool


# Which leg serves a read.
Reads = Literal["local", "round_robin"]


# When a write is acknowledged.
Protocol = Literal["A", "B", "C"]


class OtherMirror(TypedDict):
    """A mirror that works in another way."""

    device: str
    read: NotRequired[Reads | None]
    acknowledge: NotRequired[Protocol | None]


class OpenDone(TypedDict):
    """What it does of an operation."""

    device: str
    op: str
    iops: float
    mib_per_s: float
    latency_us: LatencyUs | None


class Open(TypedDict):
    """What a replay does if its IOs come at their recorded times."""

    done: list[OpenDone]
    behind: bool


class TooLongUntried(TypedDict):
    """It would take more IOs than are simulated for advice."""

    why: Literal["too_long"]
    ios: int
    most_ios: int


class StoppedUntried(TypedDict):
    """The run was interrupted while it was tried."""

    why: Literal["stopped"]


class FailedUntried(TypedDict):
    """It could not be simulated."""

    why: Literal["failed"]
    reason: str


# Why something was not tried.
Untried = TooLongUntried | StoppedUntried | FailedUntried


class Advice(TypedDict):
    """The trials of a run: what was changed, and what that moved, with most IOs first."""

    raised: list[tuple[LimitId, list[Moved]]]
    beyond: list[tuple[LimitId, list[LimitId]]]
    links: list[tuple[LinkHold, list[Moved]]]
    mirrors: list[tuple[OtherMirror, list[Moved]]]
    without: list[tuple[str, list[Moved]]]
    open: list[tuple[str, Open]]
    idle_matter: bool | None
    untried: Untried | None


class Findings(TypedDict):
    """What was found out about a run."""

    facts: Facts
    advice: Advice | None
    bill: Bill | None
    unpriced: str | None
