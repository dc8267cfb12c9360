"""What changes save, each with what it gives up and leaves free."""

import math
from collections.abc import Iterator, Sequence

from rich.table import Table

from blockyard._core import GAIN
from blockyard.cli import columns, what_if_service
from blockyard.cli.what_if_change import change
from blockyard.cli.what_if_notes import carried
from blockyard.text.formatting import latency, rate, share
from blockyard.text.limit_names import in_words
from blockyard.types.what_if import Alternatives, Brought, Gained, GivesUp, OfJob, Row


def table(found: Alternatives, rows: Sequence[Row]) -> Table:
    """A row a change: what it saves, what it is, and below that what becomes of the rest."""
    own = Table(box=None, pad_edge=False, padding=(0, columns.GAP, 0, 0))
    own.add_column("$/month", justify="right", no_wrap=True, min_width=11)
    own.add_column("", overflow="fold")
    for row in rows:
        mark = " *" if carried(row) else ""
        details = "; ".join(_details(found, row))
        own.add_row(f"{row['dollars'] or 0.0:+,.2f}", f"{change(row)}{mark}\n{details}")
    return own


# More digits than a share of layouts is ever told with.
_DIGITS = 9

# What is told beside what jobs do, with what it is now.
_BESIDE_JOBS = ("latency", "service")


def given_up(row: Row) -> list[str]:
    """What a change gives up that no figure of a job shows."""
    return [_given_up(given) for given in row["gives_up"] if given["kind"] not in _BESIDE_JOBS]


def _given_up(given: GivesUp) -> str:
    """What a change gives up in words: `durability 99.999% -> 99.8% a year`."""
    match given["kind"]:
        case "durability":
            before, after = _kept(given["before"], given["after"])
            return f"durability {before} → {after} a year"
        case "latency":
            return f"{given['job']} p99 {latency(given['before'])} → {latency(given['after'])}"
        case "service":
            return f"{given['job']} has less service"
        case "promise":
            return f"what {given['job']} has acknowledged may be lost in more failures"
        case "vcpu":
            return f"{given['after']} vCPUs for {given['before']}"
        case "memory":
            return f"{given['after'] / 1024:g} GiB of memory for {given['before'] / 1024:g}"
        case "architecture":
            return f"{given['after']} for {given['before']}"
        case "copy":
            return f"{given['device']} must be copied, as volumes cannot shrink"


def _details(found: Alternatives, row: Row) -> Iterator[str]:
    brought = row["came"]
    if brought is None:
        return
    jobs = found["now"]["jobs"]
    several = len(jobs) > 1
    for before, after in zip(jobs, brought["jobs"], strict=True):
        yield from _of_job(before, after, f"{before['job']} " if several else "")
    yield from what_if_service.moved(jobs, brought["jobs"])
    yield from given_up(row)
    yield from _headroom(brought)


def _of_job(before: OfJob, after: Gained, name: str) -> Iterator[str]:
    """Its rate where that moves, and its p99 before and after."""
    if after["measure"] == "per_s" and not after["chance"] and abs(after["gain"]) >= GAIN:
        unit = "TPS" if after["transactions"] else "IOPS"
        yield f"{name}{rate(before['per_s'])} → {rate(after['per_s'])} {unit}"
    old, new = before["latency_us"], after["latency_us"]
    means = before.get("mean_us"), after.get("mean_us")
    if means[0] is not None and means[1] is not None:
        yield f"{name}mean {latency(means[0])} → {latency(means[1])}"
    if old and new:
        said = latency(old["p99"]), latency(new["p99"])
        yield f"{name}p99 {said[0]} → {said[1]}" if said[0] != said[1] else f"{name}p99 {said[0]}"


def _headroom(brought: Brought) -> Iterator[str]:
    own = brought["headroom"]
    if own is None:
        return
    limit = in_words(own["limit"])
    if own["used"] < 1:
        yield f"{share(1 - own['used'])} of {limit} free"
    else:
        yield f"nothing of {limit} free"


def _kept(*lost: float) -> list[str]:
    """The shares of layouts that keep their data, with as many digits as tell them apart."""
    for more in range(_DIGITS):
        said = [_share_kept(each, more) for each in lost]
        if len(set(said)) == len(said):
            break
    return said


def _share_kept(lost: float, more: int) -> str:
    """With as many digits as tell it from 100 %, and some more."""
    if lost <= 0:
        return "100%"
    # What is a power of ten but for its last bits is one.
    digits = max(1, math.ceil(-math.log10(lost * 100) - 1e-6)) + more
    return f"{(1 - lost) * 100:.{digits}f}%"
