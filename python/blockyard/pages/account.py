"""The page of an AWS account: what its volumes live on, what is at a limit, what is better."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from blockyard.pages.figure import Axis, Figure, Lines, Series
from blockyard.pages.page import Page, Passage, Section
from blockyard.text import limit_names
from blockyard.text.formatting import sentence
from blockyard.text.table import Table
from blockyard.words import account as words
from blockyard.words.account import Finding

# More hosts than these have a row, and no passage of their own.
_TOLD = 20

# At most so many points of a line, of which each is the lowest of its time.
_POINTS = 720


class Rest(Protocol):
    """What could not be judged, and what else there is to know."""

    @property
    def failed(self) -> dict[str, str]:
        """Why, by id."""
        ...

    @property
    def notes(self) -> list[str]:
        """Each once."""
        ...


def examined(name: str, findings: Sequence[Finding], rest: Rest) -> Page:
    """The page of what was found out about an account's hosts."""
    alone = len(findings) == 1
    lines = [words.total(findings, len(rest.failed))]
    if alone:
        lines = [words.headline(findings[0]), words.first(findings[0])]
    passages = [] if alone else [Passage("Hosts and databases", [words.fleet(findings)])]
    for found in findings[:_TOLD]:
        passages += _passages(found, "" if alone else f"{found.name}: ")
    more = [
        *(sentence(note) for note in rest.notes),
        *(sentence(f"{of}: {error}") for of, error in rest.failed.items()),
        words.CAVEAT,
    ]
    figures = [figure for found in findings[:_TOLD] for figure in _figures(found)]
    return Page(
        title=f"AWS: {findings[0].name if alone else name}",
        headlines=[
            sentence(line, [name for one in findings for name in (one.name, *one.devices)])
            for line in lines
        ],
        heads=[],
        words=[*passages, Passage("What these figures say", more)],
        sections=[],
        first=Section("Burst balance", figures) if figures else None,
    )


def _passages(found: Finding, of: str) -> Iterator[Passage]:
    devices = found.devices
    told = [sentence(said, devices) for said in words.lives_on(found)]
    yield Passage(f"{of}What it lives on", told)
    table: list[str | Table] = [own] if (own := words.limits(found)) else []
    reached = [*table, *(sentence(said, devices) for said in words.exceeded(found))]
    if reached:
        yield Passage(f"{of}What is at a limit", reached)
    better = [sentence(said, devices) for said in words.better(found)]
    if better:
        yield Passage(f"{of}What would be cheaper or better", better)


def _figures(found: Finding) -> Iterator[Figure]:
    """What is left of the credits that the load takes from, over time."""
    if found.under is None:
        return
    own = [
        (limit_names.in_words(limit["limit"]), left["balance_pct"])
        for limit in found.under["limits"]
        if (left := limit["credits"]) is not None and left["lowest_pct"] < 100
    ]
    if not own:
        return
    step = -(-found.under["intervals"] // _POINTS)
    hours = found.under["interval_s"] / 3600
    places = range(0, found.under["intervals"], step)
    yield Figure(
        name=f"burst-balance-{found.id}",
        title=f"Burst balance of {found.name}",
        caption=(
            "What the measured load leaves of the credits, by the model. "
            f"It begins {words.when(found.start)}. At 0% only the baseline is left."
        ),
        plot=Lines(
            x=Axis("time", "h"),
            y=Axis("burst balance", "%", most=100.0),
            at=[place * hours for place in places],
            series=[
                Series(name, [min(balance[place : place + step]) for place in places], number)
                for number, (name, balance) in enumerate(own)
            ],
        ),
    )
