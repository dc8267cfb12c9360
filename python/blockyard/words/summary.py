"""A result as text of at most 80 columns, except for longer names and paths."""

import io
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Literal

from rich.console import Console, Group, RenderableType
from rich.text import Text

from blockyard._core import NOTEWORTHY
from blockyard.text import provenance
from blockyard.text.formatting import duration, latency
from blockyard.text.limit_names import in_words
from blockyard.text.narrow_table import Line, fitted
from blockyard.types.facts import Facts, Held, Modelled, Waited
from blockyard.types.result import Machine, OpenLoop, Result, Step, Target, Total, TotalRange
from blockyard.words.modes import MADE

# What every terminal has.
COLUMNS = 80

# What throttles jobs without a limit of storage: a link or an event may hold them, or nothing.
_NO_LIMIT = "no limit of storage"
_NOTHING = "nothing"

# Lines of a table that a short form has.
_FEW_LINES = 9


def of(
    result: Result, path: Path | None, facts: Facts | None, columns: int = COLUMNS
) -> RenderableType:
    """The summary of a result in at most `columns`; `path` is its run directory, if kept.

    `facts` are the run's; None of foreign files.
    """
    from blockyard.words.events import happened
    from blockyard.words.headline import headline

    return Group(
        _heading(result),
        Text(headline(result, facts)),
        _figures(result, min(columns, COLUMNS)),
        *_transactions(result, min(columns, COLUMNS)),
        *(Text(f"note: {notice}") for notice in result.get("notices", [])),
        *(
            Text(line)
            for line in [
                *_of_transactions(result),
                *_amounts(result),
                *_open_loops(result),
                *_stalls(result),
                *_behind(result, facts),
                *_storage(result, facts),
                *happened(result),
                *provenance.legend(result),
                *_network(result, facts),
                *_goals(result),
            ]
        ),
        Text(f"in {path}\n" if path else "", no_wrap=True, overflow="ignore"),
    )


def short(result: Result) -> str:
    """A result in a few lines: what was run, for how long, and its figures."""
    lines = _figures(result, COLUMNS).plain.splitlines()
    more = ["…"] if len(lines) > _FEW_LINES else []
    return "\n".join([_heading(result).plain, *lines[:_FEW_LINES], *more])


def html(result: Result, path: Path | None, facts: Facts | None) -> str:
    """The summary as HTML, for notebooks."""
    console = Console(record=True, file=io.StringIO(), width=COLUMNS)
    console.print(of(result, path, facts))
    return console.export_html(inline_styles=True, code_format="<pre>{code}</pre>")


def throttled_by(waited: Sequence[Waited]) -> str:
    """Which limits throttled IOs, with their shares; `nothing` if no IO was throttled."""
    noteworthy = sorted(
        ((found["share"], in_words(found["limit"])) for found in waited),
        key=lambda item: (-item[0], item[1]),
    )
    shown = [f"{name} {share:.0%}" for share, name in noteworthy if share > NOTEWORTHY]
    return ", ".join(shown) or "nothing"


def _open_loops(result: Result) -> list[str]:
    """How each open loop kept to its schedule."""
    return [
        f"{loop['job']}: {loop['served']:,} of {loop['offered']:,} due IOs served, "
        f"{_failed(loop)}{loop['backlog']:,} waiting, {loop['late']:,} late, "
        f"{loop['skipped']:,} skipped; "
        f"issued {latency(loop['lag_us']['mean'])} after due, "
        f"p99 {latency(loop['lag_us']['p99'])}"
        for loop in result["open_loop"]
        if loop["lag_us"]
    ]


def _failed(loop: OpenLoop) -> str:
    failed = loop.get("failed", 0)
    return f"{failed:,} failed, " if failed else ""


def _behind(result: Result, facts: Facts | None) -> list[str]:
    """The open loops that fell behind, and why."""
    from blockyard.words.shortfall import behind

    return list(behind(result, facts)) if facts else []


def _amounts(result: Result) -> list[str]:
    """When jobs that have an amount had done it."""
    from blockyard.words.amounts import done

    return list(done(result))


def _stalls(result: Result) -> list[str]:
    """What percentiles over the whole run hide."""
    from blockyard.words.stalls import stalls

    return list(stalls(result))


