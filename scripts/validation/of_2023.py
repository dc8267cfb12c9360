"""The tests of 2023, published and simulated."""

from collections.abc import Callable

from validation.markdown import table
from validation.run import DATABASE, WIJ, Job, Phase, Run, Runs

# The size of a WIJ write.
WIJ_WRITE_MIB = 0.25

# What the article says of a figure in test 1 and in test 2; nothing of all others.
PUBLISHED = {
    "reads, mean latency": "0.3 to 0.4 ms; at most 0.8 ms",
    "reads, IOPS over the run": "2 : 1",
    "database writes, mean latency": "about 1 ms; about 1 ms",
    "database writes, plateau": "similar",
    "WIJ writes, mean latency": "1.5 : 1",
    "WIJ, best second": "may pass what is provisioned",
}


TESTS = {"test 1: io2": "test1-io2", "test 2: gp3": "test2-gp3-stripe"}
READERS = (20, 50)
# Seven write-daemon cycles.
TEN = "duration=10m"


def jobs() -> dict[str, Job]:
    """Both tests with each number of readers, by the heads of their columns."""
    return {
        f"{test}, {readers} readers": Job(
            f"intersystems-2023/{file}.yaml", (TEN, f"workload.readers.processes={readers}")
        )
        for readers in READERS
        for test, file in TESTS.items()
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
        (
            "database writes, plateau",
            lambda run: f"{run.writes.plateau(run.during(DATABASE)):,.0f}",
        ),
        ("database writes, best second", lambda run: f"{run.writes.best():,}"),
        ("WIJ writes, mean latency", latency("wij", "write")),
        ("WIJ, best second", lambda run: f"{run.wij.best() * WIJ_WRITE_MIB:,.0f} MiB"),
        ("WIJ phase", length(WIJ)),
        ("database phase", length(DATABASE)),
    ]
    simulated = [runs[name] for name in jobs()]
    rows = [
        [what, PUBLISHED.get(what, ""), *(figure(run) for run in simulated)]
        for what, figure in figures
    ]
    return table(["figure", "published", *jobs()], rows)
