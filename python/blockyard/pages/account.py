"""The page of an AWS account: what its volumes live on, what is at a limit, what is better."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from blockyard.pages.figure import Axis, Figure, Lines, Series
from blockyard.pages.page import Page, Passage, Section
from blockyard.text import limit_names
from blockyard.text.formatting import sentence
from blockyard.text.table import Table
from blockyard.words import account as words
from blockyard.words import account_fleet, under_load
from blockyard.words.account_finding import Balance, Finding

# More hosts than these have a row, and no passage of their own.
_TOLD = 20


# What is left of credits that nothing takes from, in percent.
_FULL = 100

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
    lines = [account_fleet.total(findings, len(rest.failed))]
    if alone:
        lines = [words.headline(findings[0]), words.first(findings[0])]
    passages = [] if alone else [Passage("Hosts and databases", [account_fleet.fleet(findings)])]
    for found in findings[:_TOLD]:
        passages += _passages(found, "" if alone else f"{found.name}: ")
    more = [
        *(sentence(note) for note in ([] if alone else account_fleet.prices(findings))),
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
    names = [found.name, *found.devices]
    told = [sentence(said, names) for said in words.lives_on(found)]
    yield Passage(f"{of}What it lives on", told)
    table: list[str | Table] = [own] if (own := _limits(found)) else []
    reached = [*table, *(sentence(said, names) for said in words.exceeded(found))]
    if reached:
        yield Passage(f"{of}What is at a limit", reached)
    better = [sentence(said, names) for said in words.better(found)]
    if better:
        yield Passage(f"{of}What would be cheaper or better", better)
    known = [sentence(said, names) for said in words.else_to_know(found)]
    if known:
        yield Passage(f"{of}What else to know", known)


def _limits(found: Finding) -> Table | None:
    return under_load.limits(found.under, found.start) if found.under else None


def _figures(found: Finding) -> Iterator[Figure]:
    """What is left of the credits that the load takes from, over time."""
    if found.under is None:
        return
    own = []
    for limit in found.under["limits"]:
        left, of = limit["credits"], limit["limit"]
        if left is not None and left["lowest_pct"] < _FULL:
            name = f"{limit_names.owner(of)} {limit_names.counted(of)}, model"
            own.append((name, left["balance_pct"]))
    if not own:
        return
    seen = [one for one in found.balances if one.lowest < _FULL]
    interval = found.under["interval_s"]
    step = -(-found.under["intervals"] // _POINTS)
    count = found.under["intervals"]
    yield Figure(
        name=f"burst-balance-{found.id}",
        title=f"Burst balance of {found.name}",
        caption=(
            "What the measured load leaves of the credits, by the model, beside what CloudWatch "
            f"saw. It begins {under_load.when(found.start)}. At 0% only the baseline is left."
        ),
        plot=Lines(
            x=Axis("time", "h"),
            y=Axis("burst balance", "%", most=100.0),
            at=[place * interval / 3600 for place in range(0, count, step)],
            series=[
                *(
                    Series(name, _thinned(left, step), number)
                    for number, (name, left) in enumerate(own)
                ),
                *(
                    Series(
                        f"{one.of}, CloudWatch's {one.metric}",
                        _thinned(_placed(one, found.start, interval, count), step),
                        number,
                        "dashed",
                    )
                    for number, one in enumerate(seen, len(own))
                ),
            ],
        ),
    )


def _thinned(values: Sequence[float | None], step: int) -> list[float | None]:
    """The lowest of each `step` values."""
    parts = (values[place : place + step] for place in range(0, len(values), step))
    return [min((one for one in part if one is not None), default=None) for part in parts]


def _placed(balance: Balance, start: int, interval_s: int, count: int) -> list[float | None]:
    """The values of a balance in the intervals of the load; none where there is no value."""
    found: list[float | None] = [None] * count
    for time, value in balance.over_time:
        place = (time - start) // interval_s
        if 0 <= place < count:
            found[place] = min(value, found[place] or 100.0)
    return found
