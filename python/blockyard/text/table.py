"""Words and figures in columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Table:
    """A table; the first `words` columns are words, and say what the figures of a row are of."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: int = 1
    # Whether the last column is what the others come to: where there is no room for columns, it
    # stands beside the first.
    verdict: bool = False

    def without_empty(self) -> "Table":
        """The table without the columns that have no cell with anything in it."""
        shown = [place for place, column in enumerate(zip(*self.rows, strict=True)) if any(column)]
        return Table(
            self.caption,
            [self.columns[place] for place in shown],
            [[row[place] for place in shown] for row in self.rows],
            self.words,
            self.verdict,
        )


def content(found: Sequence[str | Mapping[str, Any]]) -> list[str | Table]:
    """Sentences and tables, as Rust gives them."""
    return [part if isinstance(part, str) else Table(**part) for part in found]
