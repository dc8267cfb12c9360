"""Fills the tables of docs/validation*.md: `PYTHONPATH=scripts python -m validation`.

Prints how far the model is from the measurements. With `--check`, a page that differs from the
runs is an error, and nothing in git is written.
The simulation is deterministic, so pages can be compared to the letter.
"""

import sys
from pathlib import Path

from marked import fill, settled
from validation import choices, cost
from validation.infoscale import page as infoscale
from validation.measured import ablation, accuracy, bands, every_row, fair, stated
from validation.measured.compare import compare
from validation.measured.pages import Pages
from validation.measured.rows import read
from validation.run import run_all
from validation.tables import TABLES, jobs

PAGE = Path(__file__).parents[2] / "docs" / "validation.md"
INFOSCALE = PAGE.with_name("validation-infoscale.md")
COST = PAGE.with_name("validation-cost.md")


def filled(page: str) -> str:
    """The page with its tables from fresh runs."""
    runs = run_all(jobs())
    for make in TABLES:
        page = fill(page, make.__name__, make(runs))
    return page


def main() -> int:
    """Fills in, or compares, the pages."""
    rows = read()
    outcome = compare(rows)
    measured = Pages(rows, outcome)
    page = filled(PAGE.read_text())
    intervals = stated.Stated(rows, outcome)
    parts = {
        "counts": accuracy.counts(outcome),
        "summary": accuracy.summary(rows, outcome),
        "summary_of_disks": accuracy.summary_of_disks(rows, outcome),
        "left_out": accuracy.left_out(outcome),
        "fair": fair.fair(rows, outcome),
        "bands": bands.bands(rows, outcome),
        "cover": intervals.cover(),
    }
    for name, part in parts.items():
        page = fill(page, name, part)
    print(*(parts[name] for name in ("counts", "summary", "fair", "cover")), sep="\n\n")
    pages = {
        PAGE: page,
        every_row.DIGESTS: measured.digests(),
        stated.PLACE: intervals.csv(),
        INFOSCALE: infoscale.filled(INFOSCALE.read_text()),
        COST: fill(cost.filled(COST.read_text()), "choices", choices.worth(rows, outcome)),
    }
    fresh = [settled(path, text, "make validate") for path, text in pages.items()]
    fresh.append(ablation.current(PAGE.read_text()))
    every_row.keep(measured)
    return int(not all(fresh))


if __name__ == "__main__":
    sys.exit(main())
