"""What a host's volumes did, interval by interval, from CloudWatch's metrics."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from blockyard.formats.aws.account import Account, Series
from blockyard.formats.aws.hosts import Host
from blockyard.formats.foreign.error import ForeignError

# What a load is made of, and which metric has it: of volumes an amount, of RDS a rate.
_FLOWS = {
    "reads": ("VolumeReadOps", "ReadIOPS"),
    "writes": ("VolumeWriteOps", "WriteIOPS"),
    "read_bytes": ("VolumeReadBytes", "ReadThroughput"),
    "write_bytes": ("VolumeWriteBytes", "WriteThroughput"),
}

# More are a mistake, such as a time of another year: two months of minutes.
_MOST_INTERVALS = 90_000

# Of each device by its name: its flows, interval by interval.
Flows = dict[str, dict[str, list[int]]]


@dataclass(frozen=True)
class Demand:
    """The load of a host's devices over time."""

    # When it begins, in seconds since 1970.
    start: int
    interval_s: int
    flows: Flows
    # What is not known: metrics that no file has, and how many values the others lack.
    notes: list[str]
    # Of each device with figures the metrics of its load that no file has.
    unknown: dict[str, list[str]] = field(default_factory=dict)

    @property
    def intervals(self) -> int:
        """How many intervals it has."""
        return len(next(iter(self.flows.values()))["reads"])

    def document(self) -> dict[str, object]:
        """As `under_demand` takes it."""
        return {"interval_s": self.interval_s, "devices": self.flows}


def demand(account: Account, host: Host) -> Demand | None:
    """The load of a host; None if CloudWatch's figures say nothing of it.

    Raises ForeignError for figures of more time than anybody watches at once.
    """
    found = {
        (device.name, flow): (series, is_rate)
        for device in host.devices
        for flow, metrics in _FLOWS.items()
        for series, is_rate in _series(account, device.id, metrics)
    }
    if not found:
        return None
    interval = max(series.period_s for series, _ in found.values())
    moments = [time for series, _ in found.values() for time in series.points]
    if not moments:
        return None
    start = min(moments) // interval * interval
    intervals = (max(moments) - start) // interval + 1
    if intervals > _MOST_INTERVALS:
        raise ForeignError(
            host.id,
            f"{intervals:,} intervals of {interval} s from the first figure to the last; expected "
            f"at most {_MOST_INTERVALS:,}: leave out the files of other times",
        )
    flows: Flows = {}
    expected = there = 0
    lacking, partial = [], []
    unknown = {}
    for device in (one.name for one in host.devices):
        own = [flow for flow in _FLOWS if (device, flow) in found]
        if not own:
            lacking.append(device)
            continue
        if missing := [_FLOWS[flow][0] for flow in _FLOWS if flow not in own]:
            unknown[device] = missing
            lacking.append(f"{device} ({', '.join(missing)})")
        flows[device] = {flow: [0] * intervals for flow in _FLOWS}
        for flow in own:
            series, is_rate = found[device, flow]
            amounts = [0.0] * intervals
            for time, value in series.points.items():
                amounts[(time - start) // interval] += value * (series.period_s if is_rate else 1)
            flows[device][flow] = [round(amount) for amount in amounts]
            expected += intervals * interval // series.period_s
            # A metric that has no value in all the time is of what did nothing.
            there += len(series.points) or intervals * interval // series.period_s
            if not series.complete:
                partial.append(f"{_FLOWS[flow][0]} of {device}")
    notes = [f"CloudWatch's files have nothing of {', '.join(lacking)}"] if lacking else []
    if there < expected:
        notes.append(f"{expected - there:,} of {expected:,} values are missing: taken as none")
    if partial:
        said = ", ".join(partial)
        notes.append(f"CloudWatch answered {said} in part: ask again, for fewer metrics at a time")
    return Demand(start, interval, flows, notes, unknown)


def _series(account: Account, of: str, metrics: tuple[str, str]) -> Iterator[tuple[Series, bool]]:
    for metric, is_rate in zip(metrics, (False, True), strict=True):
        series = account.metrics.get((of, metric))
        if series is not None:
            yield series, is_rate
            return


def busiest(flows: Mapping[str, list[int]], interval_s: int) -> dict[str, float]:
    """The highest rates of an interval: IOs a second with the share that are reads, and bytes."""
    ios = [reads + writes for reads, writes in zip(flows["reads"], flows["writes"], strict=True)]
    amounts = zip(flows["read_bytes"], flows["write_bytes"], strict=True)
    most = max(ios, default=0)
    at = ios.index(most) if ios else 0
    return {
        "iops": most / interval_s,
        "reads": flows["reads"][at] / most if most else 0.0,
        "bytes": max((read + written for read, written in amounts), default=0) / interval_s,
    }
