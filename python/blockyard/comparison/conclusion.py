"""The conclusion of a comparison, in one sentence that can be forwarded.

It is drawn from two figures of each job, the IOs a second and the p99 of their latency, or the
same of its transactions if it does any. A percent stands only beside the figures that it is of.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict

from blockyard._core import ALIKE, GAIN, MANY_TIMES
from blockyard.comparison import burst_credits, side_costs
from blockyard.comparison.comparability import unlike
from blockyard.comparison.figures import ALL, RATES, TRANSACTION
from blockyard.comparison.side_costs import SideCost
from blockyard.runs.run import Run
from blockyard.text.formatting import latency, number, rate
from blockyard.types.comparison import Change, Row

Whole = Literal[
    "better",
    "worse",
    "better and worse",
    "alike",
    "not shown",
    "too little to tell",
    "not comparable",
]

# The burst credits that the first side and another live on.
_Both = tuple[burst_credits.Ends | None, burst_credits.Ends | None]

# More jobs than these have no clause of their own.
_MOST_JOBS = 3


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


@dataclass(frozen=True)
class _Figure:
    """A figure of both sides."""

    name: str
    first: float
    other: float
    change: Change

    @property
    def state(self) -> Whole:
        """What is shown, without what is too small to matter."""
        verdict = self.change["verdict"]
        if verdict == "too little to tell":
            return verdict
        if verdict in ("better", "worse") and abs(self.change["relative"]) >= GAIN:
            return verdict
        return "not shown" if verdict == "no difference shown" else "alike"


@dataclass(frozen=True)
class _Job:
    name: str
    figures: list[_Figure]


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
    jobs = list(_jobs(side, rows))
    lasts = burst_credits.against(*ending)
    figures = [figure.state for job in jobs for figure in job.figures]
    whole = _whole([*figures, *([lasts] if lasts else [])])
    modes = (ours[0].result["mode"], theirs[0].result["mode"])
    asked = modes[0] != modes[1] and "simulate" in modes
    fits = _fits(jobs) if asked else None
    if asked:
        end = _of_the_model(fits, "emulate" in modes)
    else:
        end = _judged(whole, jobs, (lasts, ending))
        if money and whole in _WEIGHED:
            end = f"{end}, and {money[1]}"
    called = _called(a, ours[0], asked), _called(b, theirs[0], asked)
    limited = [
        f"; {burst_credits.clause(name, ends)}"
        for name, ends in zip(called, ending, strict=True)
        if ends
    ]
    cost = f"{', ' if len(jobs) == 1 else '; '}{money[0]}" if money and not asked else ""
    sentence = f"{_said(jobs, *called)}{cost}{''.join(limited)}: {end}."
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
}


def _called(name: str, run: Run, by_mode: bool) -> str:
    return f"{_CALLED[run.result['mode']]} (`{name}`)" if by_mode else f"`{name}`"


def _jobs(side: int, rows: Sequence[Row]) -> Iterator[_Job]:
    """Rate and p99 of each job as a whole: of what comes first of it, and both sides have."""
    found: dict[str, tuple[str | None, str | None]] = {}
    for row in rows:
        if row["op"] != TRANSACTION or _figure(side, row):
            found.setdefault(row["job"], (row["device"], row["op"]))
    for job, part in found.items():
        of_job = {
            row["figure"]: row
            for row in rows
            if row["job"] == job and (row["device"], row["op"]) == part
        }
        figures = {name: _figure(side, row) for name, row in of_job.items()}
        # Without percentiles, as in a file of iostat, the mean is what there is of latency.
        slower = figures.get("latency.p99") or figures.get("latency.mean")
        if kept := [
            figure for figure in (figures.get("tps", figures.get("iops")), slower) if figure
        ]:
            yield _Job(job, kept)


def _figure(side: int, row: Row) -> _Figure | None:
    first, other, change = row["values"][0], row["values"][side], row["changes"][side - 1]
    if first is None or other is None or change is None:
        return None
    return _Figure(row["figure"], first, other, change)


def _whole(states: Sequence[Whole]) -> Whole:
    if "better" in states and "worse" in states:
        return "better and worse"
    order: tuple[Whole, ...] = ("better", "worse", "too little to tell", "not shown", "alike")
    return next((state for state in order if state in states), "too little to tell")


def _fits(jobs: Sequence[_Job]) -> bool | None:
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
    jobs: Sequence[_Job],
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
    several = len(jobs) > 1
    lasts, ending = sustains
    better, worse = (
        _listed(
            [*_in(jobs, state, several), *([burst_credits.what(*ending)] if lasts == state else [])]
        )
        for state in ("better", "worse")
    )
    return f"better in {better}, worse in {worse}"


def _in(jobs: Sequence[_Job], state: str, several: bool) -> list[str]:
    return [
        f"{_NAMES[figure.name]} of {job.name}" if several else _NAMES[figure.name]
        for job in jobs
        for figure in job.figures
        if figure.state == state
    ]


_NAMES = {"iops": "IOPS", "tps": "TPS", "latency.p99": "p99", "latency.mean": "mean latency"}


def _said(jobs: Sequence[_Job], first: str, other: str) -> str:
    """The figures of both sides: `` `b` vs `a`: readers +49% IOPS (…), p99 -27% (…)``."""
    both = f"{other} vs {first}"
    if not jobs:
        return f"{both}: no figure in common"
    if len(jobs) == 1:
        bare = all(figure.state == "too little to tell" for figure in jobs[0].figures)
        return f"{both}: {_of_job(jobs[0], bare=bare)}"
    said = [_of_job(job) for job in jobs if not _is_alike(job)]
    if len(said) > _MOST_JOBS:
        said[_MOST_JOBS:] = [f"{len(said) - _MOST_JOBS} more jobs in the table"]
    alike = [job.name for job in jobs if _is_alike(job)]
    if alike:
        who = "all jobs" if len(alike) == len(jobs) else _listed(alike)
        figures = [figure for job in jobs if _is_alike(job) for figure in job.figures]
        same = _listed(list(dict.fromkeys(_NAMES[figure.name] for figure in figures)))
        within = "1%" if all(_within_a_percent(figure.change) for figure in figures) else "5%"
        said.append(f"{who} {same} alike within {within}")
    return f"{both}: {'; '.join(said)}"


def _of_job(job: _Job, *, bare: bool = False) -> str:
    name = f"{job.name} " if job.name != ALL else ""
    return f"{name}{', '.join(_clause(figure, bare=bare) for figure in job.figures)}"


def _is_alike(job: _Job) -> bool:
    return all(figure.state == "alike" for figure in job.figures)


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _clause(figure: _Figure, *, bare: bool = False) -> str:
    """A figure with its change and both values.

    It is `bare` where the sentence ends in what would be said of each.
    """
    name, state, relative = _NAMES[figure.name], figure.state, figure.change["relative"]
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
