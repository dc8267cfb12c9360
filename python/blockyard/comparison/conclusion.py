"""The conclusion of a comparison, in one sentence that can be forwarded.

It is drawn from two figures of each job, the IOs a second and the p99 of their latency, or the
same of its transactions if it does any. A percent stands only beside the figures that it is of.
"""

from collections import Counter
from collections.abc import Sequence
from typing import TypedDict

from blockyard._core import ALIKE
from blockyard.comparison import burst_credits, clauses, job_figures, side_costs
from blockyard.comparison.clauses import NAMES
from blockyard.comparison.comparability import is_known, unlike
from blockyard.comparison.job_figures import Job, LoneJob, Whole
from blockyard.comparison.side_costs import SideCost
from blockyard.runs.run import Run
from blockyard.types.comparison import Change, Row
from blockyard.words.phrases import listed

# The burst credits that the first side and another live on.
_Both = tuple[burst_credits.Ends | None, burst_credits.Ends | None]


class Conclusion(TypedDict):
    """The outcome of a side against the first."""

    # From 1.
    side: int
    verdict: Whole
    # Whether the model fits, where one side is modelled and the other is not, or is served in
    # real time; None where that is not asked, or not shown.
    fits: bool | None
    # For people.
    sentence: str


def of(
    names: Sequence[str],
    sides: Sequence[Sequence[Run]],
    rows: Sequence[Row],
    costs: Sequence[SideCost | None],
    ending: Sequence[burst_credits.Ends | None],
) -> list[Conclusion]:
    """The outcome of each further side; `ending` are the burst credits that sides live on."""
    return [
        _conclusion(
            side,
            (names[0], sides[0]),
            (names[side], sides[side]),
            rows,
            side_costs.against(costs[0], costs[side]),
            (ending[0], ending[side]),
        )
        for side in range(1, len(sides))
    ]


def _conclusion(
    side: int,
    first: tuple[str, Sequence[Run]],
    other: tuple[str, Sequence[Run]],
    rows: Sequence[Row],
    money: tuple[str, str] | None,
    ending: _Both,
) -> Conclusion:
    (a, ours), (b, theirs) = first, other
    reasons = [reason for run in theirs for reason in unlike(ours[0], run)]
    if reasons:
        listed = "; ".join(dict.fromkeys(reasons))
        sentence = (
            f"`{b}` and `{a}` are not comparable ({listed}): no figure tells which is better."
        )
        return Conclusion(side=side, verdict="not comparable", fits=None, sentence=sentence)
    lone = list(job_figures.lone(side, rows, _had_by_both(ours, theirs)))
    jobs = list(job_figures.of(side, rows, {job.name for job in lone}))
    lasts = burst_credits.against(*ending)
    figures = [figure.state for job in jobs for figure in job.figures]
    figures += [job.state for job in lone]
    whole = _whole([*figures, *([lasts] if lasts else [])])
    modes = (ours[0].result["mode"], theirs[0].result["mode"])
    asked = modes[0] != modes[1] and "simulate" in modes
    fits = (False if lone else _fits(jobs)) if asked else None
    if asked:
        end = _of_the_model(fits, "emulate" in modes)
    else:
        end = _judged(whole, (jobs, lone), (lasts, ending))
        if money and whole in _WEIGHED:
            end = f"{end}, and {money[1]}"
    called = _called(a, ours[0], asked), _called(b, theirs[0], asked)
    limited = [
        f"; {burst_credits.clause(name, ends)}"
        for name, ends in zip(called, ending, strict=True)
        if ends
    ]
    cost = (
        f"{', ' if len(jobs) + len(lone) == 1 else '; '}{money[0]}" if money and not asked else ""
    )
    sentence = f"{clauses.said(jobs, lone, *called)}{cost}{''.join(limited)}: {end}."
    return Conclusion(
        side=side, verdict=whole, fits=fits, sentence=sentence[0].upper() + sentence[1:]
    )


