"""What each mechanism is worth: `PYTHONPATH=scripts python -m validation.measured.ablation`.

Fills the table of docs/validation.md. It compares all rows once as they are, and those that a
mechanism concerns once more without it, which takes minutes, so that nothing calls it. The page
notes which figures the table was made with; `make drift` says when these are no longer current.
"""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from statistics import median

from marked import fill, settled
from validation.markdown import table
from validation.measured.cells import column_of, forms, short
from validation.measured.compare import Compared, compare
from validation.measured.errors import by
from validation.measured.every_row import DIGESTS
from validation.measured.mechanisms import MECHANISMS
from validation.measured.rows import Row, read
from validation.measured.samples import in_sample

PAGE = Path(__file__).parents[3] / "docs" / "validation.md"
COMMAND = "PYTHONPATH=scripts .venv/bin/python -m validation.measured.ablation"

HEAD = ("without", "figure", "rows", "median error with it", "without")
COLUMNS = ("rate", "excess_s", "mean", "p50", "p99", "p99_9")

# A mechanism concerns a row whose figure moves by more without it.
MOVED = 0.01

# A median that differs by less is neither better nor worse: half a percentage point, or 5 ms.
ALIKE = 0.005


@dataclass(frozen=True)
class Pair:
    """Errors of the same rows with a mechanism and without it."""

    with_it: Sequence[float]
    without: Sequence[float]

    def cells(self, column: str) -> list[str]:
        """How many rows, and both medians."""
        form, _ = forms(column)
        medians = [form(_median(of)) for of in (self.with_it, self.without)]
        return [str(len(self.with_it)), *medians]

    @property
    def gain(self) -> float:
        """By how much the median error is smaller with it."""
        return _median(self.without) - _median(self.with_it)


def _median(errors: Iterable[float]) -> float:
    return median(abs(error) for error in errors)


def ablation(rows: Sequence[Row]) -> str:
    """The table, of rows out of sample, and what no row shows to be of help."""
    ours = in_sample(rows)
    # Of capacities there is nothing but a limit.
    rows = [row for row in rows if row.workload.rw != "capacity"]
    compared = compare(rows).compared
    as_is = {_place(one): one for of in compared.values() for one in of}
    rows = [row for row in rows if row.id in compared]
    lines, idle, unseen = [], [], []
    for name, change in MECHANISMS.items():
        changed = [one for of in compare(rows, change).compared.values() for one in of]
        both = [(as_is[_place(one)], one) for one in changed]
        moved = [pair for pair in both if _moved(*pair)]
        if not moved:
            unseen.append(name)
        no_better = []
        for column in COLUMNS:
            own = [pair for pair in moved if column_of(pair[0].figure.quantity) == column]
            outside = _pair([pair for pair in own if pair[0].row not in ours])
            if outside.with_it:
                lines.append([name, short(column), *outside.cells(column)])
                if outside.gain < ALIKE:
                    no_better.append(short(column))
        if no_better:
            idle.append(f"{name} ({', '.join(no_better)})")
    said = (
        f"No better with: {'; '.join(idle) or 'nothing'}. "
        f"No row tells of: {', '.join(unseen) or 'nothing'}."
    )
    return f"{table(HEAD, lines)}\n\n{said}\n\n{seal()}"


def _moved(with_it: Compared, without: Compared) -> bool:
    shown = column_of(with_it.figure.quantity) in COLUMNS
    return shown and abs(without.predicted / with_it.predicted - 1) > MOVED


def _place(one: Compared) -> tuple[str, str, str, str]:
    return one.row, one.part, one.figure.op, one.figure.quantity


def _pair(pairs: Sequence[tuple[Compared, Compared]]) -> Pair:
    with_it, without = ([pair[side] for pair in pairs] for side in (0, 1))
    return Pair(*(by(of, lambda _: "").get("", []) for of in (with_it, without)))


def seal() -> str:
    """Stands for all figures that a table was made with."""
    return f"<!-- figures: {sha256(DIGESTS.read_bytes()).hexdigest()[:12]} -->"


def current(page: str) -> bool:
    """Say if the page's table was made with other figures; with `--check` that is an error."""
    if seal() in page:
        return True
    print(f"drift: {PAGE}: what each mechanism is worth is stale; run: {COMMAND}", file=sys.stderr)
    return "--check" not in sys.argv[1:]


def main() -> int:
    """Fills in, or compares, the page."""
    made = ablation(read())
    return int(not settled(PAGE, fill(PAGE.read_text(), "ablation", made), COMMAND))


if __name__ == "__main__":
    sys.exit(main())
