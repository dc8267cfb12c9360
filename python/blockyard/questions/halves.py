"""How well the first half of a run predicts the second: what a description of it is worth."""

from collections.abc import Iterator, Sequence
from statistics import quantiles

from blockyard.questions.demand_window import FLOWS, Window
from blockyard.runs.run import Run

# Fewer intervals, or IOs, in a half say nothing of the other.
_INTERVALS = 10
_IOS = 1_000
_SHARES = (0.50, 0.95, 0.99)


def error(run: Run, window: Window) -> Iterator[str]:
    """The error of the first half's rates and latencies as a forecast of the second, if known."""
    said = [*_rates(window), *_latencies(run)]
    if said:
        yield f"error of its first half as a forecast of the second: {'; '.join(said)}"


def _rates(window: Window) -> Iterator[str]:
    intervals = round(window.duration_s / window.length_s)
    half = intervals // 2
    if half < _INTERVALS:
        return
    # Intervals without IOs may be missing.
    ios = [0] * intervals
    for slot in window.slots:
        place = round((slot.start_s - window.start_s) / window.length_s)
        if place < intervals:
            ios[place] += slot.ios
    first, second = (_of(part) for part in (ios[:half], ios[half : 2 * half]))
    yield from _said(f"IOPS of {window.length_s:g} s", first, second)


def _of(ios: Sequence[int]) -> list[float]:
    hundredths = quantiles(ios, n=100, method="inclusive")
    return [hundredths[round(100 * share) - 1] for share in _SHARES]


def _latencies(run: Run) -> Iterator[str]:
    middle = run.result["duration_s"] / 2
    for op, flow in FLOWS.items():
        tags = [tag for tag in run.latencies.tags if tag.endswith(f".{op}")]
        first = run.latencies.merged(tags, to_s=middle)
        second = run.latencies.merged(tags, from_s=middle)
        if min(first.count, second.count) >= _IOS:
            found = (half.quantiles_us(_SHARES) for half in (first, second))
            yield from _said(f"latency of {flow}", *found)


def _said(what: str, first: Sequence[float], second: Sequence[float]) -> Iterator[str]:
    errors = [
        f"p{100 * share:g} {100 * (one / other - 1):+.0f}%"
        for share, one, other in zip(_SHARES, first, second, strict=True)
        if other
    ]
    if errors:
        yield f"{what} {', '.join(errors)}"
