"""Transactions: how many a second, how long they take and on what, and what their engine does."""

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

from blockyard._core import NOTEWORTHY
from blockyard.text.formatting import duration, latency, number, rate
from blockyard.text.table import Table
from blockyard.types.result import (
    EngineIoUse,
    EngineTotal,
    LatencyUs,
    NodeTotal,
    Quartiles,
    ReplicationTotal,
    Result,
    SpentOn,
    TransactionRange,
    TransactionStep,
    TransactionTotal,
)
from blockyard.words.phrases import counted, in_bytes, listed, share
from blockyard.words.tables import between

# The table of a summary, and what narrow terminals do without there: TPS and p99 stay.
HEADINGS = ("transactions", "load", "TPS", "mean", "p50", "p95", "p99", "max")
FIRST_TO_GO = ("p95", "p50", "max", "mean", "load")

# What a transaction's time goes to.
_SPENT_ON: dict[SpentOn, str] = {
    "thread": "waiting for a thread of the engine",
    "core": "waiting for a processor core",
    "cpu": "processor time",
    "free_page": "waiting for a free page in the buffer pool",
    "page_read": "page reads",
    "log_space": "waiting for space in the redo log",
    "commit": "its commit",
    "replication": "waiting for other nodes",
    "flow_control": "waiting for a node that is behind",
}

# From here on the whole percents of a hit ratio hide how many pages miss.
_NEARLY_ALL = 0.99


class _Part(NamedTuple):
    """Transactions that are counted together: of a job, a load step or a kind."""

    job: str
    kind: str
    # None of all load steps.
    step: TransactionStep | None
    tps: float
    latency_us: LatencyUs | None


def rows(result: Result) -> Iterator[tuple[str, ...]]:
    """The rows of a summary, under `HEADINGS`."""
    for part in _parts(result):
        us = part.latency_us
        latencies = (us["mean"], us["p50"], us["p95"], us["p99"], us["max"]) if us else ()
        yield (
            " ".join(filter(None, (part.job, part.kind))),
            _load(part.step, "thr") if part.step else "all",
            rate(part.tps),
            *(map(latency, latencies) if latencies else ["-"] * 5),
        )
        if part.step is None and not part.kind:
            yield from _over_seeds(result, part.job)


def _over_seeds(result: Result, job: str) -> Iterator[tuple[str, ...]]:
    """Minimum and maximum of a job's transactions over several seeds."""
    for one in _ranges(result):
        if one["job"] == job:
            low, high = _end(one, "min"), _end(one, "max")
            if low != high:
                yield from ((job, "min", *low), (job, "max", *high))


def _end(one: TransactionRange, end: Literal["min", "max"]) -> tuple[str, ...]:
    us = one.get("latency_us")
    mean, p50, p99 = (
        (latency(us[it][end]) for it in ("mean", "p50", "p99")) if us else ("-", "-", "-")
    )
    return rate(one["tps"][end]), mean, p50, "", p99, ""


def _ranges(result: Result) -> list[TransactionRange]:
    by_seed = result.get("by_seed")
    return by_seed.get("transactions", []) if by_seed else []


def in_brief(result: Result) -> Iterator[str]:
    """Lines of a summary: what time goes to, what the engine does, what has not begun."""
    for total in result.get("transactions", []):
        for said in (
            _failed(total), _time(total), _engine(total), _replication(total), _waiting(total),
        ):  # fmt: skip
            if said:
                yield f"{total['job']}: {said}"


_FAILED_IO: dict[EngineIoUse, str] = {
    "log": "a write of its log failed",
    "page_write": "a write of its pages failed",
    "page_read": "a read of its pages failed",
}


def stops(result: Result) -> Iterator[str]:
    """Engines that stopped: `the engine of shop stopped at 30 s: a write of its log failed`."""
    for total in result.get("transactions", []):
        for stop in total.get("stopped", []):
            host = stop.get("host")
            which = f"{total['job']} on {host}" if host else total["job"]
            io = stop.get("failed_io")
            why = _FAILED_IO[io] if io else "too few nodes of its group were left"
            yield f"the engine of {which} stopped at {duration(stop['t_s'])}: {why}"


def transactions(result: Result) -> list[str | Table]:
    """What a report says of transactions."""
    found = result.get("transactions", [])
    said = [f"{line}." for line in in_brief(result)]
    tables = (
        _delivered(result), _seeds(result), _spent(found), _by_5s(found), _engines(found),
        _nodes(found),
        _standbys(found),
    )  # fmt: skip
    return [*said, *(table.without_empty() for table in tables if table.rows)]


