"""What stands in `result.json`.

Made by scripts/result_types.py from schemas/result.schema.json, the schema of the Rust type
`RunResult`: docs/reference/results.md says what each key means.
"""

from typing import Literal, NotRequired, TypedDict

Kind = Literal["file", "block device", "nbd export", "null"]
Unit = Literal["IOPS", "MiB/s", "MB/s", ""]
Op = Literal["read", "write", "flush", "trim"]
Cause = Literal["socket_buffer", "flow_control", "processor", "bandwidth", "down", "loss"]
State = Literal["in sync", "degraded", "resyncing"]


# Which of the ways a run was made in.
Mode = Literal["simulate", "bench", "emulate", "fio", "iostat", "yaspe"]


class Tool(TypedDict):
    """The program that made a result."""

    name: str
    version: str


# How a run ended.
Status = Literal["complete", "interrupted", "failed"]


class Target(TypedDict):
    """A file or block device that a run used."""

    device: str
    path: str
    kind: Kind
    backing: NotRequired[str | None]
    size_bytes: int
    direct: bool
    file_system: NotRequired[str | None]
    mount_options: NotRequired[str | None]
    block_device: NotRequired[str | None]
    model: NotRequired[str | None]
    scheduler: NotRequired[str | None]
    queue_requests: NotRequired[int | None]
    logical_block_bytes: NotRequired[int | None]
    rotational: NotRequired[bool | None]


class Cpu(TypedDict):
    """Processor time of the whole process while the run was timed."""

    user_s: float
    system_s: float
    us_per_io: NotRequired[float | None]


class Verified(TypedDict):
    """What was found when blocks were read back."""

    blocks: int
    bad: int


class Machine(TypedDict):
    """The machine of a run on real storage."""

    started: str
    kernel: str
    processor: str
    processors: int
    engine: str
    threads: int
    targets: list[Target]
    cpu: NotRequired[Cpu | None]
    verified: NotRequired[Verified | None]
    overhead_us: NotRequired[float | None]
    steady_s: NotRequired[float | None]


class ResolvedLimit(TypedDict):
    """A limit in force."""

    owner: str
    limit: str
    value: NotRequired[float | None]
    unit: Unit
    depth: NotRequired[float | None]
    source: str
    assumed: bool
    note: str


# The operations that a profile has latencies of.
Direction = Literal["read", "write"]


# What latencies rest on. Of several the first in this order counts: the weakest.
Class = Literal["assumed", "yours", "fitted", "measured"]


class RestsOn(TypedDict):
    """What the figures of a device's reads or writes rest on."""

    device: str
    op: Direction
    profile: NotRequired[str | None]
    latencies: Class
    source: str
    note: str
    assumed_limits: NotRequired[list[str]]


class LatencyUs(TypedDict):
    """Latencies in microseconds."""

    mean: float
    p50: float
    p95: float
    p99: float
    p99_9: float
    max: float


class WorstSecond(TypedDict):
    """A second of a run, with the latencies of what completed in it or, in a stall, next."""

    t_s: float
    iops: float
    latency_us: LatencyUs


class TimeAbove(TypedDict):
    """For how long the p99 of a second was above a value."""

    us: float
    share: float


class Busy(TypedDict):
    """Rates of a job that works in bursts, over the intervals in which it had IO."""

    share: float
    iops_mean: float
    iops_p98: float


class Total(TypedDict):
    """What a job did on a device with one operation."""

    job: str
    device: str
    op: Op
    ios: int
    bytes: int
    iops: float
    mib_per_s: float
    peak_iops: float
    errors: int
    latency_us: NotRequired[LatencyUs | None]
    worst_second: NotRequired[WorstSecond | None]
    time_above: NotRequired[list[TimeAbove]]
    busy: NotRequired[Busy | None]


class Step(TypedDict):
    """A total over one load step."""

    step: int
    from_s: float
    to_s: float
    processes: NotRequired[int | None]
    rate: NotRequired[int | None]
    job: str
    device: str
    op: Op
    ios: int
    bytes: int
    iops: float
    mib_per_s: float
    peak_iops: float
    errors: int
    latency_us: NotRequired[LatencyUs | None]
    worst_second: NotRequired[WorstSecond | None]
    time_above: NotRequired[list[TimeAbove]]
    busy: NotRequired[Busy | None]


class Cycle(TypedDict):
    """One write-daemon cycle, in seconds from the start of the run."""

    job: str
    start_s: float
    listed_s: float
    wij_done_s: float
    journal_done_s: float
    database_done_s: float
    end_s: float
    blocks: NotRequired[int]
    wij_bytes: NotRequired[int]
    database_ios: NotRequired[int]
    database_bytes: NotRequired[int]


class TransactionKindTotal(TypedDict):
    """The transactions of a kind."""

    kind: str
    count: int
    tps: float
    latency_us: NotRequired[LatencyUs | None]


