"""Fills the tables of docs/validation.md: `PYTHONPATH=scripts python -m validation`.

With `--check` nothing is written; a page that differs from the runs is an error.
The simulation is deterministic, so the page can be compared to the letter.
"""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from marked import fill, settled
from validation.run import Job
from validation.tables import TABLES, jobs

PAGE = Path(__file__).parents[2] / "docs" / "validation.md"


def filled(page: str) -> str:
    """The page with its tables from fresh runs."""
    planned = jobs()
    with ThreadPoolExecutor() as pool:
        runs = dict(zip(planned, pool.map(Job.run, planned.values()), strict=True))
    for make in TABLES:
        page = fill(page, make.__name__, make(runs))
    return page


def main() -> int:
    """Fills in, or compares, the page."""
    fresh = filled(PAGE.read_text())
    return int(not settled(PAGE, fresh, "PYTHONPATH=scripts python -m validation"))


if __name__ == "__main__":
    sys.exit(main())
