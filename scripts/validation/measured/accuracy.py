"""Of how much of what was measured the model says something, and how far off that is."""

from collections import Counter
from collections.abc import Mapping, Sequence

from validation.markdown import table
from validation.measured.cells import (
    called,
    forms,
    quantities,
    quantity_of,
    spread_cells,
    wanted_of,
)
from validation.measured.compare import Outcome
from validation.measured.errors import REFUSED, WANTED, Spread, by
from validation.measured.reasons import Reason
from validation.measured.rows import Row

LOCAL = "instance-store"
# A quantity, and whether a limit held the load.
Quantity = tuple[str, bool]

HEAD = ("quantity", "wanted", "rows", "median", "90th", "bias", "within",
        "refused", "median with these", "90th")  # fmt: skip


def counts(outcome: Outcome) -> str:
    """How many rows there are, how many of them are valid, and how many of these are compared."""
    compared, left = len(outcome.compared), len(outcome.left)
    refused = sum(one.reason.refused for one in outcome.left.values())
    valid = compared + refused
    share = 100 * compared / max(1, valid)
    return (
        f"{compared + left} rows, {valid} of them valid. **{compared} of these are compared, "
        f"{share:.0f} %**, and {refused} refused."
    )


def left_out(outcome: Outcome) -> str:
    """How many rows are not compared, by reason, and which of these are valid."""
    found = Counter(left.reason for left in outcome.left.values())
    rows = (
        [reason.value, str(found[reason]), "yes: refused" if reason.refused else "no"]
        for reason in Reason
        if found[reason]
    )
    return table(["why not", "rows", "valid"], rows)


def summary(rows: Sequence[Row], outcome: Outcome) -> str:
    """Errors by quantity of network volumes, without and with what the model refuses."""
    return _summary(rows, outcome, local=False)


def summary_of_disks(rows: Sequence[Row], outcome: Outcome) -> str:
    """The same of local disks."""
    return _summary(rows, outcome, local=True)


def _summary(rows: Sequence[Row], outcome: Outcome, local: bool) -> str:
    kinds = {row.id: row.volume.type == LOCAL for row in rows}
    own = [one for of in outcome.compared.values() for one in of if kinds[one.row] == local]
    errors, refused = by(own, quantity_of), _refused(outcome, kinds, local)
    lines = []
    for quantity in quantities():
        found, missing = errors.get(quantity, []), refused.get(quantity, 0)
        if found or missing:
            lines.append([called(*quantity), *_cells(quantity[0], found, missing)])
    return table(HEAD, lines)


def _cells(quantity: str, found: Sequence[float], missing: int) -> list[str]:
    """Errors without and with so many refusals."""
    wanted = WANTED.get(quantity)
    cells = ["0", "", "", "", ""]
    if found:
        cells = spread_cells(quantity, Spread.of(found, wanted), bool(wanted))
    form, _ = forms(quantity)
    with_these = Spread.of([*found, *[REFUSED] * missing])
    whole = [form(with_these.median), form(with_these.high)] if missing else ["", ""]
    return [wanted_of(quantity), *cells, str(missing), *whole]


def _refused(outcome: Outcome, kinds: Mapping[str, bool], local: bool) -> Counter[Quantity]:
    """How many figures the model has no answer to: of a row, one for each operation."""
    found = {
        (row, figure.op, figure.quantity, figure.at_limit)
        for row, figures in outcome.refused.items()
        if kinds[row] == local
        for figure in figures
        # Its errors are in seconds.
        if figure.quantity != "excess_s"
    }
    return Counter((quantity, at_limit) for _, _, quantity, at_limit in found)
