"""The interval that `simulate` states beside a latency: `catalog/latency-errors.csv`.

Of 10 public measurements 9 lie within it. It is where 90 % of measured over predicted lie, widened
until 90 % of the rows of sources that it was made without lie within (conformal quantile
regression, by source). How often they do is found with a widening that was itself found without
their source; where that is too seldom, nothing is stated.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, exp
from pathlib import Path

from validation.markdown import table
from validation.measured.compare import Outcome
from validation.measured.residuals import FAMILIES, FIGURES, Class, Residual, pool, residuals
from validation.measured.rows import Row

PLACE = Path(__file__).parents[3] / "catalog" / "latency-errors.csv"
WITHIN = 0.90
# A class with fewer sources says nothing of its own, as three must be left when one is left out.
FEWEST_SOURCES = 4
# What holds more seldom for other sources is not stated, nor what so few rows show to hold.
LEAST_WITHIN, FEWEST_ROWS = 0.85, 5

ABOUT = """\
# Measured over simulated latencies, of 9 in 10 public measurements; made by scripts/validation
profile,op,load,figure,low,high,rows,sources,of
"""


@dataclass(frozen=True)
class Interval:
    """Where measured over predicted lies, as logarithms."""

    low: float
    high: float

    @staticmethod
    def of(found: Sequence[Residual]) -> "Interval":
        """The middle of the residuals, ends by nearest rank."""
        rising = sorted(one.value for one in found)
        beyond = (1 - WITHIN) / 2
        low, high = (rising[ceil(share * len(rising)) - 1] for share in (beyond, 1 - beyond))
        return Interval(low, high)

    def widened(self, by: float) -> "Interval":
        """With its ends further apart."""
        return Interval(self.low - by, self.high + by)

    def beyond(self, value: float) -> float:
        """How far a value lies outside; negative within."""
        return max(self.low - value, value - self.high)


class Group:
    """The residuals of a figure of a family, at limits or below: they are widened alike."""

    def __init__(self, family: str, at_limit: bool, figure: str, known: Iterable[Residual]) -> None:
        self.family, self.at_limit, self.figure = family, at_limit, figure
        # Where few have measured this load, any load stands for it.
        own = (one for one in known if one.of.figure == figure)
        self._known = [one for one in own if FAMILIES[one.of.kind] == family]
        self._sources = sources(one for one in self._known if one.of.at_limit == at_limit)
        self.widening = _widening(self._beyond(self._known))
        self.hits = [hit for source in self._sources for hit in self._within(source)]

    @property
    def holds(self) -> bool:
        """Whether it holds for enough of the rows about which only other sources said anything."""
        return len(self.hits) >= FEWEST_ROWS and sum(self.hits) >= LEAST_WITHIN * len(self.hits)

    def stated(self, kind: str, op: str) -> tuple[Class, list[Residual], Interval] | None:
        """What stands for a profile's operation, and its interval; None if that does not hold."""
        of = Class("io2" if kind == "io2-block-express" else kind, op, self.at_limit, self.figure)
        found = pool(of, self._known, FEWEST_SOURCES)
        if found is None or not self.holds:
            return None
        return (*found, Interval.of(found[1]).widened(self.widening))

    def cells(self) -> list[str]:
        """How well it holds, as a line of the table."""
        load = "at a limit" if self.at_limit else "below it"
        by = f"{100 * (exp(self.widening) - 1):.0f} %"
        within = f"{100 * sum(self.hits) / len(self.hits):.0f} %"
        return [self.family, self.figure.replace("_", "."), load, str(len(self.hits)),
                str(len(self._sources)), by, within, "yes" if self.holds else "no"]  # fmt: skip

    def _beyond(self, known: Sequence[Residual]) -> list[float]:
        """How far each row lies outside what the other sources among `known` say of it."""
        return [found for source in sources(known) for found in self._beyond_others(source, known)]

    def _beyond_others(self, source: str, known: Sequence[Residual]) -> list[float]:
        others = [one for one in known if one.source != source]
        found = []
        for one in known:
            if one.source == source and one.of.at_limit == self.at_limit:
                said = pool(one.of, others, FEWEST_SOURCES - 1)
                found += [Interval.of(said[1]).beyond(one.value)] if said else []
        return found

    def _within(self, source: str) -> list[bool]:
        """Of each row of a source, whether it lies within what was found without the source."""
        widening = _widening(self._beyond([one for one in self._known if one.source != source]))
        return [found <= widening for found in self._beyond_others(source, self._known)]


def sources(known: Iterable[Residual]) -> list[str]:
    """The sources, each once."""
    return sorted({one.source for one in known})


def _widening(beyond: Sequence[float]) -> float:
    """The least by which intervals must be widened to hold enough of the rows outside."""
    return max(0.0, sorted(beyond)[ceil(WITHIN * len(beyond)) - 1]) if beyond else 0.0


class Stated:
    """Intervals from all rows, and how well they hold for sources that they are made without."""

    def __init__(self, rows: Sequence[Row], outcome: Outcome) -> None:
        everything = (one for of in outcome.compared.values() for one in of)
        known = residuals(everything, {row.id: row for row in rows})
        self._groups = [
            Group(family, at_limit, figure, known)
            for family in dict.fromkeys(FAMILIES.values())
            for at_limit in (False, True)
            for figure in FIGURES
        ]

    def csv(self) -> str:
        """The table of the catalog: a line for each profile, operation, load and figure."""
        return ABOUT + "".join(sorted(line for group in self._groups for line in _lines(group)))

    def cover(self) -> str:
        """How many rows lie within an interval from other sources, by load and figure."""
        head = ("storage", "figure", "load", "rows", "sources", "widened by", "within", "stated")
        return table(head, (group.cells() for group in self._groups if group.hits))


def _lines(group: Group) -> Iterator[str]:
    for kind in (kind for kind, family in FAMILIES.items() if family == group.family):
        for op in ("read", "write"):
            found = group.stated(kind, op)
            if found is not None:
                of, rows, interval = found
                load = "limit" if group.at_limit else "below"
                ends = f"{exp(interval.low):.3f},{exp(interval.high):.3f}"
                counted = f"{len(rows)},{len(sources(rows))}"
                yield f"{kind},{op},{load},{group.figure},{ends},{counted},{of.called}\n"
