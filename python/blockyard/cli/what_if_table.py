"""What changes of a layout would bring, as text."""

import textwrap
from collections.abc import Iterator, Sequence
from typing import cast

from rich.table import Table

from blockyard.alternatives import Alternatives, Change, Now, Row, Worth
from blockyard.cli import columns
from blockyard.facts import LimitId
from blockyard.formatting import duration, latency, number, rate
from blockyard.limit_names import host, possessive
from blockyard.report.words.binding import bound_of, unsettled
from blockyard.report.words.cost import TERMS
from blockyard.report.words.felt import held_back, named
from blockyard.report.words.headline import headline

# So many times as much is no longer told in percent.
_FAR = 10

# What stands above the rows that come to the same.
_HEADINGS: dict[Worth, str] = {
    "cheaper": "costs no more and is no worse, the largest saving first",
    "pays": "brings something, the most for a dollar first",
    "unpriced": "brings something, price not known, the largest gain first",
    "nothing": "brings nothing",
    "saves": "cheaper and worse, the least loss first",
    "worse": "worse",
    "refused": "cannot be bought",
    "untried": "not tried: --most-ios allows no more IOs, and a shorter duration takes fewer",
}


def parts(found: Alternatives, width: int) -> Iterator[str | Table]:
    """The layout as it is, the changes, and what to know of them, to be printed in turn."""
    yield from _wrapped(f"{found['scenario']} as it is: {_as_it_is(found['now'])}", width)
    yield from _wrapped(headline(found["result"], found["facts"]), width)
    for sentence in _lasting(found):
        yield from _wrapped(sentence, width)
    for worth, heading in _HEADINGS.items():
        rows = [row for row in found["changes"] if row["worth"] == worth]
        if rows:
            yield ""
            yield from _group(found, worth, heading, rows, width)
    yield ""
    for note in _notes(found):
        yield from _wrapped(note, width)


def change(row: Row) -> str:
    """A change in words: `data: 6 volumes for 5`."""
    own = row["change"]
    before = cast(dict[str, object], own)["from"] if "from" in own else None
    match own["kind"]:
        case "volumes":
            striped = ", a stripe" if before == 1 else ""
            return f"{own['device']}: {own['to']} volumes for {before}{striped}"
        case "iops" | "size" | "throughput":
            unit = {"iops": "IOPS", "size": "GiB", "throughput": "MiB/s"}[own["kind"]]
            each = f" on each of {own['volumes']}" if own["volumes"] > 1 else ""
            return f"{own['device']}: {own['to']:,} {unit} for {before:,}{each}"
        case "instance":
            name = host(own["host"])
            return f"{name}: {own['to']} for {before}" if own["to"] else f"{name}: a larger one"
        case "type":
            return f"{own['device']}: {own['to']} for {before}"
        case "journal":
            place = "on io2 of its own" if own["apart"] else f"io2 for {own['device']}"
            return f"{possessive(own['job'])} journal alone: {place}"


def _wrapped(line: str, width: int, indent: str = "") -> list[str]:
    return textwrap.wrap(
        line, width, break_long_words=False, break_on_hyphens=False, subsequent_indent=indent
    )


def _as_it_is(now: Now) -> str:
    came = now["came"]
    us = came["latency_us"]
    p99 = f", p99 {latency(us['p99'])}" if us else ""
    unit = "TPS" if came["transactions"] else "IOPS"
    bill = now["bill"]
    if bill is None:
        money = "price not known"
    else:
        term = TERMS[bill["term"]]
        how = term if bill["term"] == "on-demand" else f"({term})"
        money = f"${bill['per_month']:,.2f} a month {how} in {bill['region']}"
    return f"{came['job']} at {rate(came['per_s'])} {unit}{p99}; {money}."


def _lasting(found: Alternatives) -> Iterator[str]:
    """That figures live on burst credits, which end; where they do not, nothing."""
    if found["for_good"]:
        yield "All of it is simulated with burst balances and saved-up tokens used up."
        return
    now, changed = found["now"]["lasts_s"], [row for row in found["changes"] if _carried(row)]
    if now is not None:
        last = f"last {duration(now)} more" if now else "were used up in the run"
        too = "; so does what is marked *" if changed else ""
        yield (
            f"As it is it lives on burst credits, which {last}{too}. What is listed compares with "
            "that: --for-good says what changes bring once credits are used up."
        )
    elif changed:
        least = min(row["came"]["lasts_s"] or 0.0 for row in changed if row["came"])
        last = f"last {duration(least)} or longer" if least else "may be used up by then"
        yield (
            f"What is marked * lives on burst credits, which {last}: --for-good says what it "
            "brings once they are used up."
        )


def _carried(row: Row) -> bool:
    """Whether burst credits carry what a change comes to."""
    return row["came"] is not None and row["came"]["lasts_s"] is not None