def _parts(result: Result) -> Iterator[_Part]:
    for total in result.get("transactions", []):
        job = total["job"]
        if len(total["steps"]) > 1:
            for step in total["steps"]:
                yield _Part(job, "", step, step["tps"], step.get("latency_us"))
        yield _Part(job, "", None, total["tps"], total.get("latency_us"))
        for kind in total.get("kinds", []):
            yield _Part(job, kind["kind"], None, kind["tps"], kind.get("latency_us"))


def _load(step: TransactionStep, threads: str) -> str:
    """What a load step offered: `72 threads`, `1,000/s`."""
    offered = step.get("rate")
    return f"{step.get('threads')} {threads}" if offered is None else f"{offered:,}/s"


def _time(total: TransactionTotal) -> str:
    parts = [part for part in total["time"] if part["share"] >= NOTEWORTHY]
    if not parts:
        return ""
    first, *others = [(share(part["share"]), _SPENT_ON[part["on"]]) for part in parts]
    most = f"{first[0]} of the time of a transaction goes to {first[1]}"
    return ", ".join([most, *(f"{part} to {on}" for part, on in others)])


def _engine(total: TransactionTotal) -> str:
    engine = total.get("engine")
    if not engine:
        return ""
    does = [
        f"reads {number(engine['reads_per_transaction'])} pages",
        f"writes {number(engine['writes_per_transaction'])}",
        f"moves {in_bytes(round(engine['bytes_per_transaction']))}",
    ]
    hits = f"{_hits(engine['hit_ratio'])} of page accesses hit the buffer pool"
    return f"{hits}; a transaction {listed(does)}"


def _replication(total: TransactionTotal) -> str:
    group = total.get("replication")
    if not group:
        return ""
    if any(node.get("lag") for node in group["nodes"]):
        return _shipping(group)
    longest = max(group["nodes"], key=lambda node: node["longest_queue"])
    queue = f"the longest receive queue, on {longest['host']}, had {longest['longest_queue']:,}"
    sent = f"{group['write_sets']:,} write sets went to {counted(len(group['nodes']), 'node')}"
    if not group["pauses"]:
        return f"{sent}, and flow control stopped none; {queue}"
    pauses = counted(group["pauses"], "time")
    stopped = f"flow control stopped them {pauses}, for {duration(group['paused_s'])} in all"
    return f"{sent}; {stopped}; {queue}"


def _shipping(group: ReplicationTotal) -> str:
    standbys = counted(len(group["nodes"]), "standby", "standbys")
    sent = f"the log of {group['write_sets']:,} transactions went to {standbys}"
    lags = [(lag, node["host"]) for node in group["nodes"] if (lag := node.get("lag"))]
    lag, host = max(lags, key=lambda it: it[0]["most_unreplayed"])
    most = counted(lag["most_unreplayed"], "transaction")
    end = f"{lag['unreplayed']:,} at the end"
    return f"{sent}; {host} was behind most, with up to {most} not replayed and {end}"


def _hits(ratio: float) -> str:
    return f"{ratio:.2%}" if ratio > _NEARLY_ALL else f"{ratio:.1%}"


def _failed(total: TransactionTotal) -> str:
    failed = total.get("failed", 0)
    return f"{counted(failed, 'transaction')} failed, which no figure counts" if failed else ""


def _waiting(total: TransactionTotal) -> str:
    waiting = total.get("waiting", 0)
    if not waiting:
        return ""
    return f"{counted(waiting, 'transaction')} had come due and not begun by the end"


def _delivered(result: Result) -> Table:
    columns = ["job", "kind", "load", "TPS", "mean", "p50", "p95", "p99", "p99.9", "max"]
    found = [
        [
            part.job,
            part.kind,
            _load(part.step, "threads") if part.step else "",
            rate(part.tps),
            *_latencies(part.latency_us),
        ]
        for part in _parts(result)
    ]
    return Table("Transactions a second, and how long they take", columns, found, words=3)


def _seeds(result: Result) -> Table:
    """Ranges over the seeds."""
    by_seed, first = result.get("by_seed"), result["seed"]
    rows = []
    for one in _ranges(result):
        us = one.get("latency_us")
        ranges = [between(us[it], latency) for it in ("mean", "p99")] if us else ["", ""]
        rows.append([one["job"], between(one["tps"], rate), *ranges])
    last = first + by_seed["seeds"] - 1 if by_seed else first
    caption = f"Min and max of seeds {first} to {last}"
    return Table(caption, ["job", "TPS", "mean", "p99"], rows, words=1)


def _latencies(us: LatencyUs | None) -> list[str]:
    if us is None:
        return [""] * 6
    figures = (us["mean"], us["p50"], us["p95"], us["p99"], us["p99_9"], us["max"])
    return [latency(figure) for figure in figures]


