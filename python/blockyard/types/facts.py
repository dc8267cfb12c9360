"""What the figures of a run say of its limits, as Rust works it out (`crates/explain`).

Reports put facts into words and charts. A limit is told by its fields here, never by its
name.
"""

from typing import Literal, TypedDict

from blockyard.types.network_facts import EventHold, LinkHold
from blockyard.types.result import Unit

# A figure with its unit.
Value = tuple[float, Unit]

# What a limit counts.
Counted = Literal["ios", "bytes"]


class LimitId(TypedDict):
    """Which limit."""

    # The device over whose volumes it lies; None for a host's.
    device: str | None
    # The leg of it, of a mirror whose legs have unlike limits; None where it is of all of it.
    leg: str | None
    # The host over whose volumes it lies, `host` if it has no name; None for a device's.
    host: str | None
    counts: Counted
    applies: Literal["both", "reads", "writes"]
    # Whether it is the rate at which burst credits flow in, all that is left without them.
    credits: bool
    # Whether it is the host's network, over which links go too.
    network: bool


class ClosedLoad(TypedDict):
    """Processes that wait for their IO; of load steps the fewest and the most, but for none."""

    kind: Literal["closed"]
    processes: tuple[int, int]
    # IOs in flight of each.
    outstanding: int


class OpenLoad(TypedDict):
    """IOs that are due by the clock; of load steps the fewest and the most, but for none."""

    kind: Literal["open"]
    per_s: tuple[int, int]


class DatabaseLoad(TypedDict):
    """A database's updates, which write daemons write out."""

    kind: Literal["database"]
    # Of load steps the fewest and the most, but for none.
    processes: tuple[int, int]
    # Of the most processes together.
    updates_per_s: int


class TransactionsLoad(TypedDict):
    """Transactions of an engine; of load steps the fewest and the most, but for none."""

    kind: Literal["transactions"]
    threads: tuple[int, int]
    # How many come due in a second; None where each thread begins one when its last has ended.
    per_s: tuple[int, int] | None


class JobLoad(TypedDict):
    """What a job was to do."""

    job: str
    load: ClosedLoad | OpenLoad | DatabaseLoad | TransactionsLoad


class Usage(TypedDict):
    """What IO took of a limit, in its unit, without the warm-up."""

    mean: float
    # In the best interval; None on real storage.
    peak: float | None


class Limit(TypedDict):
    """A limit with its value: of a device or a leg of one, over its volumes together."""

    limit: LimitId
    value: float
    unit: Unit
    # None where that is not recorded.
    used: Usage | None


class InForce(TypedDict):
    """A limit over a device, interval by interval."""

    limit: LimitId
    # IOs or bytes a second: one value, or if it changed one for each interval; None of one in
    # which it did not hold.
    per_s: list[float | None]


class Mirroring(TypedDict):
    """How a mirror over a link works."""

    acknowledge: Literal["A", "B", "C"]
    # Whether both legs serve reads, in turn.
    reads_both: bool


class Leg(TypedDict):
    """The volumes of a device, or of a leg of it if it is a mirror."""

    # None of what is no mirror.
    name: str | None
    volumes: list[str]
    # The host that they are attached to, and whether all their IO passes the host's limits.
    host: str
    behind_host: bool


class Device(TypedDict):
    """A device of a run's scenario."""

    name: str
    # Of what is no mirror one.
    legs: list[Leg]
    # Its own limits or those of its legs, then their hosts'.
    in_force: list[InForce]
    # None of what is no mirror over a link.
    mirror: Mirroring | None


class WriteDaemons(TypedDict):
    """The write-daemon cycles of a job."""

    job: str
    # The longest time from the start of one to the next.
    every_s: float
    # From when on one calls for an alert.
    alert_s: float
    cycles: int
    # Those that took longer than `every_s`.
    over: int
    longest_s: float


class Also(TypedDict):
    """A limit, and the value from which on it lets through all that is due."""

    limit: LimitId
    needed: Value


class LimitCause(TypedDict):
    """A limit is why an open loop fell behind."""

    kind: Literal["limit"]
    limit: LimitId
    value: Value | None
    # From which value on it lets through all that is due.
    needed: float | None
    # Limits that stand in the way once this one does not.
    also: list[Also]
    # Whether it takes more than that, as closed loops wait for it too.
    at_least: bool


