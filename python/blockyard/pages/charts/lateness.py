"""Lateness of an emulation: how long after the model's time answers went out."""

from collections.abc import Iterable, Sequence

from blockyard.pages.charts.axes import TIME
from blockyard.pages.charts.spans import spans
from blockyard.pages.figure import Axis, Figure, Level, Lines, Series
from blockyard.runs.run import Run
from blockyard.text.formatting import duration
from blockyard.words.thresholds import TRUSTED_MS

# As the latency log calls it.
TAG = "lateness"

_QUANTILES = (("p50", 0.5), ("p99", 0.99), ("max", 1.0))


def needs(run: Run) -> bool:
    """An emulation that kept its lateness by interval."""
    return TAG in run.latencies.tags


def figures(runs: Sequence[Run], bin_s: float) -> Iterable[Figure]:
    """Median, p99 and maximum; of several runs the p99."""
    shown = _QUANTILES if len(runs) == 1 else _QUANTILES[1:2]
    width = max(bin_s, *(run.interval_s for run in runs))
    found = [dict(run.latencies.over_time([TAG], width)) for run in runs]
    at = sorted({t_s for bins in found for t_s in bins})
    series: list[Series] = []
    for run, bins in zip(runs, found, strict=True):
        for label, quantile in shown:
            values = [
                bins[t_s].quantiles_us([quantile])[0] / 1000 if t_s in bins else None for t_s in at
            ]
            name = label if len(runs) == 1 else f"{run.name} {label}"
            series.append(Series(name, values, len(series)))
    yield Figure(
        name="lateness",
        title="Lateness of the emulation",
        caption="How long after the model's time answers went out, of all within "
        f"{duration(width)}. Above {TRUSTED_MS} ms this machine was too slow to be trusted.",
        plot=Lines(
            x=TIME,
            y=Axis("lateness", "ms", "log"),
            at=at,
            series=series,
            levels=[Level(f"trusted up to {TRUSTED_MS} ms", TRUSTED_MS)],
            spans=spans(runs),
        ),
    )
