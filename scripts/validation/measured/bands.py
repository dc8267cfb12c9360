"""Rows that began with a balance that nobody states: between full and used-up credits."""

from collections.abc import Sequence

from validation.markdown import table
from validation.measured.accuracy import LOCAL
from validation.measured.cells import RATES
from validation.measured.compare import Compared, Outcome
from validation.measured.errors import WANTED
from validation.measured.rows import Row

# By no more than this a balance changes nothing.
SAME = 0.02

HEAD = ("figure", "rows", "within the band", "below it", "above it", "at its rested end",
        "at its empty end")  # fmt: skip


def bands(rows: Sequence[Row], outcome: Outcome) -> str:
    """How many rows of network volumes lie within what the balance leaves open, by figure.

    A figure that is off an end by no more than is wanted of it counts as within.
    """
    known = {row.id: row for row in rows}
    places: dict[str, list[tuple[str, str]]] = {}
    for row, found in outcome.compared.items():
        for one in found:
            if known[row].volume.type != LOCAL and _matters(one):
                what = "rate" if one.figure.quantity in RATES else "mean latency"
                places.setdefault(what, []).append((_place(one), _end(one)))
    lines = []
    for what, of in sorted(places.items()):
        counts = [sum(place == one for place, _ in of) for one in ("within", "below", "above")]
        ends = [sum(end == one for _, end in of) for one in ("rested", "empty")]
        lines.append([what, *map(str, (len(of), *counts, *ends))])
    return table(HEAD, lines)


def _matters(one: Compared) -> bool:
    """Whether the figure depends on the balance, and is one of those that are counted here."""
    wanted = one.figure.quantity in {*RATES, "mean"}
    return wanted and one.empty is not None and abs(one.predicted / one.empty - 1) > SAME


def _ends(one: Compared) -> tuple[float, float]:
    empty = one.empty if one.empty is not None else one.predicted
    return min(one.predicted, empty), max(one.predicted, empty)


def _place(one: Compared) -> str:
    low, high = _ends(one)
    margin = WANTED[one.figure.quantity]
    if one.figure.measured < low * (1 - margin):
        return "below"
    return "above" if one.figure.measured > high * (1 + margin) else "within"


def _end(one: Compared) -> str:
    """Which end of the band it is at; neither if it lies between."""
    margin = WANTED[one.figure.quantity]
    for name, value in (("rested", one.predicted), ("empty", one.empty)):
        if value is not None and abs(value / one.figure.measured - 1) <= margin:
            return name
    return ""
