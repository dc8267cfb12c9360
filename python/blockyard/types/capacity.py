"""The largest load at which goals hold, as Rust finds it (`crates/capacity`)."""

from collections.abc import Callable
from typing import Literal, TypedDict

from blockyard.types.facts import Facts
from blockyard.types.result import LatencyUs, Result

# Is told of each load that was tried: what it is, the IOs that all took, and how many they may.
Tried = Callable[[str, int, int], None]

# What a job's load counts.
LoadUnit = Literal["processes", "threads", "ios_per_s", "transactions_per_s"]

# What a search found.
Outcome = Literal["found", "never_missed", "never_met", "never_reached", "nowhere", "stopped"]


class Scaled(TypedDict):
    """A job whose load was varied."""

    job: str
    unit: LoadUnit
    # Its load in the scenario, of several steps the largest.
    own: int
    # A list of loads is replaced by one load throughout; a schedule's steps are all multiplied.
    steps: Literal["none", "replaced", "scaled"]


class Came(TypedDict):
    """What a job came to."""

    job: str
    # Whether transactions are counted, not IOs.
    transactions: bool
    # Over all its devices and operations.
    per_s: float
    # The operation and the device that the latency is of, those with most IOs; None of
    # transactions.
    of: tuple[str, str] | None
    latency_us: LatencyUs | None


class Measured(TypedDict):
    """A goal and what was measured."""

    goal: str
    met: bool
    measured: str


class Level(TypedDict):
    """Where a goal lies among the figures of a curve."""

    goal: str
    job: str
    of: Literal["per_s", "p99"]
    # In IOs or transactions a second, or in microseconds.
    value: float


class Point(TypedDict):
    """A load that was tried."""

    load: int
    # Of each job that is scaled.
    loads: list[int]
    met: bool
    goals: list[Measured]
    jobs: list[Came]
    # How many seconds longer burst credits last that run out first: 0 if they were used up, None
    # if this load goes on for good.
    lasts_s: float | None
    # How many seconds from the start tokens last that lay ready in limits; None if this load does
    # without.
    ready_s: float | None


class Ended(TypedDict):
    """The run that says what ends a search."""

    load: int
    # The overrides that make it again.
    sets: list[str]
    result: Result
    facts: Facts


class Seeds(TypedDict):
    """With how many of the seeds all goals hold."""

    seeds: int
    met: int


class Sustained(TypedDict):
    """The largest load that holds with nothing saved up."""

    outcome: Outcome
    holds: int | None
    # Of each job that is scaled.
    loads: list[int]
    # The smallest load above that at which the goals are missed, if one was tried.
    missed: int | None
    seeds: Seeds | None
    # The overrides that use up burst balances and tokens before the start.
    sustained_sets: list[str]


class Capacity(TypedDict):
    """How much load a layout takes; loads are factors in 1/1000 where `by_factor`."""

    scenario: str
    seed: int
    goals: list[str]
    # Where those goals lie that are of the curve's figures.
    levels: list[Level]
    scaled: list[Scaled]
    by_factor: bool
    outcome: Outcome
    # The largest load at which all goals hold, of those tried.
    holds: int | None
    # The smallest load above that; without it the smallest that is too much.
    missed: int | None
    # The largest load below these at which goals are missed that ask for load.
    too_low: int | None
    # Loads below `holds` at which goals were missed that less load should meet.
    missed_below: list[int]
    # What is sustained, where `holds` is carried by burst credits, or by tokens that lay ready.
    sustained: Sustained | None
    # The job that the curve is told by: whose goal binds.
    told: str
    # The overrides that use up burst balances and tokens before the start, if that was asked for.
    sustained_sets: list[str]
    # The loads that were tried, rising.
    curve: list[Point]
    # The run at `missed`, or at the largest load where none missed a goal.
    ended: Ended
    # At `holds`; None where that would have taken too long.
    seeds: Seeds | None
    # The largest load that would have been tried.
    most: int
    # Simulated IOs.
    ios: int
