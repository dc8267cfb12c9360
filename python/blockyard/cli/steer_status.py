"""The state of a service as tables."""

from collections.abc import Sequence
from typing import Literal

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from blockyard.cli import columns, terminal
from blockyard.cli.volume_state import throttled_by
from blockyard.text.formatting import clock
from blockyard.types.status import FaultStatus, LimitStatus, MirrorStatus, Status

# Columns that may be folded.
_WORDS = ("device", "volume", "at", "limits", "throttled by")


def show(state: Status) -> None:
    """Print what is served, how each volume is doing, the faults, and what went wrong."""
    console = terminal.on_stdout()
    console.print(f"up {clock(round(state['uptime_s']))}")
    console.print(_devices(state, console.width))
    console.print(_volumes(state, console.width))
    for device in state["devices"]:
        if device["mirror"] is not None:
            console.print(Text(_mirror(device["name"], device["mirror"])))
    for link in state["links"]:
        console.print(Text(f"link {link['name']}: {'up' if link['up'] else 'down'}"))
    for fault in state["faults"]:
        console.print(Text(_fault(fault)))
    for warning in state["warnings"]:
        console.print(Text(f"warning: {warning}"), soft_wrap=True)


def _table(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int,
    first_to_go: Sequence[str],
) -> tuple[Table, bool]:
    """A table of the columns that fit, and whether these are all."""
    table = Table(box=None, pad_edge=False, padding=(0, columns.GAP, 0, 0))
    places = columns.kept(headings, rows, width, first_to_go)
    for place in places:
        words = headings[place] in _WORDS
        table.add_column(
            headings[place],
            justify="left" if words else "right",
            overflow="fold",
            no_wrap=not words,
        )
    for row in rows:
        table.add_row(*(row[place] for place in places))
    return table, len(places) == len(headings)


def _devices(state: Status, width: int) -> RenderableType:
    """If space is short, a device's place is on a line of its own below."""
    headings = ("device", "queue", "reads", "writes", "flushes", "errors", "at")
    rows = [
        (
            device["name"],
            f"{device['in_flight']:,}",
            f"{device['reads']:,}",
            f"{device['writes']:,}",
            f"{device['flushes']:,}",
            f"{device['errors']:,}",
            device["at"],
        )
        for device in state["devices"]
    ]
    table, whole = _table(headings, rows, width, ("at", "flushes", "queue"))
    return table if whole else Group(table, *(Text(f"{row[0]} at {row[-1]}") for row in rows))


def _volumes(state: Status, width: int) -> RenderableType:
    """If space is short, a volume's limits are on a line of their own below."""
    headings = ("volume", "IOPS", "MiB/s", "burst", "limits", "throttled by")
    rows = [
        (
            volume["name"],
            f"{volume['iops']:,.0f}",
            f"{volume['mib_per_s']:,.1f}",
            "" if volume["balance_pct"] is None else f"{volume['balance_pct']:.1f}%",
            ", ".join(map(_limit, volume["limits"])),
            throttled_by(volume),
        )
        for volume in state["volumes"]
    ]
    table, whole = _table(headings, rows, width, ("limits", "MiB/s", "burst"))
    return table if whole else Group(table, *(Text(f"{row[0]}: {row[4]}") for row in rows))


def _mirror(name: str, mirror: MirrorStatus) -> str:
    at_risk = mirror["at_risk_bytes"]
    lacks = f", {at_risk / 2**20:,.1f} MiB at risk" if at_risk else ""
    return f"mirror {name}: {mirror['state']}{lacks}"


def _limit(limit: LimitStatus) -> str:
    return f"{limit['name']} {limit['rate']:,.10g} {limit['unit']}"


# What a fault does, by the key of its figure.
_FIGURES: dict[Literal["latency_ms", "read_pct", "write_pct", "flush_pct", "share_pct"], str] = {
    "latency_ms": "{:,.10g} ms",
    "read_pct": "{:.10g}% of reads",
    "write_pct": "{:.10g}% of writes",
    "flush_pct": "{:.10g}% of flushes",
    "share_pct": "{:.10g}% of the rates",
}


# What ends a fault that has no end of its own.
_UNTIL = {"stall": "until resumed", "pause": "until resumed", "cut": "until restored"}


def _fault(fault: FaultStatus) -> str:
    figures = [words.format(fault[key]) for key, words in _FIGURES.items() if key in fault]
    until = fault["until_s"]
    end = _UNTIL.get(fault["kind"], "until cleared")
    if until is not None:
        end = f"until {clock(round(until))}"
    return f"fault {fault['kind']} on {fault['on'] or 'all'}: {', '.join([*figures, end])}"
