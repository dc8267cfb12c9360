"""Percentiles of several series together, from those of each."""

from bisect import bisect_left
from collections.abc import Sequence
from math import exp, log

from blockyard.runs.run import Percentiles

# Below any latency that is measured, for a logarithm.
_LEAST_US = 1e-3


def mixture(parts: Sequence[tuple[int, Percentiles]]) -> Percentiles:
    """Return the percentiles of all latencies of `parts`: how many each has, and its percentiles.

    Between two known percentiles latencies are taken to be spread evenly by their logarithm, so
    a result lies between the least and the greatest of the parts, and is exact where they agree.
    Empty unless all have the same percentiles, and both ends.
    """
    shares = [[share for share, _ in part] for _, part in parts]
    if not shares or shares[0][:1] != [0.0] or any(one != shares[0] for one in shares):
        return []
    places = sorted({us for _, part in parts for _, us in part})
    total = sum(count for count, _ in parts)
    spans = [[_span(part, us) for _, part in parts] for us in places]
    weights = [count / total for count, _ in parts]
    below = [sum(w * low for w, (low, _) in zip(weights, span, strict=True)) for span in spans]
    upto = [sum(w * high for w, (_, high) in zip(weights, span, strict=True)) for span in spans]
    ends = {0.0: places[0], 1.0: places[-1]}
    return [(share, ends.get(share) or _inverse(places, below, upto, share)) for share in shares[0]]


def _span(part: Percentiles, us: float) -> tuple[float, float]:
    """The shares of a part's latencies that are shorter, and that are at most so long."""
    shorter = [at for at, (_, value) in enumerate(part) if value < us]
    longer = [at for at, (_, value) in enumerate(part) if value > us]
    equal = [share for share, value in part if value == us]
    if equal:
        return equal[0] if shorter else 0.0, equal[-1] if longer else 1.0
    if not (shorter and longer):
        return (1.0, 1.0) if shorter else (0.0, 0.0)
    (low, short), (high, long) = part[shorter[-1]], part[longer[0]]
    between = low + (high - low) * (_log(us) - _log(short)) / (_log(long) - _log(short))
    return between, between


def _inverse(
    places: Sequence[float], below: Sequence[float], upto: Sequence[float], share: float
) -> float:
    """The latency that this share of all is at most as long as."""
    at = min(bisect_left(upto, share), len(places) - 1)
    if at == 0 or share > below[at] or below[at] <= upto[at - 1]:
        return places[at]
    part = (share - upto[at - 1]) / (below[at] - upto[at - 1])
    low, high = _log(places[at - 1]), _log(places[at])
    return exp(low + (high - low) * part)


def _log(us: float) -> float:
    return log(max(us, _LEAST_US))
