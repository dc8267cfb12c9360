"""What runs deliver for the money: latency against cost, and work per dollar."""

from collections.abc import Iterable, Sequence

from blockyard._core import ScenarioError
from blockyard.pages.figure import Axis, Bar, Bars, Curve, Curves, Figure
from blockyard.runs.run import Run
from blockyard.text.formatting import latency, rate
from blockyard.types.bill import Bill

_COST = Axis("cost", "$ a month")
_P99 = Axis("p99 latency", "ms")

# What bars are for.
_DOLLARS = 100


def needs(run: Run) -> bool:
    """A bill, and work that was done for it."""
    bill = _bill(run)
    return bill is not None and bill["work"] is not None and bill["per_month"] > 0


def figures(runs: Sequence[Run], bin_s: float) -> Iterable[Figure]:  # noqa: ARG001 as all charts
    """Runs beside each other; of one run there is nothing to compare."""
    bills = [bill for bill in map(_bill, runs) if bill]
    if len({bill["per_month"] for bill in bills}) < 2:
        return
    slowest = [_p99_ms(run) for run in runs]
    if all(us is not None for us in slowest):
        yield _against(runs, bills, [us or 0.0 for us in slowest])
    yield _for_the_money(runs, bills)


def _bill(run: Run) -> Bill | None:
    try:
        return run.bill
    except ScenarioError:
        # The report says why.
        return None


def _p99_ms(run: Run) -> float | None:
    """The p99 of transactions, where there are any, and else of reads and writes: the slowest."""
    us = [of["latency_us"] for of in run.result["transactions"]] if _transacts(run) else []
    us = us or [of["latency_us"] for of in run.result["totals"] if of["op"] in ("read", "write")]
    return max((one["p99"] / 1000 for one in us if one), default=None)


def _transacts(run: Run) -> bool:
    return bool(run.result.get("transactions"))


def _against(runs: Sequence[Run], bills: Sequence[Bill], p99_ms: Sequence[float]) -> Figure:
    """A point for each run: what it costs, and its p99."""
    points = [
        Curve(run.name, [(bill["per_month"], ms, run.name)], place, joined=False)
        for place, (run, bill, ms) in enumerate(zip(runs, bills, p99_ms, strict=True))
    ]
    of = "transactions" if all(map(_transacts, runs)) else "reads and writes, the slower"
    said = "; ".join(
        f"{run.name}: {bill['per_month']:,.0f} $, {latency(ms * 1000)}"
        for run, bill, ms in zip(runs, bills, p99_ms, strict=True)
    )
    return Figure(
        name="cost-p99",
        title="Latency against cost",
        caption=f"p99 of {of}, against what hosts and storage cost in a month. {said}.",
        plot=Curves(_COST, _P99, points),
    )


def _for_the_money(runs: Sequence[Run], bills: Sequence[Bill]) -> Figure:
    """A bar for each run: transactions a second for so many dollars a month, or IOPS."""
    works = [bill["work"] for bill in bills]
    tps = [work["tps"] for work in works if work and work["tps"] is not None]
    done = tps if len(tps) == len(works) else [work["iops"] for work in works if work]
    unit = "TPS" if len(tps) == len(works) else "IOPS"
    amounts = [
        _DOLLARS * amount / bill["per_month"] for amount, bill in zip(done, bills, strict=True)
    ]
    pairs = list(zip(runs, amounts, strict=True))
    said = "; ".join(f"{run.name}: {rate(amount)}" for run, amount in pairs)
    return Figure(
        name="per-cost",
        title=f"{unit} for {_DOLLARS} $ a month",
        caption=f"{unit} for each {_DOLLARS} $ a month of hosts and storage. {said}.",
        plot=Bars(
            Axis(f"{unit} for {_DOLLARS} $ a month", unit),
            [unit],
            [Bar(run.name, [amount]) for run, amount in pairs],
        ),
    )