def _spent(found: Sequence[TransactionTotal]) -> Table:
    rows = [
        [total["job"], _SPENT_ON[part["on"]], latency(1e3 * part["ms"]), share(part["share"])]
        for total in found
        for part in total["time"]
    ]
    columns = ["job", "time goes to", "of a transaction", "share"]
    return Table("What the time of a transaction goes to, on average", columns, rows, words=2)


def _by_5s(found: Sequence[TransactionTotal]) -> Table:
    rows = []
    for total in found:
        if spread := total.get("by_5s"):
            job = f"{total['job']}, {counted(spread['count'], 'interval')}"
            rows.append([job, "TPS", *_quartiles(spread["tps"], rate)])
            rows.append([job, "p99", *_quartiles(spread["p99_us"], latency)])
    columns = ["job", "figure", "lowest", "1st quartile", "median", "3rd quartile", "highest"]
    return Table("Every 5 s by itself", columns, rows, words=2)


def _quartiles(of: Quartiles, written: Callable[[float], str]) -> list[str]:
    return [written(of[at]) for at in ("min", "q1", "median", "q3", "max")]


def _engines(found: Sequence[TransactionTotal]) -> Table:
    """A row for each figure, as there are more of them than jobs."""
    engines = [(total["job"], engine) for total in found if (engine := total.get("engine"))]
    rows = [
        [what, *(cell(engine) for _, engine in engines)]
        for what, cell in _ENGINE
        if any(cell(engine) for _, engine in engines)
    ]
    columns = ["", *(job for job, _ in engines)]
    return Table("What the engine did", columns, rows if engines else [])


def _nodes(found: Sequence[TransactionTotal]) -> Table:
    columns = ["job", "node", "write sets applied", "longest receive queue", "stopped the others",
               "a write set takes", "mostly", "reads", "writes"]  # fmt: skip
    rows = [
        [
            job,
            node["host"],
            f"{node['applied']:,}",
            f"{node['longest_queue']:,}",
            duration(node["stopped_s"]) if node["stopped_s"] else "",
            *_applying(node),
        ]
        for job, node in _others(found)
        if not node.get("lag")
    ]
    return Table(
        "The other nodes, and what applying a write set takes there", columns, rows, words=2
    )


def _standbys(found: Sequence[TransactionTotal]) -> Table:
    columns = ["job", "standby", "replayed", "most not replayed", "at the end",
               "most not on its disk", "at the end", "a transaction takes", "mostly", "reads",
               "writes"]  # fmt: skip
    rows = [
        [
            job,
            node["host"],
            f"{node['applied']:,}",
            f"{lag['most_unreplayed']:,}",
            f"{lag['unreplayed']:,}",
            in_bytes(lag["most_unflushed_bytes"]),
            in_bytes(lag["unflushed_bytes"]),
            *_applying(node),
        ]
        for job, node in _others(found)
        if (lag := node.get("lag"))
    ]
    return Table(
        "The standbys: how far they are behind, and what replay takes", columns, rows, words=2
    )


def _others(found: Sequence[TransactionTotal]) -> Iterator[tuple[str, NodeTotal]]:
    for total in found:
        group = total.get("replication")
        for node in group["nodes"] if group else []:
            yield total["job"], node


def _applying(node: NodeTotal) -> list[str]:
    """What applying takes: what is in the queue is not being applied."""
    time = [part for part in node["time"] if part["on"] != "thread"]
    return [
        latency(1e3 * sum(part["ms"] for part in time)),
        _APPLYING.get(time[0]["on"], _SPENT_ON[time[0]["on"]]) if time else "",
        number(node["reads_per_write_set"]),
        number(node["writes_per_write_set"]),
    ]


# What else it means for a write set that is applied.
_APPLYING: dict[SpentOn, str] = {"replication": "waiting for those before it to commit"}


def _bytes(count: float) -> str:
    return in_bytes(round(count)) if count else ""


_ENGINE: Sequence[tuple[str, Callable[[EngineTotal], str]]] = (
    ("hit ratio of the buffer pool", lambda it: _hits(it["hit_ratio"])),
    ("pages read for a transaction", lambda it: number(it["reads_per_transaction"])),
    ("pages written for it", lambda it: number(it["writes_per_transaction"])),
    ("bytes moved for it", lambda it: _bytes(it["bytes_per_transaction"])),
    (
        "of these to the doublewrite area",
        lambda it: _bytes(it["doublewrite_bytes_per_transaction"]),
    ),
    ("of these to the redo log", lambda it: _bytes(it["log_bytes_per_transaction"])),
    ("of these to the binary log", lambda it: _bytes(it["binlog_bytes_per_transaction"])),
    ("checkpoints begun", lambda it: f"{it['checkpoints']:,}" if it["checkpoints"] else ""),
    ("most dirty pages", lambda it: f"{it['peak_dirty_pages']:,}"),
    ("highest checkpoint age", lambda it: _bytes(it["peak_checkpoint_age"])),
)
