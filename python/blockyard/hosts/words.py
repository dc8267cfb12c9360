"""What is said of a bench on several hosts."""

from collections.abc import Iterator

from blockyard.hosts.about import About
from blockyard.hosts.merging import Total
from blockyard.text.formatting import latency
from blockyard.text.table import Table
from blockyard.types.result import LatencyUs

ALL = "all"


def started(hosts: int, within_s: float) -> str:
    """How far apart hosts can have started."""
    return f"{_counted(hosts)} started within {latency(within_s * 1e6)} of each other"


def outcome(about: About) -> Iterator[str]:
    """Which hosts have a result, and which have none, and why."""
    measured = len(about.hosts) - len(about.failed)
    within = about.started_within_ms
    when = f", started within {latency(within * 1e3)} of each other" if within else ""
    of = f"{measured} of " if about.failed else ""
    yield f"{about.scenario}: {of}{_counted(len(about.hosts))}{when}"
    if any(host.status == "interrupted" for host in about.hosts):
        yield "interrupted: figures are of the time until then"
    for host in about.failed:
        yield f"{host.name} failed and is not counted: {host.reason}"
    for host in about.hosts:
        yield from (f"{host.name} misses {goal}" for goal in host.missed)


def table(about: About) -> Table:
    """Each host's figures, and those of all."""
    return Table(
        "rates are added, latencies merged",
        ["job", "operation", "device", "host", "IOPS", "MiB/s", "p50", "p99", "p99.9", "max"],
        [_row(total) for total in about.totals],
        words=4,
    )


def _row(total: Total) -> list[str]:
    found = total.latency_us
    return [
        *(total.job, total.op, total.device),
        ALL if total.host is None else total.host,
        f"{total.iops:,.0f}",
        f"{total.mib_per_s:,.1f}",
        *(["-"] * 4 if found is None else map(latency, _shown(found))),
    ]


def _shown(found: LatencyUs) -> list[float]:
    return [found["p50"], found["p99"], found["p99_9"], found["max"]]


def _counted(hosts: int) -> str:
    return f"{hosts} {'host' if hosts == 1 else 'hosts'}"
