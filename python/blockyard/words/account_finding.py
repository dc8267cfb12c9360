"""What was found out about an instance or a database of an AWS account."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from blockyard.types.under_demand import UnderDemand
from blockyard.types.verdict import Verdict


@dataclass(frozen=True)
class Balance:
    """A balance that CloudWatch saw, in percent: the lowest, and when that began."""

    of: str
    metric: str
    lowest: float
    at: int
    # When each period began, in seconds since 1970, and the balance.
    over_time: Sequence[tuple[int, float]] = ()


@dataclass(frozen=True)
class Check:
    """How often CloudWatch saw a limit exceeded."""

    of: str
    metric: str
    intervals: int


@dataclass(frozen=True)
class Slow:
    """The longest mean latency of an interval, in microseconds, and when that began."""

    of: str
    op: str
    us: float
    at: int


@dataclass(frozen=True)
class Queue:
    """The longest mean queue of an interval, and when that began."""

    of: str
    depth: float
    at: int


@dataclass(frozen=True)
class Change:
    """A volume that is there, and what would be in its place, each in words and dollars."""

    device: str
    before: str
    after: str
    before_usd: float
    after_usd: float
    # What it mends; empty where it only saves.
    mends: str


@dataclass(frozen=True)
class Finding:
    """What was found out about an instance or a database with its volumes."""

    name: str
    id: str
    # The instance type or the class of the database; empty where it is not known.
    kind: str
    devices: Sequence[str]
    volumes: int
    # When the load begins, in seconds since 1970.
    start: int
    # What limits would do to the load; None where CloudWatch's figures say nothing of it.
    under: UnderDemand | None
    scenario: str
    # The scenario under that load, and the files that it names; None without figures.
    load_scenario: str | None = None
    load_files: Mapping[str, str] = field(default_factory=dict)
    balances: Sequence[Balance] = ()
    checks: Sequence[Check] = ()
    slow: Sequence[Slow] = ()
    queues: Sequence[Queue] = ()
    # Was it the drive? What the load waited for, and that in a sentence; None and empty where
    # CloudWatch's files do not have the times of IOs.
    drive: Verdict | None = None
    drive_said: str = ""
    # Dollars a month; None where a price is not known, or it is not charged as EBS is.
    today_usd: float | None = None
    next_usd: float | None = None
    changes: Sequence[Change] = ()
    # The scenario with all changes; None without any.
    next_scenario: str | None = None
    # The load on the layout with all changes; None without any.
    next_under: UnderDemand | None = None
    # What CloudWatch saw of limits that its figures of the load do not show, by device, or
    # `the instance`.
    unexplained: Mapping[str, str] = field(default_factory=dict)
    # Metrics of the load that no file has, by device.
    unknown: Mapping[str, Sequence[str]] = field(default_factory=dict)
    # Whether prices are of the volumes alone, as the instance's type is not known.
    volumes_only: bool = False
    # Why there are no prices, or that those of another region are taken.
    prices: str = ""
    # What is to be said of the changes, or why there are none.
    remarks: Sequence[str] = field(default_factory=list)
    # What the answers rest on, and what is not known.
    notes: Sequence[str] = field(default_factory=list)

    @property
    def saving(self) -> float | None:
        """Dollars a month that the changes save; negative if they cost."""
        if self.today_usd is None or self.next_usd is None:
            return None
        return self.today_usd - self.next_usd