def _transactions(result: Result, columns: int) -> list[Text]:
    """The table of transactions, where a job does any."""
    from blockyard.words.transactions import FIRST_TO_GO, HEADINGS, rows

    found = list(rows(result))
    return [fitted(HEADINGS, found, columns, FIRST_TO_GO, _tells)] if found else []


def _of_transactions(result: Result) -> list[str]:
    """What transactions spend their time on, and what their engine did."""
    from blockyard.words.transactions import in_brief

    return list(in_brief(result))


def _network(result: Result, facts: Facts | None) -> list[str]:
    """How mirrors and the links between hosts fared."""
    from blockyard.words.network import network

    return network(result, facts)


def _storage(result: Result, facts: Facts | None) -> list[str]:
    """What the storage was, or of a modelled one what throttled IOs."""
    machine = result["machine"]
    held = _waiting(result, facts, facts["modelled"]) if facts and facts["modelled"] else []
    if machine is None:
        return held
    if result["mode"] == "emulate":
        return [*held, *_served(result, machine)]
    lines = [f"{target['device']}: {_target(target)}" for target in machine["targets"]]
    threads = "1 thread" if machine["threads"] == 1 else f"{machine['threads']} threads"
    cpu = machine["cpu"]
    if cpu and cpu["us_per_io"] is not None:
        threads += f", {cpu['us_per_io']:.2f} µs of processor time an IO"
    lines.append(f"{machine['engine']}, {threads}")
    if machine["steady_s"] is not None:
        lines.append(f"steady after {duration(machine['steady_s'])}")
    if machine["verified"]:
        verified = machine["verified"]
        lines.append(f"verified: {verified['blocks']:,} blocks, {verified['bad']:,} bad")
    return lines


def _served(result: Result, machine: Machine) -> list[str]:
    """Where an emulated device was, and how well this machine kept its time."""
    lines = [
        f"{target['device']}: {target['path']}, {target.get('backing', '')}"
        for target in machine["targets"]
    ]
    own = f"{machine['engine']}, {latency(machine.get('overhead_us') or 0)} of its own"
    cpu = machine["cpu"]
    if cpu and cpu["us_per_io"] is not None:
        own += f", {cpu['us_per_io']:.1f} µs of processor time an IO"
    late = result.get("lateness_us")
    if late:
        own += f"; answers late by {latency(late['p50'])}, p99 {latency(late['p99'])}"
    return [*lines, own]


def _target(target: Target) -> str:
    device = target["block_device"]
    model = f", {target['model']}" if target["model"] else ""
    if target["kind"] == "file":
        cached = "" if target["direct"] else ", through the page cache"
        on = f" on {device}" if device else ""
        return f"{target['path']}, {target['file_system']}{on}{model}{cached}"
    return f"{target['path']}{model}"


def _waiting(result: Result, facts: Facts, modelled: Modelled) -> list[str]:
    """What throttled each job, and how long burst balances last."""
    from blockyard.words.balances import balances
    from blockyard.words.network import others_held
    from blockyard.words.run_bottleneck import nearest
    from blockyard.words.transaction_bottleneck import in_parts, unsettled

    others = list(others_held(result, facts))
    held = [one for one in modelled["held"] if one["limits"]]
    if not held:
        lines = [f"throttled by: {_NO_LIMIT if others else _NOTHING}{nearest(facts)}"]
    elif len(modelled["held"]) == 1:
        lines = [f"throttled by: {_held(held[0], 'all')}"]
    else:
        lines = [
            f"{one['job']} throttled by: {_held(one, 'its') if one['limits'] else _none(one)}"
            for one in modelled["held"]
        ]
    return [*lines, *in_parts(result, facts), *unsettled(facts), *others, *balances(facts)]


def _none(held: Held) -> str:
    return _NO_LIMIT if held["by"] else _NOTHING


def _held(held: Held, whose: str) -> str:
    # What was throttled may have completed after the time that counts.
    share = f"; {_share(held['waited'])} of {whose} latency" if held["waited"] else ""
    return f"{throttled_by(held['limits'])}{share}"


def _share(share: float) -> str:
    return "under 1%" if share < 0.01 else f"{min(share, 1.0):.0%}"


