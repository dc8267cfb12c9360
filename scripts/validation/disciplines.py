"""Both articles' mixed tests under each discipline and with other numbers of writes in flight."""

from dataclasses import dataclass

from validation.markdown import table
from validation.run import DATABASE, Job, Run, Runs

# Long enough for three write-daemon cycles.
SHORT = "duration=5m"
DISCIPLINES = ("fifo", "classes", "queues")


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
    # IOPS that reads and database writes share.
    limit: int
    # What was published: peak of writes, latency of writes, worst latency of reads.
    published: tuple[str, str, str]


TESTS = (
    Mixed(
        "A.006", "intersystems-2022/a006.yaml", "storage.data.discipline", (),
        (64, 6), 16_000, ("8,000", "", ""),
    ),
    Mixed(
        "B.083", "intersystems-2022/b083.yaml", "storage.data.of.discipline", (SHORT,),
        (64, 28), 80_000, ("40,000", "", "under 1.4 ms"),
    ),
    Mixed(
        "2023, io2", "intersystems-2023/test1-io2.yaml", "storage.data.discipline", (SHORT,),
        (64, 512), 100_000, ("as gp3", "1 ms", ""),
    ),
    Mixed(
        "2023, gp3", "intersystems-2023/test2-gp3-stripe.yaml", "storage.data.of.discipline",
        (SHORT,), (64, 512), 256_000, ("as io2", "1 ms", ""),
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
    """Each test under each discipline, below what was published of it."""
    head = ["test", "in flight", "discipline", "writes, plateau", "writes, best second"]
    head += ["writes, mean", "reads, database phase", "reads, worst second"]
    head += ["database phase", "above the limit, a cycle"]
    rows = []
    for test in TESTS:
        peak, write_ms, worst = test.published
        rows.append([test.title, "published", "", peak, "", write_ms, "", worst, "", ""])
        for in_flight in test.in_flight:
            for discipline in DISCIPLINES:
                run = runs[_name(test, in_flight, discipline)]
                rows.append([test.title, f"{in_flight}", discipline, *_figures(run, test.limit)])
    return table(head, rows)


def _figures(run: Run, limit: int) -> list[str]:
    written = run.during(DATABASE)
    above = run.seconds_above(1.01 * limit) / len(run.result["cycles"])
    return [
        f"{run.writes.plateau(written):,.0f}",
        f"{run.writes.best():,}",
        f"{run.latency('data', 'write')['mean'] / 1000:.2f} ms",
        f"{run.reads.mean_ms(written):.2f} ms",
        f"{max(run.reads.means_ms(1)):.2f} ms",
        f"{run.length_s(DATABASE):.1f} s",
        f"{above:.1f} s",
    ]
