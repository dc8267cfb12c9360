"""The largest load at which goals hold.

Made by scripts/door_types.py from schemas/capacity.schema.json, the schema of the Rust type
`Capacity`, which says what each key means.
"""

from typing import Literal, NotRequired, TypedDict

from blockyard.types.facts import Facts
from blockyard.types.result import LatencyUs, Result

# What gains are measured in.
Measure = Literal["per_s", "p99", "mean"]


class Level(TypedDict):
    """Where a goal lies among the figures of a curve."""

    goal: str
    job: str
    of: Measure
    value: float


# What a job's load counts.
LoadUnit = Literal["processes", "threads", "ios_per_s", "transactions_per_s", "percent"]


# What becomes of a job's load steps.
StepsAre = Literal["none", "replaced", "scaled"]


class Scaled(TypedDict):
    """A job whose load is varied."""

    job: str
    unit: LoadUnit
    own: int
    steps: StepsAre


# What a search found.
Outcome = Literal["found", "never_missed", "never_met", "never_reached", "nowhere", "stopped"]


class MetInSeeds(TypedDict):
    """In how many seeds all goals hold."""

    seeds: int
    met: int
    at_least: float


class Sustained(TypedDict):
    """The largest load, up to `holds`, that holds with nothing saved up."""

    outcome: Outcome
    holds: int | None
    loads: list[int]
    missed: int | None
    seeds: MetInSeeds | None
    sustained_sets: list[str]


class Measured(TypedDict):
    """A goal and what was measured."""

    goal: str
    met: bool
    measured: str


class Service(TypedDict):
    """What the users of a job went without."""

    outage_s: float
    errors: int
    lost: int
    lost_bytes: int


class Came(TypedDict):
    """What a job did."""

    job: str
    transactions: bool
    per_s: float
    of: tuple[str, str] | None
    latency_us: LatencyUs | None
    mean_us: NotRequired[float | None]
    service: NotRequired[Service | None]


class Point(TypedDict):
    """A load that was tried."""

    load: int
    loads: list[int]
    met: bool
    seeds: MetInSeeds | None
    goals: list[Measured]
    jobs: list[Came]
    lasts_s: float | None
    ready_s: float | None


class Ended(TypedDict):
    """The run that says what ends a search."""

    load: int
    sets: list[str]
    result: Result
    facts: Facts


class Capacity(TypedDict):
    """How much load a layout takes."""

    scenario: str
    seed: int
    goals: list[str]
    levels: list[Level]
    scaled: list[Scaled]
    by_factor: bool
    outcome: Outcome
    holds: int | None
    missed: int | None
    probability: float
    one_seed: int | None
    too_low: int | None
    missed_below: list[int]
    sustained: Sustained | None
    told: str
    sustained_sets: list[str]
    curve: list[Point]
    ended: Ended
    seeds: MetInSeeds | None
    most: int
    ios: int