def _group(
    found: Alternatives, worth: Worth, heading: str, rows: Sequence[Row], width: int
) -> Iterator[str | Table]:
    if worth in ("refused", "untried"):
        yield f"{heading}:"
        for row in rows:
            why = f": {_reason(row)}" if row["refused"] else ""
            yield from _wrapped(f"  {change(row)}{why}", width, "    ")
        return
    if found["now"]["lasts_s"] is not None:
        heading += ", as long as burst credits last"
    transactions = found["now"]["came"]["transactions"]
    table = Table(box=None, pad_edge=False, padding=(0, columns.GAP, 0, 0), title_justify="left")
    yield f"{heading}:"
    table.add_column("", overflow="fold", min_width=min(36, width // 2))
    for name in ("TPS" if transactions else "IOPS", "p99", "$/month", "per $"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*_cells(found, row))
    yield table


def _reason(row: Row) -> str:
    """A refusal without the path of what was set, which the change says."""
    said = row["refused"] or ""
    path, separator, rest = said.partition(": ")
    return rest if separator and path.split(".")[0] in ("storage", "host", "hosts") else said


def _cells(found: Alternatives, row: Row) -> list[str]:
    now, brought = found["now"], row["came"]
    if brought is None:
        return [f"  {change(row)}", "", "", "", ""]
    before, after = now["came"], brought["came"]
    old, new = before["latency_us"], after["latency_us"]
    measured = _change(brought["gain"] if now["measure"] == "per_s" else -brought["gain"])
    if brought["chance"] and measured != "same":
        measured = f"~{measured}"
    if now["measure"] == "per_s":
        figures = [measured, _moved(old["p99"], new["p99"]) if old and new else ""]
    else:
        figures = [_moved(before["per_s"], after["per_s"]), measured]
    money = "?" if row["dollars"] is None else f"{row['dollars']:+,.2f}"
    mark = " *" if _carried(row) else ""
    return [f"  {change(row)}{mark}", *figures, money, _per_dollar(found, row)]


def _moved(before: float, after: float) -> str:
    """By how much, in percent."""
    if not before:
        return ""
    return _change(after / before - 1)


def _change(share: float) -> str:
    """A change in percent; what is far apart as a factor: `6,200 times`, `1/2,300`."""
    factor = 1 + share
    if factor >= _FAR:
        return f"{factor:,.0f} times"
    if 0 < factor <= 1 / _FAR:
        return f"1/{1 / factor:,.0f}"
    return "same" if abs(share) < 0.0005 else f"{share:+.1%}"


def _per_dollar(found: Alternatives, row: Row) -> str:
    gain = row["per_dollar"]
    if gain is None:
        return ""
    if found["now"]["measure"] == "p99":
        return f"{number(gain, 2)} µs"
    return f"{number(gain, 2)} {'TPS' if found['now']['came']['transactions'] else 'IOPS'}"


def _notes(found: Alternatives) -> Iterator[str]:
    now = found["now"]
    job = now["came"]["job"]
    nothing = [row for row in found["changes"] if row["worth"] == "nothing"]
    binds = _binds(found)
    if binds and any(_is_other(row["change"], binds[1]) for row in nothing):
        yield f"What brings nothing does so as something else binds: {binds[0]}."
    if now["measure"] == "p99":
        yield (
            f"{job} is an open loop that keeps up: no change brings more than is due, so gains "
            "are in p99."
        )
    yield from (f"{sentence}." for sentence in unsettled(found["facts"]))
    yield _of_chance(found)
    if now["no_price"]:
        yield f"Prices: {now['no_price'].rstrip('.')}."
    if now["bill"] and now["bill"]["region_from"] == "assumed":
        yield f"The region is assumed: {now['bill']['region']}; --region says another."
    for row in found["changes"]:
        if row["no_price"]:
            yield f"{change(row)}: {row['no_price']}."
    yield (
        f"Each change by itself; {number(found['ios'])} IOs simulated. --json has the overrides "
        "that make them."
    )


def _of_chance(found: Alternatives) -> str:
    """How far gains come from chance."""
    now = found["now"]
    seeds = max((row["came"]["seeds"] for row in found["changes"] if row["came"]), default=1)
    if seeds > 1:
        return (
            f"Gains are means over {seeds} seeds, the same with a change and without; ~ may be "
            "chance, as the seeds do not agree on its sign."
        )
    if now["chance"] is None:
        return "Simulated with one seed: how far gains come from chance is not known."
    least, most = now["chance"]
    show = rate if now["measure"] == "per_s" else latency
    return (
        f"~ may be chance: without any change {now['seeds']} seeds come to {show(least)} to "
        f"{show(most)}."
    )


def _binds(found: Alternatives) -> tuple[str, LimitId] | None:
    """The limit that holds the job back most, in words and typed; None if none does."""
    facts, job = found["facts"], found["now"]["came"]["job"]
    bound = bound_of(facts, job)
    if bound and bound["by"]:
        by = bound["by"]
        return (named(facts, by["limit"]), by["limit"]) if by["kind"] == "limit" else None
    held = held_back(facts, job)
    if held and held["by"] and held["by"]["kind"] == "limits":
        limit = held["limits"][0]["limit"]
        return named(facts, limit), limit
    return None


def _is_other(own: Change, limit: LimitId) -> bool:
    """Whether a change is of another limit than this one."""
    match own["kind"]:
        case "iops":
            return limit["counts"] != "ios" or limit["device"] != own["device"]
        case "throughput":
            return limit["counts"] != "bytes" or limit["device"] != own["device"]
        case "instance":
            return limit["device"] is not None
        case "volumes" | "size":
            return limit["device"] != own["device"]
        case "type" | "journal":
            return False
