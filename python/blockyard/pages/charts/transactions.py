"""Transactions: how many a second and how long they take, over time and against IOPS."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from blockyard.pages.charts.axes import LATENCY, TIME
from blockyard.pages.charts.history import HAIR, History, history
from blockyard.pages.charts.overlay import DASHES, common_bin_s
from blockyard.pages.charts.percentiles import grid, quantile_ms
from blockyard.pages.charts.series import movers
from blockyard.pages.charts.spans import spans
from blockyard.pages.figure import Axis, Curve, Curves, Figure, Lane, Lanes, Lines, Plot, Series
from blockyard.runs.run import Run
from blockyard.text.formatting import clock, duration
from blockyard.types.result import Quartiles, Spread

_TPS = Axis("TPS", "TPS")
_IOPS = Axis("IOPS", "IOPS")
_P99 = Axis("p99", "ms")
_QUARTERS = (
    "lowest to 1st quartile",
    "1st quartile to median",
    "median to 3rd quartile",
    "3rd quartile to highest",
)
# More points than this lie on top of each other.
_MOST_POINTS = 1000


class _Part(NamedTuple):
    """What a line is of: jobs of a run."""

    label: str
    run: Run
    jobs: Sequence[str]

    @property
    def tags(self) -> list[str]:
        """Where the latencies of its transactions are."""
        return [f"{job}.transaction" for job in self.jobs]


def needs(run: Run) -> bool:
    """A job that does transactions."""
    return bool(run.transactions.num_rows)


def figures(runs: Sequence[Run], bin_s: float) -> Iterable[Figure]:
    """Job by job of one run; of several each over all its jobs, but for the spread."""
    alone = len(runs) == 1
    parts = [_Part(run.name, run, _jobs(run)) for run in runs]
    if alone:
        parts = [_Part(job, runs[0], [job]) for job in _jobs(runs[0])]
    whose = "" if alone else "Each run over all its jobs: "
    yield _rates(runs, parts, runs[0].interval_s if alone else common_bin_s(runs, bin_s), whose)
    yield _p99(runs, parts, common_bin_s(runs, bin_s), whose)
    yield from _spread(runs)
    yield _against_iops(parts, common_bin_s(runs, 0.0), whose)


def _jobs(run: Run) -> list[str]:
    return [total["job"] for total in run.result.get("transactions", [])]


def _rates(runs: Sequence[Run], parts: Sequence[_Part], width: float, whose: str) -> Figure:
    histories = [history(part.run, width) for part in parts]
    at = max((found.at for found in histories), key=len)
    lines = []
    for number, (part, found) in enumerate(zip(parts, histories, strict=True)):
        values = _per_second(part, found, width)
        values += [None] * (len(at) - len(values))
        lines.append(Series(part.label, values, number, DASHES[number % len(DASHES)]))
    return Figure(
        name="tps",
        title="Transactions a second",
        caption=_said(whose, f"transactions that ended, in means of {duration(width)}."),
        plot=Lines(TIME, _TPS, at, lines, spans=spans(runs)),
        group="transactions",
    )


def _said(whose: str, what: str) -> str:
    return whose + what if whose else what[0].upper() + what[1:]


def _per_second(part: _Part, found: History, width: float) -> list[float | None]:
    """How many ended a second in each bin of a history."""
    ended = [0] * len(found.at)
    rows = part.run.transactions.select(["t_s", "job", "count"]).to_pylist()
    for row in rows:
        place = math.floor(row["t_s"] / width + HAIR)
        if row["job"] in part.jobs and place < len(ended):
            ended[place] += row["count"]
    return [count / length for count, length in zip(ended, found.lengths_s, strict=True)]


def _p99(runs: Sequence[Run], parts: Sequence[_Part], width: float, whose: str) -> Figure:
    at = grid(runs, width)
    lines = []
    for number, part in enumerate(parts):
        bins = dict(part.run.latencies.over_time(part.tags, width))
        dash = DASHES[number % len(DASHES)]
        lines.append(Series(part.label, quantile_ms(bins, at, 0.99), number, dash))
    what = f"99th percentile of the transactions that ended within each {duration(width)}."
    return Figure(
        name="transaction-p99",
        title="p99 of transactions",
        caption=whose + what,
        plot=Lines(TIME, LATENCY, at, lines, spans=spans(runs)),
        group="transactions",
    )


def _spread(runs: Sequence[Run]) -> Iterator[Figure]:
    """Boxes of the intervals of 5 s, a lane for each job of each run."""
    boxes = [
        (total["job"] if len(runs) == 1 else f"{run.name} {total['job']}", spread)
        for run in runs
        for total in run.result.get("transactions", [])
        if (spread := total.get("by_5s"))
    ]
    kinds: list[tuple[str, str, Axis, Callable[[Spread], Quartiles], float]] = [
        ("tps-5s", "Transactions a second, every 5 s by itself", _TPS, lambda it: it["tps"], 1.0),
        ("p99-5s", "p99 of transactions, every 5 s by itself", _P99, lambda it: it["p99_us"], 1e-3),
    ]
    for name, title, axis, of, scale in kinds if boxes else ():
        yield Figure(
            name=name,
            title=title,
            caption="Intervals of 5 s, without the warm-up: a quarter of them in each "
            "piece, half between the quartiles.",
            plot=Lanes(axis, _QUARTERS, [_lane(label, of(box), scale) for label, box in boxes]),
            group="transactions-5s",
        )


def _lane(label: str, of: Quartiles, scale: float) -> Lane:
    ends = [scale * end for end in (of["min"], of["q1"], of["median"], of["q3"], of["max"])]
    return Lane(label, [(ends[kind], ends[kind + 1], kind) for kind in range(4)])


def _against_iops(parts: Sequence[_Part], least_s: float, whose: str) -> Figure:
    """A point for each bin after the warm-up."""
    run = max((part.run for part in parts), key=lambda run: run.result["duration_s"])
    intervals = max(least_s, run.result["duration_s"] / _MOST_POINTS) / run.interval_s
    width = run.interval_s * math.ceil(intervals - HAIR)
    clouds = []
    for number, part in enumerate(parts):
        found = history(part.run, width)
        keys = [key for key in movers(part.run) if key.job in part.jobs]
        iops = found.rates(keys, lambda it: it.ios)
        tps = _per_second(part, found, width)
        points = [
            (x, y, clock(at))
            for at, x, y in zip(found.at, iops, tps, strict=True)
            if x is not None and y is not None and at >= part.run.warmup_s
        ]
        clouds.append(Curve(part.label, points, number, joined=False))
    plot: Plot = Curves(_IOPS, _TPS, clouds)
    what = f"a point for each {duration(width)} after the warm-up; IOPS are those of the same jobs."
    return Figure("tps-iops", "Transactions a second against IOPS", _said(whose, what), plot)
