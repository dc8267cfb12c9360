"""A bill as a table, and what there is to say about it."""

from collections.abc import Iterator

from blockyard._core import ScenarioError
from blockyard.runs.run import Run
from blockyard.text.formatting import number, price, rate, sentence
from blockyard.text.table import Table
from blockyard.types.bill import Bill, BillLine, Item, Work
from blockyard.words.phrases import listed

# How instances are paid for, in words.
TERMS = {
    "on-demand": "on demand",
    "1y-no-upfront": "one year, nothing upfront",
    "1y-partial-upfront": "one year, partly upfront",
    "1y-all-upfront": "one year, all upfront",
    "3y-no-upfront": "three years, nothing upfront",
    "3y-partial-upfront": "three years, partly upfront",
    "3y-all-upfront": "three years, all upfront",
    "savings-plan": "Savings Plan",
}

_ITEMS: dict[Item, str] = {
    "instance": "",
    "ebs_optimized": "EBS-optimized",
    "capacity": "",
    "iops": "IOPS",
    "throughput": "throughput",
    "requests": "IO requests",
    "cross_zone": "",
    "snapshots": "",
}


# What the first column counts by its names.
_HOURLY = ("instance", "ebs_optimized")


def cost(run: Run) -> list[str | Table]:
    """The bill of a run, and what its work came to; nothing where it has none."""
    try:
        bill = run.bill
    except ScenarioError as error:
        # Who names a region wants its prices.
        return [f"There is no bill: {error}."] if run.asked().region else []
    return [table(bill), *sentences(bill)] if bill and bill["lines"] else []


def table(bill: Bill) -> Table:
    """The bill line by line, with the total below."""
    rows = [_row(line) for line in bill["lines"]]
    total = ["total", "", "", "", *_money(bill["per_hour"], bill["per_month"])]
    columns = ["", "what", "amount", "price", "$/hour", "$/month"]
    # Of prices from two places each line says from where its own is.
    if len({line["users"] for line in bill["lines"]}) > 1:
        columns.append("from")
        for row, line in zip(rows, bill["lines"], strict=True):
            row.append("you" if line["users"] else "catalog")
        total.append("")
    return Table(caption=_heading(bill), columns=columns, rows=[*rows, total], words=2)


def _heading(bill: Bill) -> str:
    region = bill["region"] + (" (assumed)" if bill["region_from"] == "assumed" else "")
    day = f"prices of {bill['as_of']}" if bill["as_of"] else "newest prices"
    return f"{region}, {TERMS[bill['term']]}, {day}, {bill['hours_per_month']} h a month"


def _row(line: BillLine) -> list[str]:
    return [
        line["of"],
        _what(line),
        f"{_count(line['amount'])} {line['unit']}".rstrip(),
        price(line["price"]),
        *_money(line["per_hour"], line["per_month"]),
    ]


def _what(line: BillLine) -> str:
    """`r4.2xlarge`, `5 gp3`, `5 gp3, IOPS above 3,000`."""
    several = f"{line['count']} " if line["count"] > 1 and line["item"] not in _HOURLY else ""
    item = _ITEMS[line["item"]]
    above = f" above {_count(line['above'])}" if line["above"] else ""
    return f"{several}{line['what']}{f', {item}' if item else ''}{above}"


def _count(amount: float) -> str:
    return f"{amount:,.0f}" if amount >= 1 and amount == round(amount) else rate(amount)


def _money(per_hour: float, per_month: float) -> tuple[str, str]:
    return f"{per_hour:,.4f}", f"{per_month:,.2f}"


def sentences(bill: Bill) -> list[str]:
    """What the work came to, where the prices are from, and what is assumed."""
    said = [_paid(bill["work"])] if bill["work"] else []
    said.extend(_sources(bill))
    off = dict.fromkeys(it for line in bill["lines"] if (it := line["discount"]))
    said.extend(f"Discount, taken off these prices: {it}." for it in off)
    assumed = dict.fromkeys(it for line in bill["lines"] for it in line["assumed"])
    said.extend(f"Assumed of prices: {it}." for it in assumed)
    said.extend(map(sentence, bill["notes"]))
    return said


def _paid(work: Work) -> str:
    """What the work came to."""
    parts = []
    if work["per_tps"] is not None and work["per_million_transactions"] is not None:
        parts.append(f"{_dollars(work['per_tps'])} a month for one transaction a second")
        million = _dollars(work["per_million_transactions"])
        parts.append(f"{million} for a million transactions")
    if work["per_1000_iops"] is not None:
        parts.append(f"{_dollars(work['per_1000_iops'])} a month for 1,000 IOPS")
    return f"For its work that is {listed(parts)}."


def _dollars(amount: float) -> str:
    """To the cent, and what is less than a dollar to three digits."""
    return f"{amount:,.2f} $" if amount >= 1 else f"{number(amount)} $"


def _sources(bill: Bill) -> Iterator[str]:
    """Where the prices are from: each source once."""
    ours = [line for line in bill["lines"] if not line["users"]]
    seen = dict.fromkeys(f"{line['source']} ({line['observed']})" for line in ours)
    if seen:
        yield f"Prices: {'; '.join(seen)}."
    yours = [line for line in bill["lines"] if line["users"]]
    seen = dict.fromkeys(f"{line['source']} ({line['observed']})" for line in yours)
    if seen:
        yield f"Your prices: {'; '.join(seen)}."
