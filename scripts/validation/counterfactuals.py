"""What decides a figure: the same run with one thing changed, and nothing else."""

from collections.abc import Callable
from dataclasses import dataclass

from validation.markdown import table
from validation.run import DATABASE, WIJ, Job, Run, Runs

# Long enough for three write-daemon cycles.
SHORT = "duration=5m"
FIFTY = "workload.readers.processes=50"
# A volume with the latency of gp3 on a host in the middle, and no limits.
NO_LIMITS = "{type: unlimited, size: 1TiB, latency: {like: gp3, spread: 0%}}"


def reads_idle(run: Run) -> str:
    """The mean latency of reads while nothing is written."""
    return f"{run.reads.mean_ms(run.idle()):.2f} ms"


def reads_in_database_phase(run: Run) -> str:
    """The mean latency of reads while the database is written."""
    return f"{run.reads.mean_ms(run.during(DATABASE)):.2f} ms"


def wij_phase(run: Run) -> str:
    """The mean length of the WIJ phase."""
    return f"{run.length_s(WIJ):.1f} s"


@dataclass(frozen=True)
class Change:
    """A figure, and what is changed to see whether it decides the figure."""

    figure: str
    of: Callable[[Run], str]
    path: str
    sets: tuple[str, ...]
    change: str
    changed: tuple[str, ...]

    @property
    def names(self) -> tuple[str, str]:
        """The names of the run as it is and of the changed one."""
        return "|".join((self.path, *self.sets)), "|".join((self.path, *self.sets, *self.changed))

    @property
    def jobs(self) -> dict[str, Job]:
        """Both runs."""
        as_is, changed = self.names
        return {as_is: Job(self.path, self.sets), changed: Job(self.path, self.sets + self.changed)}


TEST_1, TEST_2 = "intersystems-2023/test1-io2.yaml", "intersystems-2023/test2-gp3-stripe.yaml"
A006, ON_DATA = "intersystems-2022/a006.yaml", "intersystems-2022/a006-wij-on-data.yaml"

CHANGES = (
    Change(
        "2023 test 1, 50 readers: reads, nothing written", reads_idle, TEST_1, (SHORT, FIFTY),
        "256,000 IOPS on the data volume, not 100,000", ("storage.data.iops=256000",),
    ),
    Change(
        "2023 test 1, 50 readers: reads, nothing written", reads_idle, TEST_1, (SHORT, FIFTY),
        "20 readers", ("workload.readers.processes=20",),
    ),
    Change(
        "2023 test 2: WIJ phase", wij_phase, TEST_2, (SHORT,),
        "no limits on the WIJ's volumes", (f"storage.wij.of={NO_LIMITS}",),
    ),
    Change(
        "2023 test 2: WIJ phase", wij_phase, TEST_2, (SHORT,),
        "32 WIJ writes in flight, not 16", ("workload.writers.wij.asyncwij=32",),
    ),
    Change(
        "A.006: reads, database phase", reads_in_database_phase, A006, (),
        "no limits on the data volume, and no instance",
        (f"storage.data={NO_LIMITS}", "host=null"),
    ),
    Change(
        "A.006: reads, database phase", reads_in_database_phase, A006, (),
        "3 database writes in flight, not 64", ("workload.writers.wdparm.outstanding=3",),
    ),
    Change(
        "A.006, WIJ on the data volume: WIJ phase", wij_phase, ON_DATA, (),
        "1,000 MiB/s on the data volume, not 125", ("storage.data.throughput=1000MiB/s",),
    ),
)  # fmt: skip


def jobs() -> dict[str, Job]:
    """What the table needs."""
    return {name: job for change in CHANGES for name, job in change.jobs.items()}


def counterfactuals(runs: Runs) -> str:
    """Figures as they are, and after one change each."""
    rows = []
    for change in CHANGES:
        as_is, changed = (change.of(runs[name]) for name in change.names)
        rows.append([change.figure, as_is, change.change, changed])
    return table(["figure", "as it is", "with", "then"], rows)
