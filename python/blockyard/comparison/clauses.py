"""What a conclusion says of each job: the figures of both sides, and the change."""

from collections.abc import Sequence

from blockyard._core import GAIN, MANY_TIMES
from blockyard.comparison.figures import ALL, RATES
from blockyard.comparison.job_figures import Figure, Job, LoneJob
from blockyard.text.formatting import latency, number, rate
from blockyard.types.comparison import Change
from blockyard.words.phrases import listed

# More jobs than these have no clause of their own.
_MOST_JOBS = 3


NAMES = {"iops": "IOPS", "tps": "TPS", "latency.p99": "p99", "latency.mean": "mean latency"}


def said(jobs: Sequence[Job], lone: Sequence[LoneJob], first: str, other: str) -> str:
    """The figures of both sides: `` `b` vs `a`: readers +49% IOPS (…), p99 -27% (…)``."""
    both = f"{other} vs {first}"
    if not jobs and not lone:
        return f"{both}: no figure in common"
    if len(jobs) == 1 and not lone:
        bare = all(figure.state == "too little to tell" for figure in jobs[0].figures)
        return f"{both}: {_of_job(jobs[0], bare=bare)}"
    parts = [_of_lone(job) for job in lone]
    parts += [_of_job(job) for job in jobs if not _is_alike(job)]
    if len(parts) > _MOST_JOBS:
        parts[_MOST_JOBS:] = [f"{len(parts) - _MOST_JOBS} more jobs in the table"]
    alike = [job for job in jobs if _is_alike(job)]
    if alike:
        parts.append(_of_alike(alike, all_jobs=len(alike) == len(jobs) + len(lone)))
    return f"{both}: {'; '.join(parts)}"


def _of_alike(jobs: Sequence[Job], *, all_jobs: bool) -> str:
    who = "all jobs" if all_jobs else listed([job.name for job in jobs])
    figures = [figure for job in jobs for figure in job.figures]
    same = listed(list(dict.fromkeys(NAMES[figure.name] for figure in figures)))
    within = "1%" if all(_within_a_percent(figure.change) for figure in figures) else "5%"
    return f"{who} {same} alike within {within}"


def _of_lone(job: LoneJob) -> str:
    values = [rate(job.value), "none"]
    other, first = reversed(values) if job.first else values
    return f"{job.name} {NAMES[job.figure]} {other} vs {first}"


def _of_job(job: Job, *, bare: bool = False) -> str:
    name = f"{job.name} " if job.name != ALL else ""
    return f"{name}{', '.join(_clause(figure, bare=bare) for figure in job.figures)}"


def _is_alike(job: Job) -> bool:
    return all(figure.state == "alike" for figure in job.figures)


def _clause(figure: Figure, *, bare: bool = False) -> str:
    """A figure with its change and both values.

    It is `bare` where the sentence ends in what would be said of each.
    """
    name, state, relative = NAMES[figure.name], figure.state, figure.change["relative"]
    is_rate = figure.name in RATES
    shown = rate if is_rate else latency
    values = f"{shown(figure.other)} vs {shown(figure.first)}"
    if state == "alike":
        within = "1%" if _within_a_percent(figure.change) else "5%"
        return f"{name} alike within {within} ({values})"
    if state in ("better", "worse"):
        return f"{_change(name, relative, is_rate=is_rate)} ({values})"
    low, high = figure.change["interval"] or (relative, relative)
    shown_is = (
        "too little data to rule out chance"
        if state == "too little to tell"
        else f"no difference shown, {low:+.0%} to {high:+.0%}"
    )
    return f"{name} {values}{'' if bare else f' ({shown_is})'}"


def _within_a_percent(change: Change) -> bool:
    return all(abs(bound) < GAIN for bound in change["interval"] or (1.0,))


def _change(name: str, relative: float, *, is_rate: bool) -> str:
    """A change that is shown: `+49% IOPS`, `p99 -27%`, `4.11 times the IOPS`."""
    if relative >= MANY_TIMES - 1:
        times = f"{number(1 + relative)} times"
        return f"{times} the {name}" if is_rate else f"{name} {times} as long"
    sign = "+" if relative > 0 else "-"
    percent = f"{sign}{number(100 * abs(relative), 2)}%"
    return f"{percent} {name}" if is_rate else f"{name} {percent}"