_CALLED = {
    "simulate": "the simulation",
    "emulate": "the emulated storage",
    "bench": "the real storage",
    "fio": "fio's run",
    "iostat": "what iostat saw",
    "yaspe": "what yaspe saw",
    "sar": "what sar saw",
    "diskstats": "what /proc/diskstats counted",
    "prometheus": "what Prometheus saw",
    "systemperformance": "what SystemPerformance saw",
    "pgbench": "pgbench's run",
    "sysbench": "sysbench's run",
}


def _called(name: str, run: Run, by_mode: bool) -> str:
    return f"{_CALLED[run.result['mode']]} (`{name}`)" if by_mode else f"`{name}`"


def _whole(states: Sequence[Whole]) -> Whole:
    if "better" in states and "worse" in states:
        return "better and worse"
    order: tuple[Whole, ...] = ("better", "worse", "too little to tell", "not shown", "alike")
    return next((state for state in order if state in states), "too little to tell")


def _had_by_both(ours: Sequence[Run], theirs: Sequence[Run]) -> dict[str, int]:
    """How many IOs each job did that both sides have; empty where a workload is not known."""
    if not all(map(is_known, (*ours, *theirs))):
        return {}
    counts = [Counter[str](), Counter[str]()]
    for count, side in zip(counts, (ours, theirs), strict=True):
        for total in (total for run in side for total in run.result["totals"]):
            count[total["job"]] += total["ios"]
    first, other = counts
    return {job: ios + other[job] for job, ios in first.items() if job in other}


def _fits(jobs: Sequence[Job]) -> bool | None:
    """Whether every figure is within 5 %; None if that is not shown of each."""
    figures = [figure for job in jobs for figure in job.figures]
    if any(_is_off(figure.change) for figure in figures):
        return False
    fits = (_is_within(figure.change) for figure in figures)
    return True if figures and all(fits) else None


def _is_off(change: Change) -> bool:
    return change["verdict"] in ("better", "worse") and abs(change["relative"]) > ALIKE


def _is_within(change: Change) -> bool:
    shown = change["verdict"] in ("better", "worse", "alike within 5%")
    return shown and abs(change["relative"]) <= ALIKE


def _of_the_model(fits: bool | None, emulated: bool) -> str:
    """Whether storage does as the model says: real storage, or what serves the model itself."""
    if emulated:
        does = "the emulation does as simulated"
        does_not = "the emulation does not do as simulated, for which its machine may be too slow"
        whether = "the emulation does as simulated"
    else:
        does, does_not = "the model fits this storage", "the model does not fit this storage"
        whether = "the model fits"
    if fits is None:
        return f"too little data to tell whether {whether}; longer runs or repeats tell more"
    return does if fits else does_not


# Verdicts that a price can be weighed against.
_WEIGHED: tuple[Whole, ...] = ("better", "worse", "better and worse", "alike")


def _judged(
    whole: Whole,
    of_both: tuple[Sequence[Job], Sequence[LoneJob]],
    sustains: tuple[str | None, _Both],
) -> str:
    ends: dict[Whole, str] = {
        "better": "better",
        "worse": "worse",
        "alike": "alike",
        "not shown": "no difference shown; longer runs or repeats may show one",
        "too little to tell": "too little data to say which is better",
    }
    if whole != "better and worse":
        return ends[whole]
    jobs, lone = of_both
    several = len(jobs) + len(lone) > 1
    lasts, ending = sustains
    better, worse = (
        listed(
            [
                *_in(jobs, state, several),
                *(f"{NAMES[job.figure]} of {job.name}" for job in lone if job.state == state),
                *([burst_credits.what(*ending)] if lasts == state else []),
            ]
        )
        for state in ("better", "worse")
    )
    return f"better in {better}, worse in {worse}"


def _in(jobs: Sequence[Job], state: str, several: bool) -> list[str]:
    return [
        f"{NAMES[figure.name]} of {job.name}" if several else NAMES[figure.name]
        for job in jobs
        for figure in job.figures
        if figure.state == state
    ]
