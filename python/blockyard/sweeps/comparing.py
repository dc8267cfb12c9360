"""Two sweeps side by side, by the combinations that both have."""

from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from blockyard.sweeps import summary, words
from blockyard.sweeps.sweep import Sweep


class NothingCommonError(Exception):
    """Two sweeps cannot be compared: one line that says why."""


@dataclass(frozen=True)
class Pair:
    """A combination that both sweeps have, and a figure of each."""

    axes: dict[str, Any]
    first: float
    other: float

    @property
    def change(self) -> float:
        """By what share the other differs from the first."""
        return self.other / self.first - 1


@dataclass(frozen=True)
class Compared:
    """What two sweeps differ in."""

    names: tuple[str, str]
    figure: str
    pairs: list[Pair]
    # Combinations that only one of them has.
    only: tuple[int, int]
    # How many combinations meet the goals of both's.
    met: tuple[int, int]

    def sentence(self) -> str:
        """What they differ in, in a sentence."""
        first, other = self.names
        if not self.pairs:
            return (
                f"`{other}` vs `{first}`: no combination in common; expected sweeps with the same "
                "values of their axes"
            )
        figure = words.plain(self.figure)
        lower = sum(1 for pair in self.pairs if pair.change < 0)
        higher = sum(1 for pair in self.pairs if pair.change > 0)
        usual = median(pair.change for pair in self.pairs)
        goals = ""
        if any(self.met):
            goals = f"; {self.met[1]:,} combinations meet the goals, before {self.met[0]:,}"
        count = words.counted(len(self.pairs), "combination")
        return (
            f"`{other}` vs `{first}`: {figure} {100 * usual:+.1f} % at the median of {count}, "
            f"lower in {lower:,}, higher in {higher:,}{goals}"
        )

    def document(self) -> dict[str, Any]:
        """All of it, for JSON."""
        pairs = [asdict(pair) | {"change": pair.change} for pair in self.pairs]
        return asdict(self) | {"pairs": pairs, "sentence": self.sentence()}


def compare(first: Sweep, other: Sweep, figure: str | None = None) -> Compared:
    """Compare a figure, by default the main one, of combinations with equal values of all axes.

    Raises NothingCommonError if they have no figure or no axes in common.
    """
    axes = [axis for axis in first.about.axes if axis in other.about.axes]
    differing = {*first.about.axes} ^ {*other.about.axes}
    common = [one for one in first.about.figures if one in other.about.figures]
    if not axes or not common:
        what = "axis" if not axes else "figure"
        raise NothingCommonError(f"{first.path} and {other.path}: no {what} in common")
    if any(
        len(sweep.runs[axis].unique()) > 1
        for sweep in (first, other)
        for axis in differing
        if axis in sweep.about.axes
    ):
        names = ", ".join(sorted(differing))
        raise NothingCommonError(f"{first.path} and {other.path}: only one of them varies {names}")
    figure = figure or (
        words.main_figure(first) if words.main_figure(first) in common else common[0]
    )
    if figure not in common:
        raise NothingCommonError(f"`{figure}`; expected one of {', '.join(common)}")
    sides = []
    for sweep in (first, other):
        found = summary.points(sweep, axes)
        sides.append({tuple(point.axes.values()): point for point in found})
    pairs = []
    for key, own in sides[0].items():
        theirs = sides[1].get(key)
        if theirs is None:
            continue
        values = (own.figures[figure], theirs.figures[figure])
        if values[0] and values[1] is not None:
            pairs.append(Pair(dict(own.axes), values[0], values[1]))
    both = sides[0].keys() & sides[1].keys()
    return Compared(
        names=_names(first, other),
        figure=figure,
        pairs=pairs,
        only=(len(sides[0].keys() - both), len(sides[1].keys() - both)),
        met=(_met(sides[0]), _met(sides[1])),
    )


def _met(points: dict[tuple[Any, ...], summary.Point]) -> int:
    return sum(1 for point in points.values() if point.met)


def _names(first: Sweep, other: Sweep) -> tuple[str, str]:
    if first.name != other.name:
        return first.name, other.name
    return str(first.path), str(other.path)
