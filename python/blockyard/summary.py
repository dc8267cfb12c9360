"""A result as text of at most 80 columns, but for names and paths that are longer."""

import io
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.text import Text

from blockyard.result import Machine, Result, Step, Target, Total

# How a run of each mode was done.
_DONE = {
    "simulate": "simulated",
    "bench": "on real storage",
    "emulate": "emulated",
    "fio": "by fio",
    "iostat": "seen by iostat",
    "yaspe": "seen by yaspe",
}

# What every terminal has.
COLUMNS = 80

# Limits with less than this share of the waiting time are left out.
_NOTEWORTHY = 0.01


# Lines of a table that a short form has.
_FEW_LINES = 9


def of(result: Result, path: Path | None) -> RenderableType:
    """The summary of a result whose run directory is `path`, if it was kept."""
    return Group(
        _heading(result),
        _figures(result),
        *(Text(f"note: {notice}") for notice in result.get("notices", [])),
        *(Text(line) for line in [*_open_loops(result), *_storage(result), *_goals(result)]),
        Text(f"in {path}\n" if path else "", no_wrap=True, overflow="ignore"),
    )


def short(result: Result) -> str:
    """A result in a few lines: what was run, for how long, and its figures."""
    lines = _figures(result).plain.splitlines()
    more = ["…"] if len(lines) > _FEW_LINES else []
    return "\n".join([_heading(result).plain, *lines[:_FEW_LINES], *more])


def html(result: Result, path: Path | None) -> str:
    """The summary as HTML, for notebooks."""
    console = Console(record=True, file=io.StringIO(), width=COLUMNS)
    console.print(of(result, path))
    return console.export_html(inline_styles=True, code_format="<pre>{code}</pre>")


def held_back(held: Iterable[tuple[str, str, float]]) -> str:
    """Which limits held IOs, from (owner, limit, time held), with their shares.

    The volumes of one device count together, as `data.*`. `nothing` if no IO
    was held.
    """
    times: defaultdict[str, float] = defaultdict(float)
    for owner, limit, time in held:
        times[f"{_device(owner)} {limit}"] += time
    whole = sum(times.values())
    noteworthy = sorted(
        ((time / whole, name) for name, time in times.items() if time > _NOTEWORTHY * whole),
        key=lambda item: (-item[0], item[1]),
    )
    return ", ".join(f"{name} {share:.0%}" for share, name in noteworthy) or "nothing"


def _open_loops(result: Result) -> list[str]:
    """How each open loop kept to its schedule."""
    return [
        f"{loop['job']}: {loop['served']:,} of {loop['offered']:,} due IOs served, "
        f"{loop['backlog']:,} waiting, {loop['late']:,} late, {loop['skipped']:,} skipped; "
        f"issued {milliseconds(loop['lag_us']['mean'])} after due, "
        f"p99 {milliseconds(loop['lag_us']['p99'])}"
        for loop in result["open_loop"]
        if loop["lag_us"]
    ]


def _storage(result: Result) -> list[str]:
    """What the storage was, or of a modelled one what held IOs back."""
    machine = result["machine"]
    if machine is None:
        return [_waiting(result)]
    if result["mode"] == "emulate":
        return [_waiting(result), *_served(result, machine)]
    lines = [f"{target['device']}: {_target(target)}" for target in machine["targets"]]
    threads = "1 thread" if machine["threads"] == 1 else f"{machine['threads']} threads"
    cpu = machine["cpu"]
    if cpu and cpu["us_per_io"] is not None:
        threads += f", {cpu['us_per_io']:.2f} µs of processor time an IO"
    lines.append(f"{machine['engine']}, {threads}")
    if machine["steady_s"] is not None:
        lines.append(f"steady after {machine['steady_s']:g} s")
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
    own = f"{machine['engine']}, {milliseconds(machine.get('floor_us', 0))} of its own"
    cpu = machine["cpu"]
    if cpu and cpu["us_per_io"] is not None:
        own += f", {cpu['us_per_io']:.1f} µs of processor time an IO"
    late = result.get("lateness_us")
    if late:
        own += f"; answers late by {milliseconds(late['p50'])}, p99 {milliseconds(late['p99'])}"
    events = [f"at {event['t_s']:,.1f} s: {event['what']}" for event in result.get("events", [])]
    return [*lines, own, *events]


