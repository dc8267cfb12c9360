"""Errors of some rows: `PYTHONPATH=scripts python -m validation.measured [PREFIX...]`.

Compares the rows whose ids begin so, by default all, and writes nothing.
"""

import sys

from validation.measured import accuracy
from validation.measured.compare import compare
from validation.measured.pages import Pages
from validation.measured.rows import read


def main() -> None:
    """Print the tables."""
    prefixes = tuple(sys.argv[1:]) or ("",)
    rows = [row for row in read() if row.id.startswith(prefixes)]
    outcome = compare(rows)
    pages = Pages(rows, outcome)
    if len(sys.argv) > 1:
        print(pages.every_row(), end="\n\n")
    tables = (accuracy.summary(rows, outcome), accuracy.summary_of_disks(rows, outcome))
    print(pages.every_type(), *tables, accuracy.counts(outcome), sep="\n\n")


main()
