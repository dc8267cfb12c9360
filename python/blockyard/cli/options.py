"""Options that several commands have."""

from pathlib import Path
from typing import Annotated

import typer

from blockyard.cli.completion import values

Scenario = Annotated[
    Path,
    typer.Argument(
        metavar="SCENARIO",
        help="A scenario file (YAML or JSON).",
        autocompletion=values.scenarios,
    ),
]

Out = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="The run directory, which must not exist; with several runs each gets DIR/NAME. By "
        "default runs/DATE-NAME.",
    ),
]

Seed = Annotated[int | None, typer.Option(metavar="N", help="The same as --set seed=N.")]

Sets = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PATH=VALUE", help="Override a value; may be repeated."),
]

Show = Annotated[
    bool,
    typer.Option("--show", help="Print the effective scenario and where its values come from."),
]

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON; several as a list.")]

Check = Annotated[bool, typer.Option("--check", help="Exit with status 1 if a goal is missed.")]

IoLog = Annotated[
    bool, typer.Option("--io-log", help="Write a line for every IO to ios.csv; uses one thread.")
]

Live = Annotated[
    bool,
    typer.Option(
        "--live",
        help="Fill the terminal with a live view; no effect if standard error is no terminal.",
    ),
]