class TransactionStep(TypedDict):
    """The transactions of a load step."""

    step: int
    from_s: float
    to_s: float
    threads: NotRequired[int | None]
    rate: NotRequired[int | None]
    count: int
    tps: float
    latency_us: NotRequired[LatencyUs | None]


# What a transaction's time is spent on.
SpentOn = Literal[
    "thread",
    "core",
    "cpu",
    "free_page",
    "page_read",
    "log_space",
    "commit",
    "replication",
    "flow_control",
]


class TimeSpent(TypedDict):
    """A part of the transactions' time."""

    on: SpentOn
    ms: float
    share: float


# What an engine's IO is for.
EngineIoUse = Literal["page_read", "page_write", "log"]


class ThrottledBy(TypedDict):
    """A limit that throttled an engine's IO."""

    owner: str
    limit: str
    share: float


class EngineIoTotal(TypedDict):
    """An engine's IO for one purpose."""

    purpose: EngineIoUse
    ios: int
    mean_us: float
    throttled: NotRequired[list[ThrottledBy]]


class Quartiles(TypedDict):
    """A box plot's five figures."""

    min: float
    q1: float
    median: float
    q3: float
    max: float


class Spread(TypedDict):
    """Over stretches of five seconds, each with its own figures."""

    count: int
    tps: Quartiles
    p99_us: Quartiles


class EngineTotal(TypedDict):
    """What an engine with a buffer pool did."""

    hit_ratio: float
    reads_per_transaction: float
    writes_per_transaction: float
    bytes_per_transaction: float
    doublewrite_bytes_per_transaction: float
    log_bytes_per_transaction: float
    binlog_bytes_per_transaction: float
    checkpoints: int
    peak_dirty_pages: int
    peak_checkpoint_age: int


class NodeTotal(TypedDict):
    """A node that applies the write sets of another."""

    host: str
    applied: int
    longest_queue: int
    queued: int
    stopped_s: float
    reads_per_write_set: float
    writes_per_write_set: float
    time: list[TimeSpent]
    io: NotRequired[list[EngineIoTotal]]


class ReplicationTotal(TypedDict):
    """Write sets that a group of nodes replicates, without the warm-up."""

    write_sets: int
    bytes_per_write_set: float
    pauses: int
    paused_s: float
    nodes: list[NodeTotal]


class TransactionTotal(TypedDict):
    """The transactions of an `oltp` job, without the warm-up."""

    job: str
    count: int
    tps: float
    latency_us: NotRequired[LatencyUs | None]
    waiting: NotRequired[int]
    kinds: NotRequired[list[TransactionKindTotal]]
    steps: list[TransactionStep]
    time: list[TimeSpent]
    io: NotRequired[list[EngineIoTotal]]
    by_5s: NotRequired[Spread | None]
    engine: NotRequired[EngineTotal | None]
    replication: NotRequired[ReplicationTotal | None]


class Behind(TypedDict):
    """A time in which an open loop fell behind its schedule."""

    from_s: float
    to_s: float
    due: float
    served: int


class OpenLoop(TypedDict):
    """An open-loop job against its schedule, warm-up included."""

    job: str
    offered: int
    served: int
    backlog: int
    late: int
    skipped: int
    lag_us: NotRequired[LatencyUs | None]
    own_lag_s: NotRequired[float]
    behind: NotRequired[Behind | None]


class VolumeTotal(TypedDict):
    """What a volume, or a host over its volumes, served."""

    name: str
    ios: int
    bytes: int
    peak_iops_1s: float
    peak_mib_per_s_1s: float
    seconds_throttled: dict[str, int]
    burst_balance_pct: dict[str, float]
    burst_balance_lasts_s: NotRequired[dict[str, float]]


class LinkWaits(TypedDict):
    """What messages waited for, in seconds summed over them."""

    socket_buffer: float
    flow_control: float
    processor: float
    bandwidth: float
    down: float
    loss: float


class Held(TypedDict):
    """How long the IOs of a job were held by something that is no limit."""

    job: str
    waited_s: float
    lag_s: float


class LinkHeld(TypedDict):
    """What a cause on a link held."""

    cause: Cause
    jobs: list[Held]


class LinkTotal(TypedDict):
    """What went over a link in one direction, warm-up included."""

    name: str
    from_host: str
    to_host: str
    messages: int
    packets: int
    retransmitted: int
    bytes: int
    utilisation: float
    waited_s: LinkWaits
    most_unacknowledged: int
    most_queued: int
    held: NotRequired[list[LinkHeld]]


class PacketCpu(TypedDict):
    """What the packets of links took of a host's processors, warm-up included."""

    host: str
    busy_s: float
    utilisation: float
    cores: NotRequired[int | None]
    share: NotRequired[float | None]


class MirrorTotal(TypedDict):
    """How a mirror fared, warm-up included."""

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


