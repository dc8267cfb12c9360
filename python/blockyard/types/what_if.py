"""What changes of a layout would bring, as Rust finds it (`crates/capacity`)."""

from typing import Literal, TypedDict

from blockyard.types.bill import Bill
from blockyard.types.capacity import Came, Measured
from blockyard.types.facts import Facts
from blockyard.types.result import Result

# In the order in which changes are listed: meets a goal that is missed; no dearer and no worse for
# any job; brings something for its price; brings something, its price not known; brings nothing;
# better for one job and worse for another; cheaper and worse; worse; cannot be bought; not tried.
Worth = Literal[
    "meets",
    "cheaper",
    "pays",
    "unpriced",
    "nothing",
    "mixed",
    "saves",
    "worse",
    "refused",
    "untried",
]

# What there is more of on a volume; of a size GiB, of throughput MiB/s.
Amount = Literal["iops", "size", "throughput"]

# What gains are measured in: an open loop that keeps up gains in p99 alone.
Measure = Literal["per_s", "p99"]


class Volumes(TypedDict):
    """One volume more in each stripe; a single volume becomes a stripe of two."""

    kind: Literal["volumes"]
    device: str
    to: int


class More(TypedDict):
    """More IOPS, GiB or MiB/s on each volume of a device."""

    kind: Amount
    device: str
    volumes: int
    to: int


class Part(TypedDict):
    """What becomes of the volumes in one place of a device, such as `linear.0`."""

    place: str
    volumes: int
    of: Amount
    to: int


class Parts(TypedDict):
    """More on the volumes of a device of which not all can have the same."""

    kind: Literal["parts"]
    device: str
    parts: list[Part]


class Instance(TypedDict):
    """The next size of an instance family."""

    kind: Literal["instance"]
    # None where the scenario does not name it.
    host: str | None
    # None if there is no larger one.
    to: str | None


class Type(TypedDict):
    """Volumes of another type."""

    kind: Literal["type"]
    device: str
    volumes: int
    to: str
    # What is provisioned of each, in MiB/s and GiB; a size only where it is larger than now. None
    # where that is not said, or not the same of all.
    iops: int | None
    throughput: int | None
    size: int | None


class Journal(TypedDict):
    """io2 for the journal alone."""

    kind: Literal["journal"]
    job: str
    device: str
    # Whether it gets a device of its own.
    apart: bool


# A change; what is there now stands under `from`, which Python keeps for itself.
Change = Volumes | More | Parts | Instance | Type | Journal


class Gained(Came):
    """What a change does to a job."""

    measure: Measure
    # By which share the measured figure gets better, as a mean over seeds; less than 0 if worse.
    gain: float
    # Whether that may be chance: seeds do not agree on its sign, or there are too few to tell and
    # it stays where other seeds come to without the change.
    chance: bool


class OfGoal(Measured):
    """A goal, and with how many seeds it is met."""

    seeds_met: int


class Brought(TypedDict):
    """What a change brings."""

    # The job that it is told by: the one that was named, else the one whose goal it meets, that
    # gets worse, or that gains most.
    job: str
    # The gain of that job.
    gain: float
    # All jobs and goals, in the order of the scenario.
    jobs: list[Gained]
    goals: list[OfGoal]
    # With how many seeds it was simulated, each beside the layout as it is with the same one.
    seeds: int
    # How many seconds longer burst credits last that run out first: 0 if they were used up, None
    # if this goes on for good.
    lasts_s: float | None


class Row(TypedDict):
    """A change and what it comes to."""

    change: Change
    # The overrides that make it.
    sets: list[str]
    worth: Worth
    came: Brought | None
    # Why it cannot be bought or simulated.
    refused: str | None
    # Dollars a month more.
    dollars: float | None
    no_price: str | None
    # IOs or transactions a second, or microseconds of p99, for a dollar a month.
    per_dollar: float | None


class OfJob(Came):
    """A job of the layout as it is."""

    measure: Measure
    # Between what the measured figure lies over the seeds; None where there are too few.
    chance: tuple[float, float] | None


class Now(TypedDict):
    """A layout as it is."""

    # The job that was named, else the one that is worst off.
    leads: str
    jobs: list[OfJob]
    goals: list[OfGoal]
    seeds: int
    # How many seconds longer burst credits last that run out first: 0 if they were used up, None
    # if this goes on for good.
    lasts_s: float | None
    # The bill, or why there is none.
    bill: Bill | None
    no_price: str | None


class Alternatives(TypedDict):
    """What changes of a layout would bring, in the order of their worth."""

    scenario: str
    seed: int
    now: Now
    # The overrides that use up burst balances and tokens before the start, if that was asked for.
    sustained_sets: list[str]
    changes: list[Row]
    # What the layout as it is came to in full.
    result: Result
    facts: Facts
    # Simulated IOs.
    ios: int
