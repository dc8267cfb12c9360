"""`blockyard schema`: the JSON Schema of the documents that are read and written."""

from enum import StrEnum
from typing import Annotated

import typer

from blockyard import _core
from blockyard.cli import streams

EXAMPLE = "\b\nExample:\n  blockyard schema scenario > scenario.schema.json"


class Document(StrEnum):
    """A kind of file that has a schema."""

    SCENARIO = "scenario"
    RESULT = "result"
    REQUIREMENT = "requirement"
    BILL = "bill"
    FACTS = "facts"


def command(
    document: Annotated[
        Document,
        typer.Argument(
            metavar="[scenario|result|requirement|bill|facts]",
            help="Which schema.",
        ),
    ] = Document.SCENARIO,
) -> None:
    """Print the JSON Schema of a scenario, for editors, or of a result, bill or requirement."""
    streams.say(_core.schema(document), end="")