class LinkCaused(TypedDict):
    """A link, by its place in `Modelled.links`, is why an open loop fell behind."""

    kind: Literal["link"]
    place: int


class EventCaused(TypedDict):
    """An event, by its place in the result, is why an open loop fell behind."""

    kind: Literal["event"]
    event: int


class InFlightCause(TypedDict):
    """As many were in flight as may be, at the storage's own latency."""

    kind: Literal["in_flight"]
    most: int


class Behind(TypedDict):
    """An open loop that fell behind its schedule."""

    job: str
    # When it began to, and until when it did.
    from_s: float
    to_s: float
    # IOs a second then.
    due_per_s: float
    served_per_s: float
    # How long what came due at its end had to wait, if nothing was skipped.
    wait_s: float
    # Whether IOs that were too late were skipped.
    skips: bool
    # None where no limit is seen.
    cause: LimitCause | LinkCaused | EventCaused | InFlightCause | None


class JobWait(TypedDict):
    """A job's part in the waits for a limit."""

    job: str
    # Summed over IOs, in an open loop also before they were issued.
    waited_s: float
    # Its share of the tokens granted to IOs that waited.
    took: float


class InIos(TypedDict):
    """A limit's value; of one of bytes, also as (IOs a second, bytes of each)."""

    limit: LimitId
    value: Value
    ios: tuple[float, float] | None


class Nothing(TypedDict):
    """Beyond a limit is none."""

    kind: Literal["nothing"]


class Another(InIos):
    """Beyond a limit is another: further up, or reached as soon."""

    kind: Literal["up_to", "at_once"]


class Taker(TypedDict):
    """A job that takes much of what the others wait for."""

    job: str
    took: float
    others: list[str]


class Raising(TypedDict):
    """What raising a limit would bring."""

    # The jobs that wait for it.
    helps: list[str]
    # As long as there are burst credits.
    next: Nothing | Another
    # The rate of credits that are not used up, where that is less: what lasts.
    lasts: InIos | None
    takers: list[Taker]


class LimitWaits(TypedDict):
    """A limit that IOs waited for."""

    limit: LimitId
    # The volumes whose IOs waited, the equal ones of a stripe together; none of a host's.
    volumes: list[str]
    # Over these volumes; None where none is published.
    value: Value | None
    # Of the time that IOs waited for any limit.
    share: float
    jobs: list[JobWait]
    # The share that resyncs of mirrors took, of the tokens granted to IOs that waited.
    resync_took: float
    # Numbers of the load steps in which that was felt, where one job has the storage alone and the
    # table of volumes tells when.
    felt_in: list[int] | None
    # The share of it in intervals in which write daemons wrote, where several jobs waited.
    while_database_written: float | None
    # None where that would hardly be felt.
    raising: Raising | None


class WaitSeries(TypedDict):
    """How long IOs waited for a limit, by interval, in µs summed over IOs."""

    limit: LimitId
    t_s: list[float]
    waited_us: list[float]


class Carrier(TypedDict):
    """Volumes in place of each of a device's own."""

    type: str
    volumes: int
    # How large each is; None where that is as it was.
    gib: int | None
    # What each is provisioned with, above what it has anyway.
    iops: int | None
    mib_per_s: int | None


class Credits(TypedDict):
    """What is left of burst credits at the end: of a volume, of a stripe's, or of a host."""

    limit: LimitId
    # None of a host's.
    volumes: list[str]
    # Of the emptiest of the volumes.
    left_pct: float
    # How long that lasts, at the pace of the run's second half: 0 if nothing is left, None if
    # they do not run down, or come back in time.
    last_s: float | None
    # What is left then, over the volumes.
    then: Value | None
    # When they come back at once, in seconds after the end; None if they only flow in.
    back_s: float | None
    # What would carry the load for good, while they last; of a host, and of unlike volumes,
    # nothing is known.
    carried_by: list[Carrier]


class UsedUp(TypedDict):
    """When a volume of a device or of a leg, or a host, had used its credits up."""

    # None of a host, as is `leg` but of a leg that is told apart.
    device: str | None
    leg: str | None
    # None of a device.
    host: str | None
    by_s: float


class Reach(TypedDict):
    """With how many processes a job would reach a limit."""

    processes: int
    limit: LimitId
    value: Value


class ClosedLoop(TypedDict):
    """A job in a closed loop that hardly waited for limits."""

    job: str
    # The mean latency of its IOs, and the share of it that they waited.
    mean_s: float
    waited: float
    reach: Reach | None


