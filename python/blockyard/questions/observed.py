"""What CloudWatch saw of a host's credits, limits and latencies."""

from collections.abc import Iterator

from blockyard.formats.aws.account import BALANCES, CHECKS, Account, Series
from blockyard.formats.aws.hosts import Host
from blockyard.words.account_finding import Balance, Check, Finding, Queue, Slow
from blockyard.words.phrases import counted
from blockyard.words.under_load import throttling

# The times of reads and of writes: of volumes a sum of seconds with the number of IOs, of RDS a
# mean in seconds.
TIMES = (
    ("reads", "VolumeTotalReadTime", "VolumeReadOps", "ReadLatency"),
    ("writes", "VolumeTotalWriteTime", "VolumeWriteOps", "WriteLatency"),
)

# What the instance is called in a scenario.
HOST = "host"

# Less of a balance, in percent, is none.
_DRY = 1.0

# Fewer IOs a second than this say nothing of latency.
_FEW = 1.0


def first_balances(account: Account, host: Host) -> dict[str, float]:
    """What was left of credits at first, in percent: by device, and as `host` of the instance."""
    found = {}
    for of, name in _owners(host):
        metrics = ("BurstBalance",) if name != HOST else BALANCES[1:]
        begun = [series.points[min(series.points)] for series in _series(account, of, metrics)]
        if begun:
            found[name] = min(begun)
    return found


def balances(account: Account, host: Host) -> Iterator[Balance]:
    """The lowest of each balance that CloudWatch has."""
    for of, name in _owners(host):
        for metric in BALANCES[1:] if name == HOST else BALANCES[:1]:
            for series in _series(account, of, (metric,)):
                lowest = min(series.points.values())
                at = min(time for time, value in series.points.items() if value == lowest)
                over_time = sorted(series.points.items())
                yield Balance(_called(name), metric, lowest, at, over_time)


def checks(account: Account, host: Host) -> Iterator[Check]:
    """The checks that were ever exceeded."""
    for of, name in _owners(host):
        for metric in CHECKS[2:] if name == HOST else CHECKS[:2]:
            for series in _series(account, of, (metric,)):
                times = sum(value > 0 for value in series.points.values())
                if times:
                    yield Check(_called(name), metric, times)


def slow(account: Account, host: Host) -> Iterator[Slow]:
    """The longest mean latency of an interval, of each device's reads and writes."""
    for device in host.devices:
        for op, total, ios, mean in TIMES:
            means = {}
            for spent in _series(account, device.id, (total,)):
                for done in _series(account, device.id, (ios,)):
                    means = {
                        time: seconds / done.points[time]
                        for time, seconds in spent.points.items()
                        if done.points.get(time, 0.0) >= _FEW * done.period_s
                    }
            for series in _series(account, device.id, (mean,)):
                means = dict(series.points)
            if means and max(means.values()) > 0:
                at = max(means, key=lambda time: (means[time], -time))
                yield Slow(device.name, op, means[at] * 1e6, at)


def queues(account: Account, host: Host) -> Iterator[Queue]:
    """The longest mean queue of an interval, of each device."""
    for device in host.devices:
        for series in _series(account, device.id, ("VolumeQueueLength", "DiskQueueDepth")):
            most = max(series.points.values())
            at = min(time for time, value in series.points.items() if value == most)
            yield Queue(device.name, most, at)


def unexplained(found: Finding) -> dict[str, str]:
    """What CloudWatch saw of limits where the model's is not reached: its figures lack something.

    By device, and `the instance`.
    """
    held = throttling(found.under) if found.under else []
    shown = {_called(one["limit"]["device"] or HOST) for one in held}
    checked = {
        one.of: f"{one.metric} in {counted(one.intervals, 'interval')}" for one in found.checks
    }
    ended = {
        one.of: f"{one.metric} at {one.lowest:g}%" for one in found.balances if one.lowest < _DRY
    }
    return {of: seen for of, seen in (checked | ended).items() if of not in shown}


def _owners(host: Host) -> Iterator[tuple[str, str]]:
    """The ids that metrics have, with the name of the device, or `host`."""
    for device in host.devices:
        yield device.id, device.name
    yield host.id, HOST


def _called(name: str) -> str:
    return "the instance" if name == HOST else name


def _series(account: Account, of: str, metrics: tuple[str, ...]) -> Iterator[Series]:
    for metric in metrics:
        series = account.metrics.get((of, metric))
        if series is not None and series.points:
            yield series
