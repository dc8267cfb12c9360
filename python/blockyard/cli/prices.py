"""`blockyard prices`: AWS's own price list as prices that every command finds."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blockyard import _core
from blockyard.cli import listing, streams
from blockyard.cli.running import reading
from blockyard.cli.status import CommandError, Status, reason, unwritten
from blockyard.runs import price_folder

if TYPE_CHECKING:
    from blockyard.formats.price_list.offers import PriceList

EXAMPLE = """\b
Examples:
  blockyard prices import index.json
  blockyard prices import us-west-2.csv.gz --discount 12%
"""

app = typer.Typer(
    help="Import AWS's price list, so that every command finds the prices of your regions.",
    cls=listing.Group,
    rich_markup_mode=None,
    epilog=EXAMPLE,
)


@app.callback()
def _group() -> None:
    """Import AWS's price list, so that every command finds the prices of your regions."""


@app.command("import", epilog=EXAMPLE)
def import_(
    lists: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...", help="AWS's price list of EC2 (JSON or CSV, also gzipped)."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="FOLDER",
            help="Where to; by default $BLOCKYARD_PRICES, else the folder of your data.",
        ),
    ] = None,
    discount: Annotated[
        str | None,
        typer.Option(metavar="SHARE", help="Your discount on all these prices, such as 12%."),
    ] = None,
) -> None:
    """Read AWS's bulk price list of EC2 into price files, one for each region.

    It takes volumes with all tiers, snapshots, Linux instances on demand and reserved for one
    and three years (Standard), and the charge for EBS optimization. Savings Plans are in other
    files of AWS's. Whatever Blockyard does not know is skipped and counted.
    """
    folder = out or price_folder.place()
    if folder.is_file():
        raise CommandError(f"{folder} is a file; expected a folder, as --out", Status.BAD_INPUT)
    for path in lists:
        _import(path, folder, discount)


def _import(path: Path, folder: Path, discount: str | None) -> None:
    from blockyard.formats.price_list import price_file
    from blockyard.formats.price_list.reading import read

    with reading(path):
        found = read(path)
    price_file.known(found)
    texts = {
        region: price_file.text(region, prices, found.published, discount)
        for region, prices in found.regions.items()
    }
    if not texts:
        raise CommandError(f"{path}: no region that the catalog knows", Status.BAD_INPUT)
    for region, text in texts.items():
        # Whatever would not be read later is not stored.
        _core.catalog_prices(None, region, (text, str(path)))
    try:
        written = price_folder.write(texts, found.published, folder)
    except OSError as error:
        raise CommandError(f"{folder}: {reason(error)}", unwritten(error)) from error
    for line in _said(found):
        streams.say(line)
    for file in written:
        streams.say(f"wrote {file}")


def _said(found: "PriceList") -> Iterator[str]:
    from blockyard.formats.price_list import price_file
    from blockyard.words.phrases import listed

    age = (date.today() - date.fromisoformat(found.published)).days
    for region, prices in found.regions.items():
        yield f"{region}, {found.published} ({age} days old): {price_file.covered(prices)}"
    unknown = {what: number for what, number in found.skipped.items() if what != "not needed"}
    if unknown:
        skipped = listed([f"{number:,} {what}" for what, number in unknown.items()])
        yield f"skipped, as the catalog does not know them: {skipped}"
