"""Whether runs can be compared, and by what."""

from collections.abc import Iterable, Iterator, Sequence

from blockyard.runs.run import Run
from blockyard.text.formatting import duration

# Mean sizes of IOs that differ by more than this are of different workloads.
_SIZES = 0.1

# Foreign files that name the jobs.
_WITH_JOBS = ("fio", "pgbench", "sysbench")


class UnlikeError(ValueError):
    """Runs that are not comparable: a line for each reason."""


def check(first: Run, others: Sequence[Run]) -> None:
    """Check that runs can be compared with the first. Raises UnlikeError if not."""
    reasons = [
        f"{first.name} and {other.name}: {reason}"
        for other in others
        for reason in unlike(first, other)
    ]
    if reasons:
        raise UnlikeError("\n".join(dict.fromkeys(reasons)))


def unlike(first: Run, other: Run) -> list[str]:
    """Why two runs cannot be compared, a line for each reason; nothing if they can.

    Of runs whose workload is known, it and its times must be the same; of others, what
    their IOs look like.
    """
    return list(_reasons(first, other))


def _reasons(first: Run, other: Run) -> Iterator[str]:
    for run in (first, other):
        if run.result["status"] != "complete" and not _just_stopped(run):
            after = duration(run.result["duration_s"])
            yield f"{run.name} is {run.result['status']}, after {after}"
    if is_known(first) and is_known(other):
        yield from first.asked().unlike(other.asked())
    else:
        yield from _sizes(first, other)


def _just_stopped(run: Run) -> bool:
    """An emulation serves until it is stopped."""
    return run.result["mode"] == "emulate" and run.result["status"] == "interrupted"


def _sizes(first: Run, other: Run) -> Iterator[str]:
    for op in ("read", "write"):
        mine, theirs = mean_kib(first, op), mean_kib(other, op)
        if (mine is None) != (theirs is None):
            yield f"{op}s: only {(first if mine else other).name} has them"
        elif mine and theirs and abs(theirs / mine - 1) > _SIZES:
            yield f"{op}s: {mine:,.1f} KiB against {theirs:,.1f} KiB each"


def mean_kib(run: Run, op: str) -> float | None:
    """The mean size of a run's reads or writes in KiB; None if it has none."""
    totals = [total for total in run.result["totals"] if total["op"] == op]
    ios = sum(total["ios"] for total in totals)
    return sum(total["bytes"] for total in totals) / ios / 1024 if ios else None


def taken_together(runs: Sequence[Run]) -> tuple[bool, bool]:
    """Whether the jobs of runs, and whether their devices, can only be compared all together.

    An emulation knows its clients' IOs, not their jobs, and a foreign file names devices
    its own way. Files of fio and of databases' benchmarks have jobs, which count by their names
    where all have the same.
    """
    known = all(map(is_known, runs))
    named = all(is_known(run) or run.result["mode"] in _WITH_JOBS for run in runs)
    jobs_together = not known and not (named and _alike(_jobs(run) for run in runs))
    return jobs_together, not _alike(_devices(run) for run in runs)


def _alike(names: Iterable[set[str]]) -> bool:
    return len({*map(frozenset, names)}) == 1


def _jobs(run: Run) -> set[str]:
    of_io = {total["job"] for total in run.result["totals"] if total["ios"]}
    return of_io | {total["job"] for total in run.result.get("transactions", [])}


def _devices(run: Run) -> set[str]:
    import pyarrow.compute as pc

    return set(pc.unique(run.intervals["device"]).to_pylist())


def is_known(run: Run) -> bool:
    """Whether a run's workload is known: not of an emulation's clients, nor of foreign files."""
    return run.scenario is not None and run.result["mode"] != "emulate"
