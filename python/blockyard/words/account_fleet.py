"""All hosts and databases of an AWS account in a table."""

from collections import Counter
from collections.abc import Iterator, Sequence

from blockyard.text import limit_names
from blockyard.text.table import Table
from blockyard.words.account import kinds
from blockyard.words.account_finding import Finding
from blockyard.words.under_load import dry, moment

# Of those with one note so many are named.
_NAMED = 5


def fleet(found: Sequence[Finding]) -> Table:
    """A row for each instance and database."""
    columns = ["", "trouble", "then", "today", "saving"]
    names = _names(found)
    rows = [
        [
            names[one.id],
            _trouble(one),
            kinds(one),
            "" if one.today_usd is None else f"{one.today_usd:,.2f}",
            "" if one.saving is None else f"{one.saving:,.2f}",
        ]
        for one in found
    ]
    return Table(
        "Dollars a month, the largest saving first", columns, rows, words=3
    ).without_empty()


def prices(found: Sequence[Finding]) -> Iterator[str]:
    """Which hosts have no prices, or those of another region."""
    names = _names(found)
    by_note: dict[str, list[str]] = {}
    for one in found:
        if one.prices:
            by_note.setdefault(one.prices, []).append(names[one.id])
    for note, hosts in by_note.items():
        more = f" and {len(hosts) - _NAMED:,} more" if len(hosts) > _NAMED else ""
        yield f"{', '.join(hosts[:_NAMED])}{more}: {note}"


def _names(found: Sequence[Finding]) -> dict[str, str]:
    """What each is called, by its id: by its name where that is its alone."""
    several = Counter(one.name for one in found)
    return {
        one.id: one.name if several[one.name] == 1 else f"{one.name} ({one.id})" for one in found
    }


def _trouble(found: Finding) -> str:
    """In a few words: `data dry Thu 19 03:15`, `log at its IOPS`."""
    limits = found.under["limits"] if found.under else []
    for limit in limits:
        left = limit["credits"]
        if left is not None and left["dry_s"] is not None:
            at = moment(found.start + left["dry_s"])
            return f"{limit_names.owner(limit['limit'])} dry {at:%a %d %H:%M}"
    reached = [one for one in limits if one["credits"] is None and one["reached"]]
    if reached:
        return f"{limit_names.in_words(reached[0]['limit'])} at its limit"
    if found.unexplained:
        return f"{next(iter(found.unexplained))}: see CloudWatch's"
    return "" if found.under else "no load known"


def total(found: Sequence[Finding], failed: int) -> str:
    """What all of them cost, and save."""
    said = f"{len(found):,} of {len(found) + failed:,} hosts and databases judged"
    priced = [one.today_usd for one in found if one.today_usd is not None]
    if priced:
        saved = sum(one.saving for one in found if one.saving is not None)
        said += f", ${sum(priced):,.2f} a month today; the changes of all {_save(saved)}"
    ended = sum(bool(one.under and list(dry(one.under, one.start))) for one in found)
    return f"{said}; {ended:,} of them run dry" if ended else said


def _save(usd: float) -> str:
    return f"save ${usd:,.2f}" if usd >= 0 else f"cost ${-usd:,.2f} more"
