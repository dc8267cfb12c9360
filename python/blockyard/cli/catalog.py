"""`blockyard catalog`: the limits that are known, by date, with their sources."""

import json
from collections.abc import Callable
from typing import Annotated, Any

import typer

from blockyard import _core
from blockyard.cli import listing, options, streams
from blockyard.cli.completion import values

app = typer.Typer(
    help="Print the limits of volume types and instances, by date, with their sources.",
    cls=listing.Group,
    rich_markup_mode=None,
    epilog="\b\nExample:\n  blockyard catalog volumes --as-of 2022-11-10 gp3",
)

AsOf = Annotated[
    str | None,
    typer.Option("--as-of", metavar="DATE", help="Only rules of this day, such as 2022-11-10."),
]


def _matching(names: Callable[[str], list[str]]) -> Any:
    """The argument that selects rows; `names` completes it."""
    return typer.Argument(
        metavar="[FILTER]", help="Only names that contain this text.", autocompletion=names
    )


@app.command("volumes", epilog="\b\nExample:\n  blockyard catalog volumes --as-of 2022-11-10 gp3")
def volumes(
    matching: Annotated[str | None, _matching(values.volume_types)] = None,
    as_of: AsOf = None,
    as_json: options.Json = False,
) -> None:
    """Print what each volume type may be provisioned with, and its limits."""
    text = _core.catalog_volumes(as_of, matching)
    if as_json:
        streams.say(text)
        return
    from blockyard.cli import catalog_tables

    catalog_tables.volumes(json.loads(text))


@app.command("instances", epilog="\b\nExample:\n  blockyard catalog instances r5n. --json")
def instances(
    matching: Annotated[str | None, _matching(values.instances)] = None,
    as_of: AsOf = None,
    as_json: options.Json = False,
) -> None:
    """Print the storage limits of EC2 instance types: IOPS and MB/s, baseline and maximum."""
    text = _core.catalog_instances(as_of, matching)
    if as_json:
        streams.say(text)
        return
    from blockyard.cli import catalog_tables

    catalog_tables.instances(json.loads(text))


@app.command("prices", epilog="\b\nExample:\n  blockyard catalog prices --region eu-west-1")
def prices(
    region: Annotated[
        str | None,
        typer.Option(
            metavar="REGION",
            help="Only regions whose name contains this; one of them in full.",
            autocompletion=values.regions,
        ),
    ] = None,
    as_of: Annotated[
        str | None,
        typer.Option("--as-of", metavar="DATE", help="Prices of this day, such as 2022-11-10."),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Print the prices that are known of each region, with source, day and age.

    Those that you imported come before the catalog's.
    """
    from blockyard.cli.running import reading
    from blockyard.runs import price_folder

    with reading(price_folder.place()):
        text = _core.catalog_prices(as_of, region, price_folder.imported())
    if as_json:
        streams.say(text)
        return
    from blockyard.cli import catalog_prices

    catalog_prices.show(json.loads(text))
