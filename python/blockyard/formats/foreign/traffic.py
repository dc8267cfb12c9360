"""How much each device of a file moved, and which devices moved the same."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import pyarrow as pa
import pyarrow.compute as pc

# Devices that lie on each other are sampled one after another, so their sums differ a little.
_TOTAL = 0.02
# The same of single intervals, as a share of all.
_INTERVALS = 0.1
# From this number on, not every subset of devices is tried.
_MANY = 10


@dataclass(frozen=True)
class Moved:
    """What was read and written, in a unit of the file's own."""

    read: float
    written: float

    @property
    def total(self) -> float:
        """Both."""
        return self.read + self.written

    def __add__(self, other: "Moved") -> "Moved":
        """What two devices moved together."""
        return Moved(self.read + other.read, self.written + other.written)


class Traffic:
    """What the devices of `samples` moved: `read` and `written` are columns of amounts."""

    def __init__(self, samples: pa.Table, read: str, written: str) -> None:
        self._samples = samples.select(["t_s", "device", read, written])
        self._columns = (read, written)
        sums = samples.group_by("device").aggregate([(read, "sum"), (written, "sum")])
        self.moved: Mapping[str, Moved] = {
            row["device"]: Moved(row[f"{read}_sum"], row[f"{written}_sum"])
            for row in sums.to_pylist()
        }

    @property
    def times(self) -> int:
        """How many intervals there are."""
        return int(pc.count_distinct(self._samples["t_s"]).as_py())

    def total(self, names: Iterable[str]) -> float:
        """What devices moved, read and written."""
        return sum(self.moved[name].total for name in names)

    def lies_on(self, tops: Sequence[str], candidates: Sequence[str]) -> tuple[str, ...] | None:
        """Those candidates that moved, together and at each time, what `tops` moved.

        Of a mirror each candidate writes all.
        """
        for chosen in _subsets(candidates, self.moved):
            for copies in {1, len(chosen)}:
                if self._sums_are_alike(tops, chosen, copies) and self._moves_alike(
                    tops, chosen, copies
                ):
                    return chosen
        return None

    def _sums_are_alike(self, tops: Sequence[str], chosen: Sequence[str], copies: int) -> bool:
        above, below = self._sum(tops), self._sum(chosen)
        pairs = [(above.read, below.read), (above.written * copies, below.written)]
        most = _TOTAL * above.total
        return above.total > 0 and all(abs(one - other) <= most for one, other in pairs)

    def _sum(self, names: Iterable[str]) -> Moved:
        return sum((self.moved[name] for name in names), Moved(0, 0))

    def _moves_alike(self, tops: Sequence[str], chosen: Sequence[str], copies: int) -> bool:
        both = pa.array([*tops, *chosen], self._samples["device"].type)
        rows = self._samples.filter(pc.is_in(self._samples["device"], both))
        is_top = pc.is_in(rows["device"], pa.array(tops, rows["device"].type))
        read, written = self._columns
        moved = pc.add(rows[read], pc.divide(rows[written], float(copies)))
        whole = pc.add(rows[read], rows[written])
        signed = pc.if_else(is_top, whole, pc.negate(moved))
        by_time = pa.table({"t_s": rows["t_s"], "off": signed}).group_by("t_s")
        off = pc.sum(pc.abs(by_time.aggregate([("off", "sum")])["off_sum"])).as_py() or 0.0
        return bool(off <= _INTERVALS * self.total(tops))


def _subsets(names: Sequence[str], moved: Mapping[str, Moved]) -> Iterator[tuple[str, ...]]:
    """Subsets, the smallest first; of many devices only those of devices that moved alike.

    The disks of a stripe move the same.
    """
    if len(names) <= _MANY:
        for size in range(1, len(names) + 1):
            yield from combinations(names, size)
        return
    ranked = sorted(names, key=lambda name: moved[name].total)
    for size in range(1, len(ranked) + 1):
        yield from (tuple(ranked[at : at + size]) for at in range(len(ranked) - size + 1))
