"""`blockyard import`: scenarios from the files of other tools."""

import typer

from blockyard.cli import import_fio, listing

app = typer.Typer(
    help="Import another tool's file as a scenario.",
    cls=listing.Group,
    rich_markup_mode=None,
    epilog=import_fio.EXAMPLE,
)


@app.callback()
def _group() -> None:
    """Import another tool's file as a scenario."""


app.command("fio", epilog=import_fio.EXAMPLE)(import_fio.fio)
