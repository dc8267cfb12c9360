"""What there is in an AWS account, and what CloudWatch says of it."""

from dataclasses import dataclass, field

# The metrics that are read, and the statistic that each needs: an amount is a sum over its period,
# a rate or a level a mean, and a check says whether it was ever 1.
AMOUNTS = (
    "VolumeReadOps",
    "VolumeWriteOps",
    "VolumeReadBytes",
    "VolumeWriteBytes",
    "VolumeTotalReadTime",
    "VolumeTotalWriteTime",
)
MEANS = (
    "VolumeQueueLength",
    "ReadIOPS",
    "WriteIOPS",
    "ReadThroughput",
    "WriteThroughput",
    "ReadLatency",
    "WriteLatency",
    "DiskQueueDepth",
)
BALANCES = ("BurstBalance", "EBSIOBalance%", "EBSByteBalance%")
CHECKS = (
    "VolumeIOPSExceededCheck",
    "VolumeThroughputExceededCheck",
    "InstanceEBSIOPSExceededCheck",
    "InstanceEBSThroughputExceededCheck",
)

# The statistics that say what a metric means, the one to ask for first.
STATISTICS = {
    **dict.fromkeys(AMOUNTS, ("Sum",)),
    **dict.fromkeys(MEANS, ("Average",)),
    **dict.fromkeys(BALANCES, ("Minimum", "Average")),
    **dict.fromkeys(CHECKS, ("Maximum", "Average", "Sum")),
}


@dataclass(frozen=True)
class Volume:
    """An EBS volume."""

    id: str
    # Its tag `Name`; empty without one.
    name: str
    type: str
    gib: int
    iops: int | None
    mib_per_s: int | None
    zone: str
    # The instances that it is attached to, and as which device.
    attached: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Instance:
    """An EC2 instance."""

    id: str
    name: str
    type: str
    zone: str
    # The device of its root volume.
    root: str


@dataclass(frozen=True)
class Database:
    """A DB instance of RDS, or of Aurora, which has no volumes."""

    id: str
    engine: str
    instance_class: str
    type: str
    gib: int
    iops: int | None
    mib_per_s: int | None
    zone: str
    multi_az: bool

    @property
    def is_aurora(self) -> bool:
        """Whether its storage is Aurora's, a service without volumes."""
        return self.engine.startswith("aurora") or self.type.startswith("aurora")


@dataclass
class Series:
    """A metric over time: the seconds of a period, and its value by the second that it began."""

    period_s: int
    points: dict[int, float] = field(default_factory=dict)
    # Whether AWS said, on the last of its pages, that this is all.
    complete: bool = False


@dataclass
class Account:
    """What was read, each by its id."""

    volumes: dict[str, Volume] = field(default_factory=dict)
    instances: dict[str, Instance] = field(default_factory=dict)
    databases: dict[str, Database] = field(default_factory=dict)
    # By the id of what it is of, and the metric's name.
    metrics: dict[tuple[str, str], Series] = field(default_factory=dict)
    # What was left out, each once.
    notes: list[str] = field(default_factory=list)

    def note(self, said: str) -> None:
        """Say something that its reader should know, once."""
        if said not in self.notes:
            self.notes.append(said)

    def add(
        self,
        of: str,
        metric: str,
        period_s: int,
        points: dict[int, float],
        *,
        complete: bool = True,
    ) -> None:
        """Add values of a metric: pages and files of one metric are joined."""
        series = self.metrics.setdefault((of, metric), Series(period_s))
        series.period_s = max(series.period_s, period_s)
        series.points.update(points)
        series.complete |= complete

    def strangers(self) -> list[str]:
        """The ids of metrics that are of nothing that there is."""
        there = self.volumes.keys() | self.instances.keys() | self.databases.keys()
        return sorted({of for of, _ in self.metrics} - there)
