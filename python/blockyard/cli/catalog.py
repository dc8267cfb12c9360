"""`blockyard catalog`: the limits that are known, by date, with their sources."""

import json
from collections.abc import Callable
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from blockyard import _core
from blockyard.cli.completion import values

app = typer.Typer(
    help="Print the limits of volume types and instances, by date, with their sources.",
    rich_markup_mode=None,
    epilog="\b\nExample:\n  blockyard catalog volumes --as-of 2022-11-10 gp3",
)

AsOf = Annotated[
    str | None,
    typer.Option("--as-of", metavar="DATE", help="Only what held on this day, as 2022-11-10."),
]


def _matching(names: Callable[[str], list[str]]) -> Any:
    """The argument that picks rows; `names` completes it."""
    return typer.Argument(
        metavar="[FILTER]", help="Only names that contain this text.", autocompletion=names
    )


Json = Annotated[bool, typer.Option("--json", help="Print the rows as JSON.")]


@app.command("volumes", epilog="\b\nExample:\n  blockyard catalog volumes --as-of 2022-11-10 gp3")
def volumes(
    matching: Annotated[str | None, _matching(values.volume_types)] = None,
    as_of: AsOf = None,
    as_json: Json = False,
) -> None:
    """Print what each volume type may be provisioned with, and its limits."""
    text = _core.catalog_volumes(as_of, matching)
    if as_json:
        typer.echo(text)
        return
    console = Console(highlight=False)
    for rule in json.loads(text):
        console.print(Text(_heading(rule), style="bold"))
        console.print(Padding(_facts(rule), (0, 0, 1, 2)))


def _heading(rule: dict[str, Any]) -> str:
    name = " ".join(filter(None, (rule.pop("type"), rule.pop("variant"))))
    start, observed, end = (rule.pop(key) for key in ("valid_from", "observed", "valid_to"))
    return f"{name}: {start or f'{observed} (first observed)'} to {end or 'now'}"


def _facts(rule: dict[str, Any]) -> Table:
    """The rule's fields; what each value of the latency profile rests on only JSON has."""
    del rule["latency_basis"]
    table = Table.grid(padding=(0, 2, 0, 0))
    for key, value in rule.items():
        lines = value if isinstance(value, list) else [value]
        for number, line in enumerate(filter(None, lines)):
            table.add_row(
                key.replace("_", " ") if number == 0 else "", Text(str(line), overflow="fold")
            )
    return table


@app.command("instances", epilog="\b\nExample:\n  blockyard catalog instances r5n. --json")
def instances(
    matching: Annotated[str | None, _matching(values.instances)] = None,
    as_of: AsOf = None,
    as_json: Json = False,
) -> None:
    """Print the storage limits of EC2 instance types: IOPS and MB/s, baseline and maximum."""
    text = _core.catalog_instances(as_of, matching)
    if as_json:
        typer.echo(text)
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("type", no_wrap=True)
    for heading in ("vCPU", "IOPS", "max", "MB/s", "max"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("instance store")
    rows: list[dict[str, Any]] = json.loads(text)
    for row in rows:
        levels = row["baseline"], row["maximum"]
        limits = [_limit(level, unit) for unit in ("iops", "mb_per_s") for level in levels]
        table.add_row(row["type"], str(row["vcpu"]), *limits, row["instance_store"])
    console = Console(highlight=False)
    console.print(table)
    for source in sorted({_source(row) for row in rows}):
        console.print(Text(source))


def _limit(level: dict[str, float] | None, unit: str) -> str:
    return "-" if level is None else f"{level[unit]:,.10g}"


def _source(row: dict[str, Any]) -> str:
    assumed = ", assumed to have held on the day asked for" if row["assumed"] else ""
    return f"observed {row['observed']}{assumed}: {row['source']}"
