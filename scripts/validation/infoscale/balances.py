"""When gp2's credits are used up, foretold and simulated."""

from dataclasses import dataclass

from validation.infoscale.grid import SINGLE, TCP, cell
from validation.markdown import table
from validation.run import Job, Run, Runs

# Of a gp2 volume below 34 GiB: tokens in the bucket, and those that flow in a second
# (catalog/volumes.yaml).
CREDITS, BASELINE = 5_400_000, 100


@dataclass(frozen=True)
class Case:
    """A configuration that runs until after the end of its credits."""

    title: str
    configuration: str
    duration: str
    # The share of the reads that the volume first used up serves.
    reads: float = 1.0
    sets: tuple[str, ...] = ()

    @property
    def job(self) -> Job:
        """The run."""
        return Job(
            f"infoscale/{self.configuration}.yaml", (f"duration={self.duration}", *self.sets)
        )


LOCAL = ("storage.data.mirror.read=local",)
CASES = (
    Case("1 single", SINGLE, "50m"),
    Case("3 TCP, reads in turn", TCP, "140m", 0.5),
    Case("3 TCP, reads local", TCP, "84m", 1.0, LOCAL),
)


def jobs() -> dict[str, Job]:
    """What the table needs."""
    return {_name(case): case.job for case in CASES} | {
        f"{_name(case)}, beginning": Job(case.job.path, ("duration=10m", *case.sets))
        for case in CASES
    }


def _name(case: Case) -> str:
    return f"infoscale, credits, {case.title}"


def _used(run: Run, reads: float) -> float:
    """IOs a second of the volume that is used most, by an IO of the device."""
    totals = {total["op"]: total["iops"] for total in run.result["totals"]}
    return totals["write"] + reads * totals["read"]


def _ends(run: Run, before: float) -> int:
    """The first second with less than half of the IOs before."""
    seconds: dict[int, int] = {}
    for series in run.seconds.values():
        for second, (ios, _) in series.rows.items():
            seconds[second] = seconds.get(second, 0) + ios
    return min(second for second, ios in seconds.items() if ios < before / 2)


def burst_end(runs: Runs) -> str:
    """For each case the rate, when it ends as foretold and as simulated, and what is left."""
    rows = []
    for case in CASES:
        run, beginning = runs[_name(case)], runs[f"{_name(case)}, beginning"]
        before, used = cell(beginning).iops, _used(beginning, case.reads)
        foretold, simulated = CREDITS / (used - BASELINE), _ends(run, before)
        last = [seconds.ios(second) for seconds in run.seconds.values() for second in _tail(run)]
        rows.append([
            case.title, f"{before:,.0f}", f"{used:,.0f}",
            f"{foretold:,.0f} s", f"{simulated:,} s",
            f"{BASELINE * before / used:,.0f}", f"{sum(last) / len(_tail(run)):,.0f}",
        ])  # fmt: skip
    head = ["configuration", "IOPS", "IOs a second of the volume used most"]
    head += ["credits end, foretold", "simulated", "IOPS then, foretold", "simulated"]
    return table(head, rows)


def _tail(run: Run) -> range:
    """The last minute of a run."""
    end = round(run.result["duration_s"])
    return range(end - 60, end)
