"""`blockyard import`: scenarios and runs from the files of other tools."""

import typer

from blockyard.cli import import_aws, import_demand, import_fio, import_trace, listing

app = typer.Typer(
    help="Import another tool's file as a scenario or a run.",
    cls=listing.Group,
    rich_markup_mode=None,
    epilog=import_fio.EXAMPLE + import_aws.EXAMPLE.partition("\n")[2].partition("\n")[2],
)
app.command("aws", epilog=import_aws.EXAMPLE)(import_aws.command)
app.command("demand", epilog=import_demand.EXAMPLE)(import_demand.command)


@app.callback()
def _group() -> None:
    """Import another tool's file as a scenario or a run."""


app.command("fio", epilog=import_fio.EXAMPLE)(import_fio.fio)
app.command("trace", epilog=import_trace.EXAMPLE)(import_trace.command)
