"""The page of a fleet: what to buy for each database, and what that saves."""

from collections.abc import Mapping, Sequence

from blockyard.pages.page import Page, Passage
from blockyard.text.formatting import sentence
from blockyard.types.plan import Answer
from blockyard.words import fleet


def planned(name: str, answers: Sequence[Answer], failed: Mapping[str, str]) -> Page:
    """The page of the plans of a fleet, and of why some databases have none, by name."""
    said = fleet.said(answers, failed)
    unmet = (f"{line}." for line in said.unmet)
    return Page(
        title=f"Plan: {name}",
        headlines=[sentence(line) for line in (said.headline, *said.notes)],
        heads=[],
        words=[Passage("Databases", [*([said.table] if said.table.rows else []), *unmet])],
        sections=[],
    )
