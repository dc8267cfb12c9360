"""The effect of changes to a layout, as text."""

import textwrap
from collections.abc import Iterator, Sequence

from rich.table import Table

from blockyard._core import GAIN, term_in_words
from blockyard.cli import columns, what_if_notes, what_if_savings, what_if_service
from blockyard.cli.what_if_change import change
from blockyard.text.formatting import latency, number, rate
from blockyard.types.bill import Bill
from blockyard.types.what_if import Alternatives, Gained, Now, OfJob, Row, Worth
from blockyard.words.capacity import is_behind
from blockyard.words.headline import headline
from blockyard.words.phrases import listed

# From this factor on, a change is no longer told in percent.
_FAR = 10

# The heading above the rows of each verdict.
_HEADINGS: dict[Worth, str] = {
    "meets": "meets goals that are missed now, most goals first, then the cheapest",
    "cheaper": "no dearer, and nothing is given up, largest saving first",
    "trades": "saves, and {kept}, largest saving first; below each what it gives up",
    "pays": "improves, best value first",
    "unpriced": "improves, price not known, largest gain first",
    "nothing": "no effect",
    "mixed": "better in one thing, worse in another",
    "saves": "cheaper but worse, smallest loss first",
    "worse": "worse",
    "refused": "cannot be bought",
    "untried": "not tried: --most-ios allows no more IOs, and a shorter duration takes fewer",
}


def parts(found: Alternatives, width: int) -> Iterator[str | Table]:
    """The layout as it is, the changes, and what to know of them, to be printed in turn."""
    yield from _wrapped(f"{found['scenario']} as it is: {_as_it_is(found['now'])}", width)
    yield from _wrapped(headline(found["result"], found["facts"]), width)
    for sentence in what_if_notes.lasting(found):
        yield from _wrapped(sentence, width)
    for worth, heading in _HEADINGS.items():
        rows = [row for row in found["changes"] if row["worth"] == worth]
        if rows:
            yield ""
            yield from _group(found, worth, heading, rows, width)
    yield ""
    for note in what_if_notes.notes(found):
        yield from _wrapped(note, width)


def _wrapped(line: str, width: int, indent: str = "") -> list[str]:
    return textwrap.wrap(
        line, width, break_long_words=False, break_on_hyphens=False, subsequent_indent=indent
    )


def _as_it_is(now: Now) -> str:
    # The one that leads comes first.
    jobs = sorted(now["jobs"], key=lambda job: job["job"] != now["leads"])
    bill = now["bill"]
    if bill is None:
        money = "price not known"
    else:
        term = term_in_words(bill["term"])
        how = term if bill["term"] == "on-demand" else f"({term})"
        money = f"${bill['per_month']:,.2f} a month {how} in {bill['region']}{_between(bill)}"
    return f"{listed([_job(job) for job in jobs])}; {money}."


def _between(bill: Bill) -> str:
    """What of a bill goes from zone to zone, if anything."""
    dollars = sum(line["per_month"] for line in bill["lines"] if line["item"] == "cross_zone")
    return f", ${dollars:,.2f} of it for traffic between zones" if dollars else ""


def _job(job: OfJob) -> str:
    us = job["latency_us"]
    p99 = f" (p99 {latency(us['p99'])})" if us else ""
    mean = job.get("mean_us")
    if mean is not None:
        p99 = f" (mean {latency(mean)})"
    return f"{job['job']} at {rate(job['per_s'])} {_unit(job)}{p99}"


