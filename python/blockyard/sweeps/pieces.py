"""Rows of a sweep's runs, found again in the pieces that it was carried out in."""

from collections import OrderedDict
from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from blockyard.sweeps.store import Part, Store, row_group, row_groups

# Row groups of pieces that stay in memory.
_AT_HAND = 16

# The columns of latencies of a run.
_OF_LATENCIES = ("key", "job", "op", "ios", "mean_us", "max_us", "ns", "count")


class Pieces:
    """The rows of all pieces of a store, by the keys of their runs."""

    def __init__(self, store: Store, own: Sequence[str]) -> None:
        self._columns = {"runs": list(own), "latencies": list(_OF_LATENCIES)}
        # Row groups, which both files of a piece have alike: no more is in memory at once.
        self._groups: list[tuple[Part, int]] = []
        self.places: dict[str, tuple[int, int]] = {}
        self._at_hand: OrderedDict[tuple[int, str], pa.Table] = OrderedDict()
        for part in store.parts():
            self.add(part)

    def add(self, part: Part) -> None:
        """Take a piece in."""
        for group, keys in enumerate(row_groups(part.runs, ["key", "error"])):
            self._note(len(self._groups), keys)
            self._groups.append((part, group))

    def _note(self, group: int, table: pa.Table) -> None:
        errors = table["error"].is_valid().to_pylist()
        for row, (key, failed) in enumerate(zip(table["key"].to_pylist(), errors, strict=True)):
            # Where a run failed and did not fail another time, that counts.
            if not failed or key not in self.places:
                self.places[key] = (group, row)

    def runs(self, keys: Sequence[str]) -> pa.Table:
        """The rows of these runs, in this order, without what is the sweep's."""
        places = _grouped(self.places[key] for key in keys)
        return pa.concat_tables(self._table(part, "runs").take(rows) for part, rows in places)

    def latencies(self, keys: Sequence[str]) -> pa.Table:
        """The latencies of these runs, in this order."""
        found = []
        for part, rows in _grouped(self.places[key] for key in keys):
            runs = self._table(part, "runs")["key"]
            table = self._table(part, "latencies")
            if rows == list(range(len(runs))):
                found.append(table)  # As it is: latencies are in the order of their runs.
                continue
            own = runs.take(rows)
            places = pc.index_in(table["key"], value_set=own.combine_chunks())
            kept = table.filter(places.is_valid())
            found.append(kept.take(pc.sort_indices(places.drop_null())))
        return pa.concat_tables(found)

    def _table(self, number: int, kind: str) -> pa.Table:
        known = self._at_hand.pop((number, kind), None)
        if known is None:
            part, group = self._groups[number]
            path = part.runs if kind == "runs" else part.latencies
            known = row_group(path, group, self._columns[kind])
        self._at_hand[number, kind] = known
        if len(self._at_hand) > _AT_HAND:
            self._at_hand.popitem(last=False)
        return known


def _grouped(places: Iterator[tuple[int, int]]) -> Iterator[tuple[int, list[int]]]:
    """Rows that follow each other in one piece, together."""
    last: int | None = None
    rows: list[int] = []
    for part, row in places:
        if part != last and last is not None:
            yield last, rows
            rows = []
        last = part
        rows.append(row)
    if last is not None:
        yield last, rows
