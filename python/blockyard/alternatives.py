"""What changes of a layout would bring, as Rust finds it (`crates/capacity`)."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict, cast

from blockyard import _core, billing
from blockyard.bill import Bill
from blockyard.facts import Facts
from blockyard.largest_load import MOST_IOS, Came, Tried
from blockyard.result import Result

if TYPE_CHECKING:
    from blockyard._core import Scenario

# In the order in which changes are listed: no dearer and no worse; brings something for its
# price; brings something, its price not known; brings nothing; cheaper and worse; worse; cannot be
# bought; not tried.
Worth = Literal["cheaper", "pays", "unpriced", "nothing", "saves", "worse", "refused", "untried"]


class Volumes(TypedDict):
    """One volume more in each stripe; a single volume becomes a stripe of two."""

    kind: Literal["volumes"]
    device: str
    to: int


class More(TypedDict):
    """More IOPS, GiB or MiB/s on each volume of a device."""

    kind: Literal["iops", "size", "throughput"]
    device: str
    volumes: int
    to: int


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


class Journal(TypedDict):
    """io2 for the journal alone."""

    kind: Literal["journal"]
    job: str
    device: str
    # Whether it gets a device of its own.
    apart: bool


# A change; what is there now stands under `from`, which Python keeps for itself.
Change = Volumes | More | Instance | Type | Journal


class Brought(TypedDict):
    """What a change brings."""

    # The job whose gain counts.
    came: Came
    jobs: list[Came]
    # With how many seeds it was simulated, each beside the layout as it is with the same one.
    seeds: int
    # By which share the measured figure gets better, as a mean over these; less than 0 if worse.
    gain: float
    # Whether that may be chance: seeds do not agree on its sign, or there are too few to tell and
    # it stays where other seeds come to without the change.
    chance: bool
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


class Now(TypedDict):
    """A layout as it is."""

    came: Came
    # What gains are measured in: an open loop that keeps up gains in p99 alone.
    measure: Literal["per_s", "p99"]
    seeds: int
    # Between what the measured figure lies over the seeds; None where there are too few.
    chance: tuple[float, float] | None
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
    for_good: list[str]
    changes: list[Row]
    # What the layout as it is came to in full.
    result: Result
    facts: Facts
    # Simulated IOs.
    ios: int


def find(
    scenario: "Scenario",
    tried: Tried,
    *,
    job: str | None = None,
    for_good: bool = False,
    region: str | None = None,
    term: str | None = None,
    price_file: str | Path | None = None,
    most_ios: int = MOST_IOS,
) -> Alternatives:
    """Try changes; `price_file` has prices of the user's own.

    With `for_good` burst balances and tokens are used up before the start.
    """
    prices = billing.prices(price_file)
    text = _core.what_if(
        scenario,
        tried,
        job=job,
        for_good=for_good,
        region=region,
        term=term,
        prices=prices,
        most_ios=most_ios,
    )
    return cast(Alternatives, json.loads(text))