# How the backup stands to the primary.
BackupStatus = Literal["active", "disconnected", "catching_up", "primary"]


# What can become of a mirror.
MirrorStage = Literal[
    "trouble", "alone", "disconnected", "catching_up", "active", "taken_over", "ready"
]


class MirrorTransition(TypedDict):
    """Something that became of a mirror."""

    t_s: float
    to: MirrorStage


# What a member of a mirror is.
MirrorRole = Literal["backup", "asynchronous"]


class MirrorMemberTotal(TypedDict):
    """How far a member was with the journal. A most is that of the ends of intervals or seconds."""

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
    """How the mirror of a job's journal fared, warm-up included."""

    job: str
    primary: str
    backup: BackupStatus
    paused_s: float
    pauses: int
    trouble_s: float
    at_risk_bytes: int
    most_at_risk_bytes: int
    transitions: list[MirrorTransition]
    members: list[MirrorMemberTotal]


class JobShare(TypedDict):
    """A job's part in what a limit did."""

    job: str
    throttled_s: float
    lag_s: NotRequired[float]
    took: float


class LimitTotal(TypedDict):
    """How long a limit throttled IOs, and whose requests took its tokens meanwhile."""

    owner: str
    limit: str
    throttled_ios: int
    throttled_s: float
    lag_s: NotRequired[float]
    share: float
    jobs: list[JobShare]


# What kind of event it is: a scenario's, or what was done to a running emulation.
EventKind = Literal[
    "fail",
    "cut",
    "pause",
    "degrade",
    "modify",
    "grow",
    "failover",
    "switch",
    "add",
    "trouble",
    "catch_up",
    "takeover",
    "fault",
    "set",
    "note",
]


# What an outage of a cluster consists of.
StepKind = Literal[
    "detection", "stop", "no_node", "fencing", "detach", "attach", "import", "recovery", "start"
]


class OutagePart(TypedDict):
    """A part of an outage."""

    step: StepKind
    t_s: float
    length_s: float
    assumed: bool


class Outage(TypedDict):
    """A time without a node that had a cluster's disks; its parts add up to it."""

    from_node: str
    to_node: NotRequired[str | None]
    total_s: float
    parts: list[OutagePart]


class EventEffect(TypedDict):
    """What an event did to its devices' IO, of all jobs together."""

    outage_s: float
    recovered_s: NotRequired[float | None]
    failed_ios: int
    iops_before: NotRequired[float | None]
    iops_during: NotRequired[float | None]
    iops_after: NotRequired[float | None]


class Event(TypedDict):
    """Something that happened to the storage or the jobs while they ran."""

    t_s: float
    what: str
    kind: NotRequired[EventKind]
    on: NotRequired[str | None]
    until_s: NotRequired[float | None]
    outage: NotRequired[Outage | None]
    effect: NotRequired[EventEffect | None]
    held: NotRequired[list[Held]]


class GoalOutcome(TypedDict):
    """A goal and what became of it."""

    goal: str
    met: bool
    measured: str
    assumed: NotRequired[list[str]]


class Range(TypedDict):
    """The least and the most of a figure."""

    least: float
    most: float


class LatencyRange(TypedDict):
    """Between what latencies lie, in microseconds."""

    mean: Range
    p50: Range
    p99: Range


class TotalRange(TypedDict):
    """Between what the figures of a total lie."""

    job: str
    device: str
    op: str
    iops: Range
    latency_us: NotRequired[LatencyRange | None]


class BySeed(TypedDict):
    """What the scenario came to with several seeds. All else in a result is of its own seed."""

    seeds: int
    totals: list[TotalRange]
    goals_met: list[int]


class Result(TypedDict):
    """A whole result."""

    schema: NotRequired[str]
    mode: Mode
    tool: NotRequired[Tool]
    scenario: str
    seed: int
    random: NotRequired[str]
    duration_s: float
    status: Status
    reason: NotRequired[str | None]
    machine: NotRequired[Machine | None]
    resolved: list[ResolvedLimit]
    rests_on: NotRequired[list[RestsOn]]
    notices: NotRequired[list[str]]
    totals: list[Total]
    steps: list[Step]
    cycles: list[Cycle]
    transactions: NotRequired[list[TransactionTotal]]
    open_loop: list[OpenLoop]
    volumes: list[VolumeTotal]
    hosts: list[VolumeTotal]
    links: NotRequired[list[LinkTotal]]
    packet_cpu: NotRequired[list[PacketCpu]]
    mirrors: NotRequired[list[MirrorTotal]]
    journal_mirrors: NotRequired[list[JournalMirrorTotal]]
    limits: list[LimitTotal]
    lateness_us: NotRequired[LatencyUs | None]
    events: NotRequired[list[Event]]
    goals: list[GoalOutcome]
    by_seed: NotRequired[BySeed | None]
