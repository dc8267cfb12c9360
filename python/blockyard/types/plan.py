"""What a plan says: the JSON of `blockyard plan --json`.

Money is in US dollars a month of 730 hours, sizes and throughputs in bytes.
"""

from typing import Any, NotRequired, TypedDict


class Volumes(TypedDict):
    """Equal volumes, striped if they are several."""

    type: str
    count: int
    size: int
    iops: int | None
    throughput: int | None
    # Disks of the instance, whose content is lost when it stops.
    local: bool
    chunk: int


class Item(TypedDict):
    """A line of the bill; traffic says what is assumed for it."""

    what: str
    count: int
    usd_per_month: float
    assumed: str | None


class Use(TypedDict):
    """What the load takes of a limit: `left` is the share that it leaves."""

    owner: str
    limit: str
    unit: str
    used: int
    has: int
    credits_last_s: float | None
    left: float


class Estimate(TypedDict):
    """A latency where nothing waits, by the catalog's profiles."""

    of: str
    p50_us: float
    p99_us: float


class Simulated(TypedDict):
    """What a job of the load came to in the simulation."""

    job: str
    iops: float
    p50_us: float
    p99_us: float


class Layout(TypedDict):
    """An instance with its volumes; with 2 `copies` a mirror of two such."""

    instance: str
    # What its processors are built for: x86_64 or arm64.
    architecture: str
    vcpu: int
    memory_mib: int
    copies: int
    data: Volumes
    journal: Volumes | None
    bill: list[Item]
    usd_per_month: float
    limits: list[Use]
    latency: list[Estimate]
    simulated: list[Simulated] | None


class Point(TypedDict):
    """A layout by cost and latency; `on_front` if no other is both cheaper and faster."""

    type: str
    name: str
    usd_per_month: float
    p99_us: float
    on_frontier: bool


# A reason has a `kind`, such as `instance_iops`, and the numbers that belong to it.
Reason = dict[str, Any]


class Rejected(TypedDict):
    """A volume type that no layout has its data on."""

    type: str
    reasons: list[Reason]


class Family(TypedDict):
    """How a family of instances does with the volume type that was chosen."""

    family: str
    instance: str
    architecture: str
    usd_per_month: float | None
    reasons: list[Reason]


class Dropped(TypedDict):
    """A layout that the limits allow and that missed a goal in the simulation."""

    layout: Layout
    reasons: list[Reason]


class Nearest(TypedDict):
    """The share of the load, in 1/1000, that could be met, and by what."""

    permille: int
    layout: Layout | None


class Regretted(TypedDict):
    """A layout and how it does over all samples."""

    layout: Layout
    regret_usd: float
    suffices: float


class LeastRegret(TypedDict):
    """The layout with the least mean regret over all samples of a requirement with ranges."""

    samples: int
    seed: int
    factor: float
    impossible: int
    layout: Layout | None
    regret_usd: float
    suffices: float
    others: list[Regretted]
    usd_per_month: list[float]


class Current(TypedDict):
    """What there is today, and the share of the requirement that it holds."""

    layout: Layout
    holds: float
    missed: list[Reason]


class Load(TypedDict):
    """The load: name, IOs a second and bytes of each; how many times that at its highest."""

    size: int
    streams: list[tuple[str, int, int]]
    highest: float
    lasts_s: float | None
    headroom: float


class Answer(TypedDict):
    """A plan."""

    schema: str
    name: str
    region: str
    region_assumed: bool
    term: str
    # What programs are built for, if that was asked for.
    architecture: str | None
    # Whether it was said how large the instance must be: its type, processors or memory.
    instance_sized: bool
    # The instance that there is, and the processors and MiB of memory that are asked for as it has
    # them; None if that was said.
    instance_kept: tuple[str, int, int] | None
    wanted: Load
    best: Layout | None
    others: list[Layout]
    fewest: Layout | None
    pareto_frontier: list[Point]
    rejected: list[Rejected]
    families: list[Family]
    instances: int
    # How many of these are left out, as their price is not known.
    unpriced: int
    nearest: Nearest | None
    dropped: list[Dropped]
    uncertain: LeastRegret | None
    current: Current | None
    scenario: str | None
    # Reasons in words: of what, and for each its kind and its line.
    words: list[tuple[str, list[tuple[str, str]]]]
    # What is to be known of a load that was measured.
    notes: NotRequired[list[str]]
