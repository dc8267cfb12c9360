"""What `result.json` says of links and mirrors.

Made by scripts/door_types.py from schemas/result.schema.json, the schema of the Rust type
`RunResult`, which says what each key means.
"""

from typing import Literal, NotRequired, TypedDict

from blockyard.types.result.shared import Held

# The backup's state.
BackupStatus = Literal["active", "disconnected", "catching_up", "primary"]


# A mirror's states.
MirrorStage = Literal[
    "trouble",
    "alone",
    "disconnected",
    "catching_up",
    "active",
    "taken_over",
    "ready",
    "primary_lost",
    "primary_back",
    "frozen",
    "thawed",
]


class MirrorTransition(TypedDict):
    """A change of a mirror's state, in order."""

    t_s: float
    to: MirrorStage


# A member's role.
MirrorRole = Literal["backup", "asynchronous"]


class MirrorMemberTotal(TypedDict):
    """Progress of the backup, then of the asynchronous members, with the journal.

    Maxima are over the ends of intervals or seconds.
    """

    host: str
    role: MirrorRole
    received_bytes: int
    lag_bytes: int
    lag_s: float
    most_lag_bytes: int
    most_lag_s: float
    backlog_bytes: int
    backlog_s: float
    most_backlog_bytes: int
    most_backlog_s: float


class JournalMirrorTotal(TypedDict):
    """The mirror of a job's journal, warm-up included."""

    job: str
    primary: str
    backup: BackupStatus
    paused_s: float
    pauses: int
    outage_s: NotRequired[float | None]
    trouble_s: float
    at_risk_bytes: int
    most_at_risk_bytes: int
    transitions: list[MirrorTransition]
    members: list[MirrorMemberTotal]


class LinkWaits(TypedDict):
    """How long messages waited, summed over them, by cause, even if no IO waited for them."""

    socket_buffer: float
    flow_control: float
    processor: float
    bandwidth: float
    down: float
    loss: float
    network: NotRequired[float]


# What messages wait for. `processor` and `bandwidth` include the time for their own packets.
LinkCause = Literal[
    "socket_buffer", "flow_control", "processor", "bandwidth", "down", "loss", "network"
]


class LinkHeld(TypedDict):
    """Extra time of jobs' IOs by one cause on a link, without the warm-up."""

    cause: LinkCause
    jobs: list[Held]


class LinkTotal(TypedDict):
    """Traffic of a link in one direction, warm-up included."""

    name: str
    from_host: str
    to_host: str
    messages: int
    packets: int
    retransmitted: int
    bytes: int
    copied_bytes: NotRequired[int]
    utilisation: float
    waited_s: LinkWaits
    most_unacknowledged: int
    most_queued: int
    held: NotRequired[list[LinkHeld]]


# What most copies of resyncs waited for, or spent the most time on.
ResyncBound = Literal["rate", "reads", "link", "writes"]


State = Literal["in sync", "degraded", "resyncing", "frozen", "split brain"]


class MirrorTotal(TypedDict):
    """A mirror of a device, warm-up included."""

    device: str
    state: State
    reads: list[int]
    log_writes: int
    at_risk_bytes: int
    most_at_risk_bytes: int
    failures: int
    lost_bytes: int
    resyncs: int
    resync_bytes: int
    resync_s: float
    resync_bound: NotRequired[ResyncBound | None]
    takeovers: NotRequired[int]
    split_brains: NotRequired[int]
    discarded_bytes: NotRequired[int]
    frozen_s: NotRequired[float]
    outage_s: NotRequired[float | None]


class PacketCpu(TypedDict):
    """Processor time of links' packets on a host, warm-up included."""

    host: str
    busy_s: float
    utilisation: float
    cores: NotRequired[int | None]
    share: NotRequired[float | None]
