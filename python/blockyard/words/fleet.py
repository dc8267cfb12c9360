"""The plans of a fleet in words and as a table."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence

from blockyard.text.table import Table
from blockyard.types.plan import Answer
from blockyard.words import plan

_COLUMNS = ["", "buy", "today", "plan", "saving", "p99", "today holds"]


def headline(answers: Sequence[Answer], failed: Collection[str]) -> str:
    """What all plans cost, and save against what there is."""
    planned = [answer for answer in answers if plan.bought(answer) is not None]
    said = f"{len(planned):,} of {len(answers) + len(failed):,} databases planned"
    if planned:
        said += f", {plan.dollars(sum(map(_cost, planned)))} a month"
    known = [answer for answer in planned if answer["current"] is not None]
    if known:
        today = sum(map(_today, known))
        saved = today - sum(map(_cost, known))
        who = "" if len(known) == len(planned) else f"for the {len(known):,} that state it, "
        does = f"saves {plan.dollars(saved)} of" if saved >= 0 else "costs more than"
        said += f"; {who}that {does} today's {plan.dollars(today)}"
    return said


def notes(answers: Sequence[Answer]) -> Iterator[str]:
    """What to know before anything is bought, each once, with how many plans it is about."""
    planned = [answer for answer in answers if plan.bought(answer) is not None]
    for is_so, said in (
        (_region_is_assumed, "the region is assumed, us-east-1: the column `region` states it"),
        (plan.needs_arm, "programs must be built for arm64: --architecture x86_64 avoids that"),
    ):
        times = sum(map(is_so, planned))
        if times:
            yield f"{'all' if times == len(planned) else f'{times:,} of them'}: {said}"


def _region_is_assumed(answer: Answer) -> bool:
    return answer["region_assumed"]


def unmet(answers: Sequence[Answer], failed: Mapping[str, str]) -> Iterator[str]:
    """The databases without a plan: why, and what comes nearest where nothing meets them."""
    for name, error in failed.items():
        yield f"{name}: {error}"
    for answer in answers:
        if plan.bought(answer) is None:
            yield f"{answer['name']}: {'; '.join(plan.impossible(answer))}"


def table(answers: Sequence[Answer]) -> Table:
    """A row for each database that can be had: what to buy, and the cost today and then."""
    rows = [row for answer in answers if (row := _row(answer))]
    caption = "Dollars a month, the largest saving first"
    return Table(caption, _COLUMNS, rows, words=2).without_empty()


def _row(answer: Answer) -> list[str]:
    best, current = plan.bought(answer), answer["current"]
    if best is None:
        return []
    p99 = plan.p99_ms(best)
    return [
        answer["name"],
        plan.what(best),
        f"{_today(answer):,.2f}" if current else "",
        f"{_cost(answer):,.2f}",
        f"{_today(answer) - _cost(answer):,.2f}" if current else "",
        "" if p99 is None else plan.ms(p99),
        f"{math.floor(100 * min(current['holds'], 1))}%" if current else "",
    ]


def _cost(answer: Answer) -> float:
    best = plan.bought(answer)
    return best["usd_per_month"] if best is not None else 0.0


def _today(answer: Answer) -> float:
    return answer["current"]["layout"]["usd_per_month"] if answer["current"] is not None else 0.0
