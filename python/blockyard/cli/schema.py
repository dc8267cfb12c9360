"""`blockyard schema`: the JSON Schema of the documents that are read and written."""

from enum import StrEnum
from typing import Annotated

import typer

from blockyard import _core
from blockyard.cli import streams

EXAMPLE = "\b\nExample:\n  blockyard schema scenario > scenario.schema.json"


class Document(StrEnum):
    """What has a schema."""

    SCENARIO = "scenario"
    RESULT = "result"
    REQUIREMENT = "requirement"
    SWEEP = "sweep"
    HOSTS = "hosts"
    BILL = "bill"
    CAPACITY = "capacity"
    WHAT_IF = "what-if"
    PLAN = "plan"
    STATUS = "status"
    CATALOG_VOLUMES = "catalog-volumes"
    CATALOG_INSTANCES = "catalog-instances"


def command(
    document: Annotated[
        Document,
        typer.Argument(
            metavar="DOCUMENT",
            show_choices=False,
            help=f"What it is of: {', '.join(Document)}.",
        ),
    ] = Document.SCENARIO,
) -> None:
    """Print the JSON Schema of a scenario, for editors, or of what others print with --json."""
    streams.say(_core.schema(document), end="")
