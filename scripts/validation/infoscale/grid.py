"""The five configurations under the nine access patterns."""

from collections.abc import Mapping
from dataclasses import dataclass

from validation.markdown import table
from validation.run import Job, Run, Runs

# The scenarios below `infoscale`, and what heads their columns.
CONFIGURATIONS = {
    "1-single-node": "1 single",
    "2-shared-disk": "2 shared",
    "3-mirror-tcp": "3 TCP",
    "4-mirror-udp": "4 UDP",
    "5-mirror-two-zones": "5 two zones",
}
SINGLE, SHARED, TCP, UDP, ZONES = CONFIGURATIONS
MIRRORS = (TCP, UDP, ZONES)

# KiB, percent read, percent random.
PATTERNS = {
    f"{kib} KiB {way}, {read} % read": f"{{size: {kib}KiB, read: {read}%, random: {random}%}}"
    for kib, way, random in ((4, "random", 100), (4, "sequential", 0), (64, "sequential", 0))
    for read in (100, 50, 0)
}

# The pattern whose figures were published.
SHOWN = "4 KiB random, 50 % read"


@dataclass(frozen=True)
class Cell:
    """The figures of one configuration under one pattern."""

    iops: float
    # What packets take of all processors of the first host, in percent: a single node has none.
    cpu_points: float


# By pattern and configuration.
Grid = Mapping[tuple[str, str], Cell]


@dataclass(frozen=True)
class Choice:
    """What is assumed otherwise than in the scenarios."""

    title: str
    # Overrides of all five, of the mirrors, and of single configurations beside that.
    every: tuple[str, ...] = ()
    mirrors: tuple[str, ...] = ()
    own: tuple[tuple[str, str], ...] = ()

    def job(self, pattern: str, configuration: str) -> Job:
        """The run of one cell."""
        sets = [f"workload.load.pattern={PATTERNS[pattern]}", *self.every]
        if configuration in MIRRORS:
            sets += self.mirrors
        sets += [value for name, value in self.own if name == configuration]
        return Job(f"infoscale/{configuration}.yaml", tuple(sets))

    def jobs(self) -> dict[str, Job]:
        """All 45 runs."""
        return {
            _name(self, pattern, configuration): self.job(pattern, configuration)
            for pattern in PATTERNS
            for configuration in CONFIGURATIONS
        }

    def grid(self, runs: Runs) -> Grid:
        """Their figures."""
        return {
            (pattern, configuration): cell(runs[_name(self, pattern, configuration)])
            for pattern in PATTERNS
            for configuration in CONFIGURATIONS
        }


AS_IS = Choice("as in the scenarios")


def _name(choice: Choice, pattern: str, configuration: str) -> str:
    return f"infoscale, {choice.title}, {pattern}, {configuration}"


def cell(run: Run) -> Cell:
    """The figures of a run over all operations."""
    totals = run.result["totals"]
    packets = run.result.get("packet_cpu", [])
    return Cell(
        iops=sum(total["iops"] for total in totals),
        cpu_points=100 * (packets[0]["share"] or 0.0) if packets else 0.0,
    )


def nine_patterns(runs: Runs) -> str:
    """IOPS of each configuration under each pattern, and CPU points of the mirrors."""
    grid = AS_IS.grid(runs)
    rows = []
    for pattern in PATTERNS:
        iops = (f"{grid[pattern, name].iops:,.0f}" for name in CONFIGURATIONS)
        points = (f"{grid[pattern, name].cpu_points:.2f}" for name in MIRRORS)
        rows.append([pattern, *iops, ", ".join(points)])
    return table(["pattern", *CONFIGURATIONS.values(), "CPU points 3, 4, 5"], rows)
