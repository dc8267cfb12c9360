"""Looks for the cheapest combination that meets the goals: `crates/sweep` says what to try."""

import threading
from typing import Protocol

from blockyard._core import SweepPlan, SweepSearch
from blockyard.sweeps.about import Found
from blockyard.sweeps.dispatch import Dispatch


class Known(Protocol):
    """What is known of runs, by their keys: whether each met its goals."""

    @property
    def met(self) -> dict[str, bool]:
        """Grows while runs are carried out."""


def search(
    plan: SweepPlan, dispatch: Dispatch, known: Known, stop: threading.Event
) -> tuple[bool, Found]:
    """Try combinations until the answer is known, or `stop` is set: whether it is, and the answer.

    A combination meets the goals if all of its seeds do. Raises ScenarioError if it has no goals
    or is no grid.
    """
    prices = plan.prices()
    finder = plan.search(prices)
    keys = dict(plan.runs())
    seeds = len(plan.seeds)
    whole = True
    while whole and (tried := finder.next_round()):
        runs = [one * seeds + seed for one in tried for seed in range(seeds)]
        whole = dispatch.run([run for run in runs if keys[run] not in known.met], stop)
        if whole:
            for one in tried:
                own = range(one * seeds, (one + 1) * seeds)
                finder.tell(one, all(known.met[keys[run]] for run in own))
    return whole, _found(plan, finder, prices)


def _found(plan: SweepPlan, finder: SweepSearch, prices: list[float | None]) -> Found:
    best = finder.best
    return Found(
        combination=best,
        sets=[]
        if best is None
        else [one for one in plan.sets(best) if not one.startswith("goals=")],
        usd_per_month=None if best is None else prices[best],
        tried=finder.tried,
        of=plan.combinations - len(plan.refused()),
    )
