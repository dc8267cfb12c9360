"""The state of a service as tables."""

from typing import Any

from rich.table import Table
from rich.text import Text

from blockyard.cli import terminal

State = dict[str, Any]


def show(state: State) -> None:
    """Print what is served, how each volume fares, the faults, and what went wrong."""
    console = terminal.on_stdout()
    console.print(f"up {state['uptime_s']:,.0f} s")
    console.print(_devices(state))
    console.print(_volumes(state))
    for fault in state["faults"]:
        console.print(Text(_fault(fault)))
    for warning in state["warnings"]:
        console.print(Text(f"warning: {warning}"), soft_wrap=True)


def _table(*columns: tuple[str, bool]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading, number in columns:
        table.add_column(heading, justify="right" if number else "left", overflow="fold")
    return table


def _devices(state: State) -> Table:
    table = _table(
        ("device", False),
        ("queue", True),
        ("reads", True),
        ("writes", True),
        ("flushes", True),
        ("errors", True),
        ("at", False),
    )
    for device in state["devices"]:
        counts = (device[key] for key in ("in_flight", "reads", "writes", "flushes", "errors"))
        table.add_row(device["name"], *(f"{count:,}" for count in counts), device["at"])
    return table


def _volumes(state: State) -> Table:
    table = _table(
        ("volume", False),
        ("IOPS", True),
        ("MiB/s", True),
        ("burst", True),
        ("limits", False),
        ("bound by", False),
    )
    for volume in state["volumes"]:
        balance = volume["balance_pct"]
        table.add_row(
            volume["name"],
            f"{volume['iops']:,.0f}",
            f"{volume['mib_per_s']:,.1f}",
            "" if balance is None else f"{balance:.1f}%",
            ", ".join(map(_limit, volume["limits"])),
            "paused" if volume["paused"] else volume["bound_by"] or "",
        )
    return table


def _limit(limit: dict[str, Any]) -> str:
    return f"{limit['name']} {limit['rate']:,.10g} {limit['unit']}"


# What a fault does, by the key of its figure.
_FIGURES = {
    "latency_ms": "{:,.10g} ms",
    "read_pct": "{:.10g}% of reads",
    "write_pct": "{:.10g}% of writes",
    "flush_pct": "{:.10g}% of flushes",
    "share_pct": "{:.10g}% of the rates",
}


def _fault(fault: dict[str, Any]) -> str:
    figures = [words.format(fault[key]) for key, words in _FIGURES.items() if key in fault]
    until = fault["until_s"]
    end = "until resumed" if until is None else f"until {until:,.0f} s"
    return f"fault {fault['kind']} on {fault['on'] or 'all'}: {', '.join([*figures, end])}"
