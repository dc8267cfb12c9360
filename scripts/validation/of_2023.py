"""The tests of 2023, published and simulated."""

from collections.abc import Callable

from validation.markdown import table
from validation.run import DATABASE, WIJ, Phase, Run, Runs

# The size of a WIJ write.
WIJ_WRITE_MIB = 0.25

# What the article says of a figure in test 1 and in test 2; nothing of all others.
PUBLISHED = {
    "reads, mean latency": "0.3 to 0.4 ms; at most 0.8 ms",
    "reads, IOPS over the run": "2 : 1",
    "database writes, mean latency": "about 1 ms; about 1 ms",
    "database writes, best second": "similar",
    "WIJ writes, mean latency": "1.5 : 1",
    "WIJ, best second": "may pass what is provisioned",
}


def of_2023(runs: Runs) -> str:
    """What was published of the tests of 2023, and what is simulated."""

    def latency(device: str, op: str) -> Callable[[Run], str]:
        return lambda run: f"{run.latency(device, op)['mean'] / 1000:.2f} ms"

    def reads(seconds: Callable[[Run], set[int]]) -> Callable[[Run], str]:
        return lambda run: f"{run.reads.mean_ms(seconds(run)):.2f} ms"

    def during(phase: Phase) -> Callable[[Run], str]:
        return reads(lambda run: run.during(phase))

    def length(phase: Phase) -> Callable[[Run], str]:
        return lambda run: f"{run.length_s(phase):.1f} s"

    figures: list[tuple[str, Callable[[Run], str]]] = [
        ("reads, IOPS over the run", lambda run: f"{run.reads.iops():,.0f}"),
        ("reads, mean latency", latency("data", "read")),
        ("reads, p99", lambda run: f"{run.latency('data', 'read')['p99'] / 1000:.2f} ms"),
        ("reads, mean outside the cycle", reads(Run.idle)),
        ("reads, mean in the WIJ phase", during(WIJ)),
        ("reads, mean in the database phase", during(DATABASE)),
        ("database writes, mean latency", latency("data", "write")),
        ("database writes, best second", lambda run: f"{run.writes.best():,}"),
        ("WIJ writes, mean latency", latency("wij", "write")),
        ("WIJ, best second", lambda run: f"{run.wij.best() * WIJ_WRITE_MIB:,.0f} MiB"),
        ("WIJ phase", length(WIJ)),
        ("database phase", length(DATABASE)),
    ]
    one, two = runs["test1-io2"], runs["test2-gp3-stripe"]
    rows = [[what, PUBLISHED.get(what, ""), figure(one), figure(two)] for what, figure in figures]
    return table(["figure", "published", "test 1: io2", "test 2: gp3 stripe"], rows)