def _unit(job: OfJob | Gained) -> str:
    return "TPS" if job["transactions"] else "IOPS"


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
    if worth in ("cheaper", "trades"):
        kept = "all goals stay met" if found["now"]["goals"] else "no job is worse off"
        yield from _wrapped(f"{heading.format(kept=kept)}:", width)
        yield what_if_savings.table(found, rows)
        return
    several = len(found["now"]["jobs"]) > 1
    goals = any(_met(found, row) != _met(found) for row in rows)
    paid = any(row["per_dollar"] is not None for row in rows) and worth != "meets"
    table = Table(box=None, pad_edge=False, padding=(0, columns.GAP, 0, 0), title_justify="left")
    yield f"{heading}:"
    table.add_column("", overflow="fold", min_width=min(28 if several else 36, width // 2))
    if several:
        table.add_column("job")
    units = {_unit(job) for job in found["now"]["jobs"]}
    names = ["per s" if len(units) > 1 else units.pop(), _of_latency(found), "$/month"]
    names += ["per $"] * paid + ["goals met"] * goals
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        for cells in _cells(found, row, several=several, paid=paid, goals=goals):
            table.add_row(*cells)
    yield table


def _of_latency(found: Alternatives) -> str:
    """Which figure of latencies is told."""
    by_interval = any(job["measure"] == "mean" for job in found["now"]["jobs"])
    return "mean" if by_interval else "p99"


def _met(found: Alternatives, row: Row | None = None) -> int:
    """How many goals are met: as it is, or with a change."""
    if row is None:
        return sum(goal["met"] for goal in found["now"]["goals"])
    return sum(goal["met"] for goal in row["came"]["goals"]) if row["came"] else 0


def _reason(row: Row) -> str:
    """A refusal without the path of what was set, which the change says."""
    said = row["refused"] or ""
    path, separator, rest = said.partition(": ")
    return rest if separator and path.split(".")[0] in ("storage", "host", "hosts") else said


def _cells(
    found: Alternatives, row: Row, *, several: bool, paid: bool, goals: bool
) -> Iterator[list[str]]:
    """A line for the job that a change is told by, and one for each other that it moves."""
    brought = row["came"]
    if brought is None:
        return
    mark = " *" if what_if_notes.carried(row) else ""
    money = "?" if row["dollars"] is None else f"{row['dollars']:+,.2f}"
    before = {job["job"]: job for job in found["now"]["jobs"]}
    told = next(job for job in brought["jobs"] if job["job"] == brought["job"])
    beside = [job for job in brought["jobs"] if job is not told and _is_moved(job)]
    for job in (told, *beside):
        first = job is told
        yield [
            f"  {change(row)}{mark}{_below(found, row)}" if first else "",
            *([job["job"]] if several else []),
            *_figures(before[job["job"]], job),
            money if first else "",
            *([_per_dollar(row, before[job["job"]], job) if first else ""] if paid else []),
            *([_goals(row) if first else ""] if goals else []),
        ]


def _below(found: Alternatives, row: Row) -> str:
    """A line more where users get more or less service, or something is given up."""
    now, brought = found["now"]["jobs"], row["came"]
    moved = list(what_if_service.moved(now, brought["jobs"])) if brought else []
    given_up = "; ".join(what_if_savings.given_up(row))
    return "".join(f"\n    {said}" for said in (*moved, given_up) if said)


def _is_moved(job: Gained) -> bool:
    """Whether it gains or loses, and not by chance."""
    return not job["chance"] and abs(job["gain"]) >= GAIN


def _figures(before: OfJob, after: Gained) -> list[str]:
    """What a job does a second and its p99, beside what they are now."""
    old, new = before["latency_us"], after["latency_us"]
    mean = after.get("mean_us")
    if mean is not None and is_behind(before):
        # Of a queue that grows it matters what is left of it, not how many times less that is.
        return [_moved(before["per_s"], after["per_s"]), latency(mean)]
    measured = _change(after["gain"] if after["measure"] == "per_s" else -after["gain"])
    if after["chance"] and measured != "same":
        measured = f"~{measured}"
    if after["measure"] == "per_s":
        return [measured, _moved(old["p99"], new["p99"]) if old and new else ""]
    return [_moved(before["per_s"], after["per_s"]), measured]


def _goals(row: Row) -> str:
    """How many goals are met, and with how many seeds where these do not agree."""
    brought = row["came"]
    if brought is None:
        return ""
    seeds, met = brought["seeds"], [goal for goal in brought["goals"] if goal["met"]]
    few = min((goal["seeds_met"] for goal in met), default=seeds)
    doubt = f", {few} of {seeds} seeds" if few < seeds else ""
    return f"{len(met)} of {len(brought['goals'])}{doubt}"


def _moved(before: float, after: float) -> str:
    """By how much, in percent."""
    if not before:
        return ""
    return _change(after / before - 1)


def _change(share: float) -> str:
    """A change in percent; what is far apart as a factor: `6,200 times`, `1/5.6 million`."""
    factor = 1 + share
    if factor >= _FAR:
        return f"{number(factor, 2)} times"
    if 0 < factor <= 1 / _FAR:
        return f"1/{number(1 / factor, 2)}"
    return "same" if abs(share) < 0.0005 else f"{share:+.1%}"


def _per_dollar(row: Row, before: OfJob, told: Gained) -> str:
    gain = row["per_dollar"]
    if gain is None:
        return ""
    if told["measure"] == "mean" and is_behind(before):
        return latency(gain)
    return f"{number(gain, 2)} {'µs' if told['measure'] in ('p99', 'mean') else _unit(told)}"