def _heading(result: Result) -> Text:
    how = "" if result["status"] == "complete" else f", {result['status']}"
    took = f"{duration(result['duration_s'])} {MADE[result['mode']]}"
    by_seed = result.get("by_seed")
    first = result["seed"]
    seeds = ""
    if by_seed:
        seeds = f"; min and max of seeds {first} to {first + by_seed['seeds'] - 1} if they differ"
    return Text(f"{result['scenario']}: {took}, seed {first}{seeds}{how}", style="bold")


_HEADINGS: Line = ("job", "load", "IOPS", "MiB/s", "mean", "p50", "p99", "max")

_LOAD = _HEADINGS.index("load")

# What narrow terminals do without: IOPS and p99 stay.
_FIRST_TO_GO = ("MiB/s", "p50", "max", "mean", "load")

# The rows of the range over seeds, and their latencies.
_ENDS: tuple[Literal["min", "max"], ...] = ("min", "max")
_RANGED: tuple[Literal["mean", "p50", "p99"], ...] = ("mean", "p50", "p99")


def _figures(result: Result, columns: int) -> Text:
    """The table of IOs."""
    return fitted(_HEADINGS, list(_lines(result)), columns, _FIRST_TO_GO, _tells)


def _tells(line: Line, shown: Collection[str]) -> bool:
    """Nothing but its load says what a row of other seeds is."""
    return "load" in shown or line[_LOAD] not in _ENDS


def _lines(result: Result) -> Iterator[Line]:
    marked = provenance.marked(result)
    devices: defaultdict[str, set[str]] = defaultdict(set)
    for total in result["totals"]:
        devices[total["job"]].add(total["device"])
    for total in result["totals"]:
        if total["latency_us"] and total["latency_us"]["max"] == 0:
            continue  # flushes that had nothing to wait for
        if result["mode"] == "emulate" and not total["ios"]:
            continue  # what no client asked for
        name = f"{total['job']} {total['op']}"
        if devices[total["job"]] > {total["device"]}:
            name += f" {total['device']}"
        if (total["device"], total["op"]) in marked:
            name += provenance.MARK
        steps = [step for step in result["steps"] if _same(step, total)]
        if len(steps) > 1:
            for step in steps:
                yield name, _load(step), *_row(step)
        yield name, "all", *_row(total)
        yield from ((name, *row) for row in _over_seeds(result, total))


def _over_seeds(result: Result, total: Total) -> Iterator[Line]:
    """Minimum and maximum of a total's figures over several seeds."""
    by_seed = result.get("by_seed")
    for one in by_seed["totals"] if by_seed else []:
        if _same(one, total):
            ends = [_end(one, end) for end in _ENDS]
            if ends[0] != ends[1]:
                yield from ((end, *row) for end, row in zip(_ENDS, ends, strict=True))


def _end(one: TotalRange, end: Literal["min", "max"]) -> Line:
    us = one["latency_us"]
    shown = [latency(us[figure][end]) for figure in _RANGED] if us else ["-"] * len(_RANGED)
    return f"{one['iops'][end]:,.0f}", "", *shown, ""


def _load(step: Step) -> str:
    """What a step offered: processes in a closed loop, IOs a second in an open one."""
    return f"{step['processes']} proc" if step["rate"] is None else f"{step['rate']:,}/s"


def _same(step: Total | TotalRange, total: Total) -> bool:
    return all(step[key] == total[key] for key in ("job", "device", "op"))


def _row(total: Total) -> list[str]:
    measured = total["latency_us"]
    if measured is None:
        return [f"{total['iops']:,.0f}", f"{total['mib_per_s']:,.1f}", "-", "-", "-", "-"]
    shown = (measured[figure] for figure in ("mean", "p50", "p99", "max"))
    return [
        f"{total['iops']:,.0f}",
        f"{total['mib_per_s']:,.1f}",
        *map(latency, shown),
    ]


def _goals(result: Result) -> list[str]:
    by_seed = result.get("by_seed")
    return [
        f"goal {goal['goal']}: {'met' if goal['met'] else 'MISSED'}, {goal['measured']}"
        + provenance.behind(goal)
        + (f"; met in {by_seed['goals_met'][place]} of {by_seed['seeds']} seeds" if by_seed else "")
        for place, goal in enumerate(result["goals"])
    ]
