"""Latencies below limits, predicted without the source that measured them.

Profiles are pooled from several sources. What a source's rows would have been predicted to be
without it follows without another simulation, as an IO that nothing delays takes its profile's
time: each figure times what the other sources measured, as a multiple of what is predicted for
them, by their geometric mean with one vote a source. What the profile itself holds cancels out.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import exp, log
from statistics import mean, median

from validation.measured.compare import Compared
from validation.measured.figures import LATENCIES
from validation.measured.rows import Row

# Volume type, operation and figure: what has a level of its own.
Level = tuple[str, str, str]


def errors_without(
    compared: Iterable[Compared], rows: Mapping[str, Row]
) -> dict[tuple[str, Level], float]:
    """The error of each row and level, with the profile pooled from all other sources.

    Rows whose figure no other source measured have none.
    """
    found = ratios(compared, rows)
    by_level: dict[Level, dict[str, list[float]]] = {}
    for (row, level), ratio in found.items():
        by_level.setdefault(level, {}).setdefault(rows[row].prefix, []).append(ratio)
    votes = {level: _votes(sources) for level, sources in by_level.items()}
    errors = {}
    for (row, level), ratio in found.items():
        others = [vote for source, vote in votes[level].items() if source != rows[row].prefix]
        if others:
            errors[row, level] = exp(mean(others) - ratio) - 1
    return errors


def ratios(compared: Iterable[Compared], rows: Mapping[str, Row]) -> dict[tuple[str, Level], float]:
    """Logarithms of measured over predicted below limits, of each row by level."""
    parts: dict[tuple[str, Level], list[float]] = {}
    for one in compared:
        figure = one.figure
        if one.counts and figure.quantity in LATENCIES and not figure.at_limit:
            level = (rows[one.row].volume.type, figure.op, figure.quantity)
            parts.setdefault((one.row, level), []).append(log(figure.measured / one.predicted))
    return {key: median(of) for key, of in parts.items()}


def _votes(sources: Mapping[str, Sequence[float]]) -> dict[str, float]:
    return {source: mean(of) for source, of in sources.items()}
