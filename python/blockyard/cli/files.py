"""Commands that write one file: where to, and what else they say."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from blockyard.cli import streams
from blockyard.cli.status import CommandError, Status, reason
from blockyard.new_folder import new_file

Out = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--out",
        metavar="FILE",
        help="Write to FILE, which must not exist, instead of the screen.",
    ),
]


def write(text: str, out: Path | None) -> None:
    """Write to a new file, or to standard output."""
    if out is None:
        streams.say(text, end="")
        return
    try:
        with new_file(out) as file:
            file.write(text.encode())
    except FileExistsError as error:
        message = f"{out} exists already; it is not overwritten"
        raise CommandError(message, Status.BAD_INPUT) from error
    except OSError as error:
        raise CommandError(f"{out}: {reason(error)}", Status.BAD_INPUT) from error


def warn(messages: Iterable[str]) -> None:
    """Print each message on standard error."""
    for message in messages:
        print(f"blockyard: {message}", file=sys.stderr)  # noqa: T201
