"""What stands in `result.json`, as far as Python reads it.

The Rust type `RunResult` is the schema; a test holds the names here to it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NotRequired, TypedDict, get_args

Unit = Literal["IOPS", "MiB/s", "MB/s"]
# Of a limit that is not published, there is none.
NoUnit = Literal[""]
Kind = Literal["file", "block device", "nbd export", "null"]


class LatencyUs(TypedDict):
    """Latencies in microseconds."""

    mean: float
    p50: float
    p95: float
    p99: float
    p99_9: float
    max: float


class Total(TypedDict):
    """What a job did on a device with one operation."""

    job: str
    device: str
    op: str
    ios: int
    bytes: int
    iops: float
    mib_per_s: float
    peak_iops: float
    errors: int
    latency_us: LatencyUs | None


class Step(Total):
    """A total over one load step."""

    step: int
    from_s: float
    to_s: float
    processes: int | None
    rate: int | None


class ResolvedLimit(TypedDict):
    """A limit in force, or one that real storage was meant to have."""

    owner: str
    limit: str
    value: float | None
    unit: Unit | NoUnit


class JobShare(TypedDict):
    """A job's part in a limit's account."""

    job: str
    held_s: float
    took: float


class LimitAccount(TypedDict):
    """How long a limit held IOs."""

    owner: str
    limit: str
    held_ios: int
    held_s: float
    share: float
    jobs: list[JobShare]


class Cycle(TypedDict):
    """One write-daemon cycle: when its phases ended."""

    job: str
    start_s: float
    listed_s: float
    wij_done_s: float
    journal_done_s: float
    database_done_s: float
    end_s: float


class VolumeTotal(TypedDict):
    """What a volume, or the host over its volumes, served."""

    name: str
    ios: int
    bytes: int
    peak_iops_1s: float
    peak_mib_per_s_1s: float


class GoalOutcome(TypedDict):
    """A goal and what became of it."""

    goal: str
    met: bool
    measured: str


class OpenLoop(TypedDict):
    """An open-loop job against its schedule."""

    job: str
    offered: int
    served: int
    backlog: int
    late: int
    skipped: int
    lag_us: LatencyUs | None


class Target(TypedDict):
    """A file or block device that a run used."""

    device: str
    path: str
    kind: Kind
    backing: NotRequired[str]
    direct: bool
    file_system: str | None
    block_device: str | None
    model: str | None


class Cpu(TypedDict):
    """Processor time of a run."""

    user_s: float
    system_s: float
    us_per_io: float | None


class Verified(TypedDict):
    """What was found when blocks were read back."""

    blocks: int
    bad: int


class Machine(TypedDict):
    """Where a run on real storage took place."""

    started: str
    kernel: str
    processor: str
    processors: int
    engine: str
    threads: int
    targets: list[Target]
    cpu: Cpu | None
    verified: Verified | None
    floor_us: NotRequired[float]
    steady_s: float | None


class Event(TypedDict):
    """Something that was done to the storage while it ran."""

    t_s: float
    what: str


class Result(TypedDict):
    """A whole result."""

    scenario: str
    seed: int
    duration_s: float
    # The last three are of files of other programs.
    mode: Literal["simulate", "bench", "emulate", "fio", "iostat", "yaspe"]
    status: Literal["complete", "interrupted", "failed"]
    reason: str | None
    machine: Machine | None
    resolved: list[ResolvedLimit]
    totals: list[Total]
    steps: list[Step]
    cycles: list[Cycle]
    open_loop: list[OpenLoop]
    volumes: list[VolumeTotal]
    hosts: list[VolumeTotal]
    limits: list[LimitAccount]
    lateness_us: NotRequired[LatencyUs]
    events: NotRequired[list[Event]]
    notices: NotRequired[list[str]]
    goals: list[GoalOutcome]


_OPS = ("read", "write", "flush", "trim")

# Where a value is one of a few words.
_WORDS = {
    ("resolved", "unit"): (*get_args(Unit), *get_args(NoUnit)),
    ("totals", "op"): _OPS,
    ("steps", "op"): _OPS,
    ("machine", "targets", "kind"): get_args(Kind),
}


def unknown_words(result: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the words of a result that keeps to its schema, each in one line."""
    for path, words in _WORDS.items():
        yield from _unknown(result, path, words)


def _unknown(value: Any, path: Sequence[str], words: Sequence[str], at: str = "") -> Iterator[str]:
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from _unknown(item, path, words, f"{at}[{number}]")
    elif path and value is not None:
        yield from _unknown(value[path[0]], path[1:], words, f"{at}.{path[0]}".lstrip("."))
    elif not path and value not in words:
        named = [word for word in words if word]
        yield f"{at}: `{value}`; expected {', '.join(named[:-1])} or {named[-1]}"
