"""What stands in `result.json`.

Made by scripts/door_types.py from schemas/result.schema.json, the schema of the Rust type
`RunResult`, which says what each key means.
"""

from typing import Literal, NotRequired, TypedDict

from blockyard.types.result.events import (
    Event,
    EventEffect,
    EventKind,
    Outage,
    OutagePart,
    StepKind,
)
from blockyard.types.result.network import (
    BackupStatus,
    JournalMirrorTotal,
    LinkCause,
    LinkHeld,
    LinkTotal,
    LinkWaits,
    MirrorMemberTotal,
    MirrorRole,
    MirrorStage,
    MirrorTotal,
    MirrorTransition,
    PacketCpu,
    ResyncBound,
    State,
)
from blockyard.types.result.observed import (
    Caller,
    CallingThread,
    CallKind,
    EbsOp,
    EbsStatistics,
    HeavyWrites,
    IoPressure,
    Issuers,
    LostEvents,
    Observed,
    ObservedCalls,
    ObservedDevice,
    ObservedLoad,
    ObservedOp,
    ObservedProcess,
    Places,
    Source,
)
from blockyard.types.result.shared import Held, LatencyUs, Op
from blockyard.types.result.transactions import (
    EngineHalf,
    EngineIoTotal,
    EngineIoUse,
    EngineTotal,
    LagTotal,
    NodeTotal,
    Quartiles,
    ReplicationTotal,
    SpentOn,
    Spread,
    StoppedEngine,
    ThrottledBy,
    TimeSpent,
    TransactionKindTotal,
    TransactionStep,
    TransactionTotal,
)

__all__ = [
    "AmountTotal",
    "BackupStatus",
    "Behind",
    "Busy",
    "BySeed",
    "CallKind",
    "Caller",
    "CallingThread",
    "Class",
    "Cpu",
    "Cycle",
    "Direction",
    "EbsOp",
    "EbsStatistics",
    "EngineHalf",
    "EngineIoTotal",
    "EngineIoUse",
    "EngineTotal",
    "Event",
    "EventEffect",
    "EventKind",
    "Expected",
    "ExpectedRange",
    "GoalOutcome",
    "HeavyWrites",
    "Held",
    "HostNetwork",
    "IoPressure",
    "Issuers",
    "JobShare",
    "JournalMirrorTotal",
    "Kind",
    "LagTotal",
    "LatencyRange",
    "LatencyUs",
    "LimitTotal",
    "LinkCause",
    "LinkHeld",
    "LinkTotal",
    "LinkWaits",
    "LostEvents",
    "Machine",
    "MirrorMemberTotal",
    "MirrorRole",
    "MirrorStage",
    "MirrorTotal",
    "MirrorTransition",
    "Mode",
    "NodeTotal",
    "Observed",
    "ObservedCalls",
    "ObservedDevice",
    "ObservedLoad",
    "ObservedOp",
    "ObservedProcess",
    "Op",
    "OpenLoop",
    "Outage",
    "OutagePart",
    "PacketCpu",
    "Places",
    "Quartiles",
    "Range",
    "ReplayedRecording",
    "ReplayedStreams",
    "ReplicationTotal",
    "ResolvedLimit",
    "RestsOn",
    "Result",
    "ResyncBound",
    "Source",
    "SpentOn",
    "Spread",
    "State",
    "Status",
    "Step",
    "StepKind",
    "StoppedEngine",
    "StreamKind",
    "Target",
    "ThrottledBy",
    "TimeAbove",
    "TimeSpent",
    "Tool",
    "Total",
    "TotalRange",
    "TransactionKindTotal",
    "TransactionRange",
    "TransactionStep",
    "TransactionTotal",
    "Unit",
    "Verified",
    "VolumeTotal",
    "WorstSecond",
]

# The command that made the run.
Mode = Literal[
    "simulate",
    "bench",
    "emulate",
    "observe",
    "fio",
    "iostat",
    "yaspe",
    "sar",
    "diskstats",
    "prometheus",
    "cloudwatch",
    "systemperformance",
    "pgbench",
    "sysbench",
]


class Tool(TypedDict):
    """The program."""

    name: str
    version: str


# How the run ended.
Status = Literal["complete", "interrupted", "failed"]


Kind = Literal["file", "block device", "nbd export", "null"]


class Target(TypedDict):
    """A file or block device that a device was mapped to."""

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
    """Processor time of the whole process while the run was timed; none if not measured."""

    user_s: float
    system_s: float
    us_per_io: NotRequired[float | None]


class Verified(TypedDict):
    """What reading blocks back found; none without verification."""

    blocks: int
    bad: int


class Machine(TypedDict):
    """The machine of a run on real storage or an emulation; none for a simulation."""

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


Unit = Literal["IOPS", "MiB/s", "MB/s", ""]


class ResolvedLimit(TypedDict):
    """A limit of the modelled storage.

    A simulation enforces it; on real storage it is the intended one.
    """

    owner: str
    limit: str
    value: NotRequired[float | None]
    unit: Unit
    depth: NotRequired[float | None]
    source: str
    assumed: bool
    note: str


# The operations that a profile has latencies for.
Direction = Literal["read", "write"]


# Provenance of latencies, weakest first; of several the weakest counts.
Class = Literal["assumed", "yours", "fitted", "measured"]


class RestsOn(TypedDict):
    """Provenance of the figures of a modelled device's reads or writes.

    None for real storage, whose figures are measured.
    """

    device: str
    op: Direction
    profile: NotRequired[str | None]
    latencies: Class
    source: str
    note: str
    assumed_limits: NotRequired[list[str]]


