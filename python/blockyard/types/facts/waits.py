"""What IOs of a run waited for.

Made by scripts/door_types.py from schemas/facts.schema.json, the schema of the Rust type `Facts`,
which says what each key means.
"""

from typing import Literal, TypedDict

from blockyard.types.facts.shared import Bottleneck, LimitId, RateUnit


class Waited(TypedDict):
    """A limit's share of all waiting."""

    limit: LimitId
    share: float


class Held(TypedDict):
    """A job's waiting for limits."""

    job: str
    waited: float
    felt: bool
    limits: list[Waited]
    by: Bottleneck | None
    by_waited: float


class JobWait(TypedDict):
    """A job's part in the waits for a limit."""

    job: str
    waited_s: float
    took: float


class NothingNext(TypedDict):
    """There is no other limit."""

    kind: Literal["nothing"]


class InIos(TypedDict):
    """A limit of bytes, also in IOs."""

    limit: LimitId
    value: tuple[float, RateUnit]
    ios: tuple[float, float] | None


class UpToNext(InIos):
    """Another limit, further up."""

    kind: Literal["up_to"]


class AtOnceNext(InIos):
    """Another limit is reached as soon."""

    kind: Literal["at_once"]


# What comes after a limit that is raised.
Next = NothingNext | UpToNext | AtOnceNext


class Taker(TypedDict):
    """A job that takes tokens that others wait for."""

    job: str
    took: float
    others: list[str]


class Raising(TypedDict):
    """What raising a limit would bring to the jobs that wait for it."""

    helps: list[str]
    next: Next
    lasts: InIos | None
    takers: list[Taker]


class LimitWaits(TypedDict):
    """A limit that IOs waited for, and whose these were."""

    limit: LimitId
    volumes: list[str]
    value: tuple[float, RateUnit] | None
    share: float
    jobs: list[JobWait]
    resync_took: float
    felt_in: list[int] | None
    while_database_written: float | None
    raising: Raising | None


class WaitSeries(TypedDict):
    """A limit's waits over time, the warm-up included."""

    limit: LimitId
    t_s: list[float]
    waited_us: list[float]
