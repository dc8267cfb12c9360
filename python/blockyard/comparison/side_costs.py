"""What the sides of a comparison cost, beside each other."""

from collections.abc import Sequence
from statistics import fmean
from typing import TypedDict

from blockyard._core import GAIN, ScenarioError
from blockyard.runs.run import Run
from blockyard.text.table import Table
from blockyard.types.bill import Work


class SideCost(TypedDict):
    """What a side costs, in US dollars."""

    # Whose prices these are, and whether nobody named it.
    region: str
    region_assumed: bool
    per_month: float
    # For a month, at the mean pace of the side's runs; None where there is no such work.
    per_1000_iops: float | None
    per_tps: float | None


def of(sides: Sequence[Sequence[Run]]) -> list[SideCost | None]:
    """What each side costs; None where that is not known."""
    return [_of_side(runs) for runs in sides]


def _of_side(runs: Sequence[Run]) -> SideCost | None:
    try:
        bills = [bill for bill in (run.bill for run in runs) if bill and bill["lines"]]
    except ScenarioError:
        return None
    if len(bills) < len(runs):
        return None
    per_month = bills[0]["per_month"]
    work = [bill["work"] for bill in bills if bill["work"]]
    iops = fmean(one["iops"] for one in work) if work else 0.0
    tps = fmean(one["tps"] or 0.0 for one in work) if _transact(work) else 0.0
    return SideCost(
        region=bills[0]["region"],
        region_assumed=bills[0]["region_from"] == "assumed",
        per_month=per_month,
        per_1000_iops=1000 * per_month / iops if iops else None,
        per_tps=per_month / tps if tps else None,
    )


def _transact(work: Sequence[Work]) -> bool:
    return bool(work) and all(one["tps"] is not None for one in work)


# What a row is of, and its key.
_ROWS = (
    ("dollars a month", "per_month"),
    ("dollars a month for one TPS", "per_tps"),
    ("dollars a month for 1,000 IOPS", "per_1000_iops"),
)


def table(names: Sequence[str], costs: Sequence[SideCost | None]) -> Table | None:
    """The costs side by side; None where they are the same, or those of a side are not known."""
    known = [cost for cost in costs if cost]
    if len(known) < len(costs) or len({cost["per_month"] for cost in known}) < 2:
        return None
    rows = []
    for name, key in _ROWS:
        figures = [cost[key] for cost in known]  # type: ignore[literal-required]
        if all(figure is not None for figure in figures):
            change = f"{figures[-1] / figures[0] - 1:+.1%}" if len(figures) == 2 else ""
            rows.append([name, *map(_dollars, figures), change])
    regions = ", ".join(dict.fromkeys(map(_region, known)))
    return Table(f"Cost: {regions}, on demand", ["", *names, "change"], rows).without_empty()


def against(first: SideCost | None, other: SideCost | None) -> tuple[str, str] | None:
    """`cost -20% (…)` and `cheaper`, of another side; None where both cost the same."""
    if not first or not other:
        return None
    ours, theirs = first["per_month"], other["per_month"]
    change = theirs / ours - 1 if ours else 0.0
    if abs(change) < GAIN:
        return None
    said = f"cost {change:+.0%} (${_dollars(theirs)} vs ${_dollars(ours)} a month)"
    return said, "dearer" if change > 0 else "cheaper"


def _region(cost: SideCost) -> str:
    return cost["region"] + (" (assumed)" if cost["region_assumed"] else "")


def _dollars(amount: float) -> str:
    return f"{amount:,.2f}" if amount >= 1 else f"{amount:.4f}"
