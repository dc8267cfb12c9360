"""The page: its tables from fresh runs."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from marked import fill
from validation.infoscale import balances, neighbours, tunings
from validation.infoscale.balances import burst_end
from validation.infoscale.grid import AS_IS, nine_patterns
from validation.infoscale.neighbours import neighbours as beside
from validation.infoscale.relations import relations
from validation.run import Runs, run_all

TABLES: dict[str, Callable[[Runs], str]] = {
    "nine_patterns": nine_patterns,
    "relations": relations,
    "neighbours": beside,
    "burst_end": burst_end,
}


def filled(page: str) -> str:
    """The page with its tables from fresh runs."""
    runs = run_all(AS_IS.jobs() | neighbours.jobs() | balances.jobs())
    with ThreadPoolExecutor() as pool:
        made = pool.map(lambda it: it.table(), tunings.TUNINGS.values())
        tuned = dict(zip(tunings.TUNINGS, made, strict=True))
    for name, make in TABLES.items():
        page = fill(page, name, make(runs))
    for name, text in tuned.items():
        page = fill(page, name, text)
    return page
