"""The prices that are known, as tables."""

from datetime import date

from rich import box
from rich.table import Table
from rich.text import Text

from blockyard.cli import terminal
from blockyard.text.formatting import price as dollars
from blockyard.types.catalog_prices import (
    Figure,
    InstancePrices,
    RegionPrices,
    RegionsPrices,
    TierPrice,
    VolumePrices,
)


def show(rows: RegionsPrices) -> None:
    """Print a line for each region, or all that is known of a single one."""
    if len(rows) == 1:
        _region(rows[0])
        return
    table = _table("region", "volume types", "instances on demand", "snapshots", "newest", "days")
    for row in rows:
        volumes = [volume["type"] for volume in row["volumes"]]
        demand = sum(it["types"] for it in row["instances"] if it["term"] == "on-demand")
        newest = max(_days(row), default=None)
        table.add_row(
            row["region"],
            ", ".join(volumes) or "-",
            str(demand) if demand else "-",
            dollars(row["snapshots"]["price"]) if row["snapshots"] else "-",
            newest or "-",
            _age(newest) if newest else "-",
        )
    terminal.on_stdout().print(table)


def _region(row: RegionPrices) -> None:
    console = terminal.on_stdout()
    console.print(Text(row["region"], style="bold"))
    table = _table("volumes, $ a month", "GiB", "IOPS", "MiB/s", "seen", "days")
    for volume in row["volumes"]:
        table.add_row(*_volume(volume))
    for name, figure in (("snapshots", row["snapshots"]), ("inter-zone GiB", row["cross_zone"])):
        if figure:
            seen = figure["observed"]
            table.add_row(name, dollars(figure["price"]), "", "", seen, _age(seen))
    console.print(table)
    instances = _table("instances", "types", "source", "seen", "days")
    for of in row["instances"]:
        instances.add_row(*_instances(of))
    console.print(instances)
    for source in dict.fromkeys(map(_source, _figures(row))):
        console.print(Text(source))


def _table(*columns: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for column in columns:
        table.add_column(column, justify="right" if column == "days" else "left")
    return table


def _volume(volume: VolumePrices) -> list[str]:
    seen = volume["capacity"]["observed"]
    capacity = dollars(volume["capacity"]["price"])
    tiers = [_tiers(volume["iops"]), _tiers(volume["throughput"])]
    return [volume["type"], capacity, *tiers, seen, _age(seen)]


def _instances(of: InstancePrices) -> list[str]:
    seen = of["observed"]
    return [of["term"], f"{of['types']:,}", _whose(of["source"], of["users"]), seen, _age(seen)]


def _tiers(tiers: list[TierPrice]) -> str:
    """`0.065, 0.0455 above 32,000`."""
    return ", ".join(
        dollars(tier["price"]) + (f" above {tier['above']:,.0f}" if tier["above"] else "")
        for tier in tiers
    )


def _figures(row: RegionPrices) -> list[Figure]:
    single = [row["snapshots"], row["cross_zone"]]
    return [*(volume["capacity"] for volume in row["volumes"]), *filter(None, single)]


def _days(row: RegionPrices) -> list[str]:
    """When its prices of volumes and instances were seen."""
    volumes = [volume["capacity"]["observed"] for volume in row["volumes"]]
    return volumes + [it["observed"] for it in row["instances"]]


def _source(figure: Figure) -> str:
    return f"{_whose(figure['source'], figure['users'])} ({figure['observed']})"


def _whose(source: str, users: bool) -> str:
    return f"yours: {source}" if users else source


def _age(observed: str) -> str:
    """Days since a price was seen."""
    return str((date.today() - date.fromisoformat(observed)).days)
