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

HEAD = ("volumes", "figures", "within the band", "below it", "above it")


def bands(rows: Sequence[Row], outcome: Outcome) -> str:
    """How many rates and means lie within what the balance leaves open, by volume type.

    A figure that is off an end by no more than is wanted of it counts as within.
    """
    known = {row.id: row for row in rows}
    places: dict[str, list[str]] = {}
    for row, found in outcome.compared.items():
        for one in found:
            if known[row].volume.type != LOCAL and _matters(one):
                places.setdefault(known[row].volume.type, []).append(_place(one))
    lines = []
    for kind, of in sorted(places.items()):
        counts = map(of.count, ("within", "below", "above"))
        lines.append([kind, *map(str, (len(of), *counts))])
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
