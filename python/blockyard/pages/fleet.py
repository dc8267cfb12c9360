"""The page of a fleet: what to buy for each database, and what that saves."""

from collections.abc import Mapping, Sequence

from blockyard.pages.page import Page, Passage
from blockyard.text.formatting import sentence
from blockyard.types.plan import Answer
from blockyard.words import fleet


def planned(name: str, answers: Sequence[Answer], failed: Mapping[str, str]) -> Page:
    """The page of the plans of a fleet, and of why some databases have none, by name."""
    table, unmet = fleet.table(answers), (f"{said}." for said in fleet.unmet(answers, failed))
    return Page(
        title=f"Plan: {name}",
        headlines=[
            sentence(said) for said in (fleet.headline(answers, failed), *fleet.notes(answers))
        ],
        heads=[],
        words=[Passage("Databases", [*([table] if table.rows else []), *unmet])],
        sections=[],
    )
