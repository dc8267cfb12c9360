"""How many IOs each limit throttled at a time: what held them back, and when."""

import math
from collections.abc import Iterable, Sequence

import pyarrow.compute as pc

from blockyard.pages.charts.axes import TIME
from blockyard.pages.charts.history import HAIR
from blockyard.pages.charts.overlay import common_bin_s
from blockyard.pages.charts.spans import spans
from blockyard.pages.figure import Axis, Figure, Lines, Series
from blockyard.runs.run import Run
from blockyard.text.formatting import duration
from blockyard.text.limit_names import in_words
from blockyard.types.facts import WaitSeries

_AXIS = Axis("throttled by limits", "IOs")


def needs(run: Run) -> bool:
    """A limit that throttled IOs in some interval."""
    return bool(_series(run))


def figures(runs: Sequence[Run], bin_s: float) -> Iterable[Figure]:  # noqa: ARG001 as all charts
    """By limit; of several runs all limits together."""
    width = common_bin_s(runs, 0.0)
    lines: dict[str, list[float | None]] = {}
    for run in runs:
        throttled_ios = throttled_over_time(run, width)
        if len(runs) > 1:
            throttled_ios = {
                run.name: [sum(parts) for parts in zip(*throttled_ios.values(), strict=True)]
            }
        lines |= throttled_ios
    longest = max(map(len, lines.values()))
    yield Figure(
        name="waiting",
        title="IOs that limits throttled",
        caption=f"How many IOs waited for tokens, on average over each {duration(width)}. An IO "
        "counts where it was let go.",
        plot=Lines(
            x=TIME,
            y=_AXIS,
            at=[number * width for number in range(longest)],
            series=[
                Series(name, [*values, *[None] * (longest - len(values))], number)
                for number, (name, values) in enumerate(lines.items())
            ],
            spans=spans(runs),
        ),
    )


def throttled_over_time(run: Run, bin_s: float) -> dict[str, list[float | None]]:
    """Of each limit that throttled IOs, how many it throttled on average in each bin."""
    bins = 1 + math.floor(pc.max(run.volumes["t_s"]).as_py() / bin_s + HAIR)
    found: dict[str, list[float | None]] = {}
    for series in _series(run):
        waiting = [0.0] * bins
        for t_s, waited_us in zip(series["t_s"], series["waited_us"], strict=True):
            waiting[math.floor(t_s / bin_s + HAIR)] += waited_us / 1e6 / bin_s
        found[in_words(series["limit"])] = [*waiting]
    return found


def _series(run: Run) -> list[WaitSeries]:
    modelled = run.facts and run.facts["modelled"]
    return modelled["series"] if modelled else []
