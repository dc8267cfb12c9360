"""Both articles' mixed tests under each discipline and with other numbers of writes in flight."""

from dataclasses import dataclass

from validation.markdown import table
from validation.run import DATABASE, Job, Run, Runs

# Long enough for three write-daemon cycles.
SHORT = "duration=5m"
DISCIPLINES = ("fifo", "per_direction", "per_submitter")


@dataclass(frozen=True)
class Mixed:
    """A test with reads and updates."""

    title: str
    path: str
    # The key of the data volume's, or of each data volume's, discipline.
    key: str
    sets: tuple[str, ...]
    # Database writes in flight: those of the product, and those assumed before 2026-11-22.
    in_flight: tuple[int, int]
    # What was published of the writes: their peak, or their latency.
    published: str


TESTS = (
    Mixed(
        "A.006", "intersystems-2022/a006.yaml", "storage.data.discipline", (),
        (64, 6), "8,000",
    ),
    Mixed(
        "B.083", "intersystems-2022/b083.yaml", "storage.data.of.discipline", (SHORT,),
        (64, 28), "40,000",
    ),
    Mixed(
        "2023, io2", "intersystems-2023/test1-io2.yaml", "storage.data.discipline", (SHORT,),
        (64, 512), "as gp3; 1 ms",
    ),
    Mixed(
        "2023, gp3", "intersystems-2023/test2-gp3-stripe.yaml", "storage.data.of.discipline",
        (SHORT,), (64, 512), "as io2; 1 ms",
    ),
)  # fmt: skip


def _job(test: Mixed, in_flight: int, discipline: str) -> Job:
    writes = f"workload.writers.wdparm.outstanding={in_flight}"
    return Job(test.path, (*test.sets, writes, f"{test.key}={discipline}"))


def _name(test: Mixed, in_flight: int, discipline: str) -> str:
    return f"{test.title}, {in_flight}, {discipline}"


def jobs() -> dict[str, Job]:
    """What the table needs."""
    return {
        _name(test, in_flight, discipline): _job(test, in_flight, discipline)
        for test in TESTS
        for in_flight in test.in_flight
        for discipline in DISCIPLINES
    }


def disciplines(runs: Runs) -> str:
    """Each test with each number of writes in flight, under each discipline."""
    return table(
        ["test", "in flight", "published", *DISCIPLINES],
        (
            [
                test.title,
                f"{in_flight}",
                test.published,
                *(_figures(runs[_name(test, in_flight, name)]) for name in DISCIPLINES),
            ]
            for test in TESTS
            for in_flight in test.in_flight
        ),
    )


def _figures(run: Run) -> str:
    """The writes' plateau and mean latency, and the reads' in the database phase."""
    written = run.during(DATABASE)
    plateau, mean = run.writes.plateau(written), run.latency("data", "write")["mean"] / 1000
    return f"{plateau:,.0f}; {mean:.2f}, {run.reads.mean_ms(written):.2f} ms"
