"""The rows of the catalog as tables."""

from typing import Literal

from rich import box
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from blockyard.cli import terminal
from blockyard.types.catalog_instances import InstanceType, InstanceTypes, Rate
from blockyard.types.catalog_volumes import VolumeRule, VolumeRules

# What the heading has, and what only JSON has: the basis of each value of the latency profile.
_NO_FACTS = ("type", "variant", "valid_from", "observed", "valid_to", "latency_basis")


def volumes(rules: VolumeRules) -> None:
    """Print each rule with its fields below it."""
    console = terminal.on_stdout()
    for rule in rules:
        console.print(Text(_heading(rule), style="bold"))
        console.print(Padding(_facts(rule), (0, 0, 1, 2)))


def _heading(rule: VolumeRule) -> str:
    name = " ".join(filter(None, (rule["type"], rule["variant"])))
    start = rule["valid_from"] or f"{rule['observed']} (first observed)"
    return f"{name}: {start} to {rule['valid_to'] or 'now'}"


def _facts(rule: VolumeRule) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    for key, value in rule.items():
        if key in _NO_FACTS:
            continue
        lines = value if isinstance(value, list) else [value]
        for number, line in enumerate(filter(None, lines)):
            table.add_row(
                key.replace("_", " ") if number == 0 else "", Text(str(line), overflow="fold")
            )
    return table


def instances(rows: InstanceTypes) -> None:
    """Print a line for each type, and where its figures come from."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("type", no_wrap=True)
    for heading in ("vCPU", "IOPS", "max", "MB/s", "max"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("instance store")
    for row in rows:
        levels = row["baseline"], row["maximum"]
        limits = [_limit(level, unit) for unit in ("iops", "mb_per_s") for level in levels]
        table.add_row(row["type"], str(row["vcpu"]), *limits, row["instance_store"])
    console = terminal.on_stdout()
    console.print(table)
    for source in sorted({_source(row) for row in rows}):
        console.print(Text(source))


def _limit(level: Rate | None, unit: Literal["iops", "mb_per_s"]) -> str:
    return "-" if level is None else f"{level[unit]:,.10g}"


def _source(row: InstanceType) -> str:
    assumed = ", assumed to have held on the day asked for" if row["assumed"] else ""
    return f"observed {row['observed']}{assumed}: {row['source']}"