class ExpectedRange(TypedDict):
    """Where 9 of 10 public measurements of a figure lie, in microseconds."""

    min: float
    max: float
    rows: int
    sources: int
    of: str


class Expected(TypedDict):
    """Where 9 of 10 public measurements lie of IO that is simulated like this."""

    at_limit: bool
    mean: NotRequired[ExpectedRange | None]
    p50: NotRequired[ExpectedRange | None]
    p99: NotRequired[ExpectedRange | None]
    p99_9: NotRequired[ExpectedRange | None]


class WorstSecond(TypedDict):
    """A second with the latencies of IOs that completed in it or, in a stall, next."""

    t_s: float
    iops: float
    latency_us: LatencyUs


class TimeAbove(TypedDict):
    """Time for which the p99 of a second exceeded a value."""

    us: float
    share: float


class Busy(TypedDict):
    """Rates of a bursty job over the intervals in which it had IO; none where all had."""

    share: float
    iops_mean: float
    iops_p98: float


class Total(TypedDict):
    """A job's IOs on a device with one operation, without the warm-up."""

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
    mean_us: NotRequired[float | None]
    expected_us: NotRequired[Expected | None]
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
    mean_us: NotRequired[float | None]
    expected_us: NotRequired[Expected | None]
    worst_second: NotRequired[WorstSecond | None]
    time_above: NotRequired[list[TimeAbove]]
    busy: NotRequired[Busy | None]


class Cycle(TypedDict):
    """One write-daemon cycle; times count from the start of the run."""

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


class AmountTotal(TypedDict):
    """A job that reads and writes an amount, such as a backup, and then is done."""

    job: str
    bytes: int
    done_bytes: int
    done_s: NotRequired[float | None]
    mib_per_s: float


class Behind(TypedDict):
    """The time in which it fell furthest behind its schedule; none if it always kept up."""

    from_s: float
    to_s: float
    due: float
    served: int
    failed: NotRequired[int]
    unserved: NotRequired[float]
    waited_s: NotRequired[float | None]
    then_failed: NotRequired[bool]


class OpenLoop(TypedDict):
    """An open-loop job against its schedule, warm-up included."""

    job: str
    offered: int
    served: int
    failed: NotRequired[int]
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
    peak_iops_1s: NotRequired[float | None]
    peak_mib_per_s_1s: NotRequired[float | None]
    peak_iops: NotRequired[float | None]
    peak_mib_per_s: NotRequired[float | None]
    seconds_throttled: dict[str, int]
    burst_balance_pct: dict[str, float]
    burst_balance_lasts_s: NotRequired[dict[str, float]]


class HostNetwork(TypedDict):
    """A host's network over all its links, warm-up included."""

    host: str
    mbit_per_s: float
    sent: float
    received: float


class JobShare(TypedDict):
    """A job's part in a limit's throttling."""

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
    resync_took: NotRequired[float | None]


class GoalOutcome(TypedDict):
    """A goal and its outcome."""

    goal: str
    met: bool
    measured: str
    assumed: NotRequired[list[str]]


class Range(TypedDict):
    """Minimum and maximum of a figure."""

    min: float
    max: float


class LatencyRange(TypedDict):
    """Ranges of latency, in microseconds."""

    mean: Range
    p50: Range
    p99: Range


class TotalRange(TypedDict):
    """Ranges of a total's figures."""

    job: str
    device: str
    op: str
    iops: Range
    latency_us: NotRequired[LatencyRange | None]


class TransactionRange(TypedDict):
    """Ranges of a job's transactions."""

    job: str
    tps: Range
    latency_us: NotRequired[LatencyRange | None]


class BySeed(TypedDict):
    """Simulation.

    Ranges over several seeds, while all else is of the result's own seed; none with one seed.
    """

    seeds: int
    totals: list[TotalRange]
    transactions: NotRequired[list[TransactionRange]]
    goals_met: list[int]


# A stream.
StreamKind = Literal["thread", "chain", "region"]


class ReplayedStreams(TypedDict):
    """The share of its streams that a job replays."""

    are: StreamKind
    replayed: int
    recorded: int
    recorded_ios: int


class ReplayedRecording(TypedDict):
    """What a job replays."""

    job: str
    ios: int
    digest: str
    undecided: bool
    streams: NotRequired[ReplayedStreams | None]


class Result(TypedDict):
    """A whole result."""

    schema: NotRequired[str]
    mode: Mode
    by_interval_s: NotRequired[float | None]
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
    amounts: NotRequired[list[AmountTotal]]
    transactions: NotRequired[list[TransactionTotal]]
    open_loop: list[OpenLoop]
    volumes: list[VolumeTotal]
    hosts: list[VolumeTotal]
    links: NotRequired[list[LinkTotal]]
    host_networks: NotRequired[list[HostNetwork]]
    packet_cpu: NotRequired[list[PacketCpu]]
    mirrors: NotRequired[list[MirrorTotal]]
    journal_mirrors: NotRequired[list[JournalMirrorTotal]]
    limits: list[LimitTotal]
    lateness_us: NotRequired[LatencyUs | None]
    events: NotRequired[list[Event]]
    goals: list[GoalOutcome]
    by_seed: NotRequired[BySeed | None]
    recordings: NotRequired[list[ReplayedRecording]]
    observed: NotRequired[Observed | None]