class Waited(TypedDict):
    """A limit's share of all waiting."""

    limit: LimitId
    share: float


class ByLimits(TypedDict):
    """Limits held a job most, the first of `Held.limits` most of these."""

    kind: Literal["limits"]


class ByLink(TypedDict):
    """A link held a job most."""

    kind: Literal["link"]
    # Its place in `Modelled.links`.
    place: int
    # The share of all latency of the job.
    waited: float


class ByEvent(TypedDict):
    """An event held a job most."""

    kind: Literal["event"]
    # Its place in the result.
    event: int
    # The share of all latency of the job.
    waited: float


class Held(TypedDict):
    """A job's waiting for limits, and what held it most."""

    job: str
    # The share of all its latency.
    waited: float
    # Whether that is felt: less of it would hardly be noticed.
    felt: bool
    # The limit with most waiting first.
    limits: list[Waited]
    # None where nothing is felt.
    by: ByLimits | ByLink | ByEvent | None


class LimitBinding(TypedDict):
    """A limit throttles the IO that transactions wait for."""

    kind: Literal["limit"]
    limit: LimitId


class OtherBinding(TypedDict):
    """What holds transactions and is no limit.

    `cpu`: the processor cores. `reads`, `writes`, `log_space` and `commit`: the latency, without
    what limits add, of reads, of page writes that make room in the buffer pool, of those that
    free space in the redo log, and of commits. `replication`: other nodes.
    `flow_control`: a node that is behind. `threads`: there are
    no more.
    """

    kind: Literal[
        "cpu", "reads", "writes", "log_space", "commit", "replication", "flow_control", "threads"
    ]


class EventBinding(TypedDict):
    """An event paused or slowed down what the IO of transactions was for."""

    kind: Literal["event"]
    # Its place in the result.
    event: int


class LinkBinding(TypedDict):
    """A link of a mirror added to the latency of the IO of transactions."""

    kind: Literal["link"]
    # Its place in `Modelled.links`.
    place: int


Binding = LimitBinding | EventBinding | LinkBinding | OtherBinding


class Unsettled(TypedDict):
    """What of an engine had not settled by the end, so that its figures may yet shift.

    Pages or bytes at most, or the share of page accesses that hit the pool, in the first half of
    the time after the warm-up and in the second.
    """

    what: Literal["dirty_pages", "checkpoint_age", "hit_ratio"]
    before: float
    after: float


class BoundPart(TypedDict):
    """A part of the transactions' time: what holds them in it, and its share."""

    by: Binding
    share: float


class Short(TypedDict):
    """How far an open loop of transactions falls behind."""

    due_per_s: float
    done_per_s: float
    # Roughly how long those that came due last wait for a thread.
    wait_s: float


class Bound(TypedDict):
    """What binds the transactions of a job."""

    job: str
    # None of an open loop that keeps up with nothing at its limit.
    by: Binding | None
    # Whether more threads would bring more: nothing is at its limit.
    more_threads: bool
    # What their time goes to, the longest first.
    parts: list[BoundPart]
    # None of what does not fall behind.
    short: Short | None
    unsettled: list[Unsettled]


class Modelled(TypedDict):
    """What limits did on modelled storage."""

    # The share of all latency that IOs waited for limits, before they were issued or after.
    waited: float
    # The same job by job.
    held: list[Held]
    # The limit with most waiting first.
    waits: list[LimitWaits]
    # In the order in which they first throttled, the warm-up included.
    series: list[WaitSeries]
    # Places in `Facts.limits` of those that nothing waited for.
    idle: list[int]
    # Of these, and of baselines that burst credits exceed, the one of which most was used.
    nearest: int | None
    credits: list[Credits]
    used_up: list[UsedUp]
    # What is felt, the longest first.
    links: list[LinkHold]
    # Those that are felt, in their order.
    events: list[EventHold]
    closed_loops: list[ClosedLoop]
    # The jobs that do transactions.
    transactions: list[Bound]


class Facts(TypedDict):
    """What a run's figures say of its limits."""

    # In the scenario's order; none of a service, whose clients come from outside.
    loads: list[JobLoad]
    # Device by device, then the hosts'.
    limits: list[Limit]
    devices: list[Device]
    write_daemons: list[WriteDaemons]
    behind: list[Behind]
    # None of real storage, where no limit is seen from outside.
    modelled: Modelled | None
