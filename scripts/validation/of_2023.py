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

# Test 3 beside test 1, which has the same load, and beside itself without the mirror.
ALONE = "workload.writers.mirror=null"
MIRROR = {
    "test 3: mirror": Job("intersystems-2023/test3-mirror.yaml", (TEN,)),
    "test 3 without its mirror": Job("intersystems-2023/test3-mirror.yaml", (TEN, ALONE)),
}
BESIDE = "test 1: io2, 20 readers"


def jobs() -> dict[str, Job]:
    """All tests, by the heads of their columns."""
    return _compared() | MIRROR


def _compared() -> dict[str, Job]:
    """Tests 1 and 2 with each number of readers."""
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

    def length(phase: Phase) -> Callable[[Run], str]:
        return lambda run: f"{run.length_s(phase):.1f} s"

    figures: list[tuple[str, Callable[[Run], str]]] = [
        ("reads, IOPS over the run", lambda run: f"{run.reads.iops():,.0f}"),
        ("reads, mean latency", latency("data", "read")),
        ("reads, mean outside the cycle", reads(Run.idle)),
        ("reads, mean in the database phase", reads(lambda run: run.during(DATABASE))),
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
    simulated = [runs[name] for name in _compared()]
    rows = [
        [what, PUBLISHED.get(what, ""), *(figure(run) for run in simulated)]
        for what, figure in figures
    ]
    return table(["figure", "published", *_compared()], rows)


def mirror_of_2023(runs: Runs) -> str:
    """Test 3, simulated, beside test 1 and without its mirror."""

    def reads(seconds: Callable[[Run], set[int]]) -> Callable[[Run], str]:
        return lambda run: f"{run.reads.mean_ms(seconds(run)):.2f} ms"

    def journal(figure: str) -> Callable[[Run], str]:
        return lambda run: f"{run.latency('journal', 'write')[figure] / 1000:.2f} ms"  # type: ignore[literal-required]

    figures: list[tuple[str, Callable[[Run], str]]] = [
        ("reads, IOPS over the run", lambda run: f"{run.reads.iops():,.0f}"),
        ("reads, mean outside the cycle", reads(Run.idle)),
        ("reads, mean in the WIJ phase", reads(lambda run: run.during(WIJ))),
        ("reads, mean in the database phase", reads(lambda run: run.during(DATABASE))),
        ("WIJ phase", lambda run: f"{run.length_s(WIJ):.1f} s"),
        ("database phase", lambda run: f"{run.length_s(DATABASE):.1f} s"),
        ("journal writes, mean latency", journal("mean")),
        ("journal writes, p99", journal("p99")),
    ]
    columns = [*MIRROR, BESIDE]
    rows = [[what, *(figure(runs[name]) for name in columns)] for what, figure in figures]
    return table(["figure", *columns], rows)
