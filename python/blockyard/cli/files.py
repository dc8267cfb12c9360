"""Commands that write one file: where to, and what else they say."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from blockyard.cli import streams
from blockyard.cli.status import CommandError, Status, reason, unwritten
from blockyard.runs.new_folder import new_file

Out = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--out",
        metavar="FILE",
        help="Write to a new file instead of the screen.",
    ),
]


def check_new(*files: Path | None) -> None:
    """Refuse a file that exists, before work is done for it."""
    for file in files:
        if file is not None and file.exists():
            raise CommandError(_exists(file), Status.BAD_INPUT)


def check_page(out: Path | None) -> None:
    """Refuse a name that would promise something other than a page."""
    if out is not None and out.suffix.lower() not in ("", ".html", ".htm"):
        raise CommandError(
            f"{out}: a page is HTML; expected a name such as {out.stem}.html", Status.BAD_INPUT
        )


def _exists(file: Path) -> str:
    return f"{file} exists already; it is not overwritten"


def write(text: str, out: Path | None) -> None:
    """Write to a new file, or to standard output."""
    if out is None:
        streams.say(text, end="")
        return
    try:
        with new_file(out) as file:
            file.write(text.encode())
    except FileExistsError as error:
        raise CommandError(_exists(out), Status.BAD_INPUT) from error
    except OSError as error:
        raise CommandError(f"{out}: {reason(error)}", unwritten(error)) from error


def warn(messages: Iterable[str]) -> None:
    """Print each message on standard error."""
    for message in messages:
        print(f"blockyard: {' '.join(message.splitlines())}", file=sys.stderr)  # noqa: T201