def _target(target: Target) -> str:
    device = target["block_device"]
    model = f", {target['model']}" if target["model"] else ""
    if target["kind"] == "file":
        cached = "" if target["direct"] else ", through the page cache"
        on = f" on {device}" if device else ""
        return f"{target['path']}, {target['file_system']}{on}{model}{cached}"
    return f"{target['path']}{model}"


def _waiting(result: Result) -> str:
    limits = [
        (account["owner"], account["limit"], account["held_s"]) for account in result["limits"]
    ]
    held_s = sum(time for _, _, time in limits)
    if held_s == 0:
        return "held back by: nothing"
    latency_s = sum(
        total["ios"] * total["latency_us"]["mean"] / 1e6
        for total in result["totals"]
        if total["latency_us"]
    )
    # What was held may have completed after the time that counts.
    share = f"; {_share(held_s / latency_s)} of all latency" if latency_s else ""
    return f"held back by: {held_back(limits)}{share}"


def _share(share: float) -> str:
    return "under 1%" if share < 0.01 else f"{min(share, 1.0):.0%}"


def milliseconds(us: float) -> str:
    """A latency to three digits, with unit."""
    if us < 100:
        return f"{1000 * us:.0f} ns" if us < 1 else f"{us:.1f} µs"
    ms = us / 1000
    if ms >= 9_999.5:
        return f"{ms / 1000:,.1f} s" if ms < 100_000 else f"{ms / 1000:,.0f} s"
    return f"{ms:.2f} ms" if ms < 10 else f"{ms:.1f} ms" if ms < 100 else f"{ms:,.0f} ms"


def _device(owner: str) -> str:
    return re.sub(r"(\.\d+)+$", ".*", owner)


def _heading(result: Result) -> Text:
    how = "" if result["status"] == "complete" else f", {result['status']}"
    took = f"{_duration(result['duration_s'])} {_DONE[result['mode']]}"
    return Text(f"{result['scenario']}: {took}, seed {result['seed']}{how}", style="bold")


def _duration(seconds: float) -> str:
    return f"{seconds:,.0f} s" if seconds >= 100_000 else f"{seconds:,g} s"


# A line of the table: the job, its load and its figures.
_Line = tuple[str, ...]

_HEADINGS: _Line = ("job", "load", "IOPS", "MiB/s", "mean", "p50", "p99", "max")

_BETWEEN = "  "


def _figures(result: Result) -> Text:
    """A table; names that leave the figures no room stand on lines of their own."""
    lines = list(_lines(result))
    widths = [max(map(len, column)) for column in zip(_HEADINGS, *lines, strict=True)]
    beside = sum(widths) + len(_BETWEEN) * (len(widths) - 1) <= COLUMNS
    table = Text(_aligned(_HEADINGS, widths, beside=beside), style="bold")
    above = ""
    for line in lines:
        if not beside and line[0] != above:
            above = line[0]
            table.append(f"\n{above}", style="not bold")
        table.append(f"\n{_aligned(line, widths, beside=beside)}", style="not bold")
    return table


def _aligned(line: _Line, widths: Sequence[int], *, beside: bool) -> str:
    figures = [text.rjust(width) for text, width in zip(line[1:], widths[1:], strict=True)]
    return _BETWEEN.join([line[0].ljust(widths[0]) if beside else "", *figures])


def _lines(result: Result) -> Iterator[_Line]:
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
        steps = [step for step in result["steps"] if _same(step, total)]
        if len(steps) > 1:
            for step in steps:
                yield name, _load(step), *_row(step)
        yield name, "all", *_row(total)


def _load(step: Step) -> str:
    """What a step offered: processes in a closed loop, IOs a second in an open one."""
    return f"{step['processes']} proc" if step["rate"] is None else f"{step['rate']:,}/s"


def _same(step: Total, total: Total) -> bool:
    return all(step[key] == total[key] for key in ("job", "device", "op"))


def _row(total: Total) -> list[str]:
    latency = total["latency_us"]
    if latency is None:
        return [f"{total['iops']:,.0f}", f"{total['mib_per_s']:,.1f}", "-", "-", "-", "-"]
    shown = (latency["mean"], latency["p50"], latency["p99"], latency["max"])
    return [
        f"{total['iops']:,.0f}",
        f"{total['mib_per_s']:,.1f}",
        *(milliseconds(us) for us in shown),
    ]


def _goals(result: Result) -> list[str]:
    return [
        f"goal {goal['goal']}: {'met' if goal['met'] else 'MISSED'}, {goal['measured']}"
        for goal in result["goals"]
    ]
