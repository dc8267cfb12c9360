"""What differs between runs, and whether it is shown or may be chance: Rust says so."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from blockyard import _core
from blockyard.runs.observer import Tried
from blockyard.runs.run import Run
from blockyard.text.table import Table, content
from blockyard.types.comparison import Comparison
from blockyard.types.comparison_tables import Tables
from blockyard.words.paragraphs import Paragraph


@dataclass(frozen=True)
class Compared:
    """Sides that were compared: what differs, and how tables and pages say it."""

    told: _core.Compared

    @cached_property
    def found(self) -> Comparison:
        """What differs."""
        found: Comparison = json.loads(self.told.found())
        return found

    @cached_property
    def tables(self) -> Tables:
        """Each figure side by side, and what to make of the difference."""
        tables: Tables = json.loads(self.told.tables())
        return tables

    @property
    def costs(self) -> Table | None:
        """What the sides cost; None where that is the same, or not known of one."""
        costs = self.tables["costs"]
        return Table(**costs) if costs else None

    @property
    def passages(self) -> list[Paragraph]:
        """What a page says of it."""
        found: list[dict[str, Any]] = json.loads(self.told.passages())
        return [Paragraph(one["heading"], content(one["content"])) for one in found]


def unseen(_last: str, _ios: int, _most_ios: int) -> None:
    """Look on at simulations, and show nothing."""


def of_sides(
    names: Sequence[str],
    sides: Sequence[Sequence[Run]],
    *,
    fail_if: Sequence[str] = (),
    anyway: bool = False,
    seeds: int | None = None,
    tried: Tried = unseen,
) -> Compared:
    """Compare every side, a run or its repeats, with the first; `blockyard.compare` explains.

    `tried` is called after each simulation of a further seed.
    """
    told = [(name, [run.told for run in side]) for name, side in zip(names, sides, strict=True)]
    return Compared(_core.compare(told, list(fail_if), anyway=anyway, seeds=seeds, tried=tried))
