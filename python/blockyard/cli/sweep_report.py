"""A sweep in words, tables and charts, and two sweeps side by side."""

import json
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from blockyard.cli import files, running, streams
from blockyard.cli.status import CommandError, Status

if TYPE_CHECKING:
    from blockyard.pages.page import Page
    from blockyard.sweeps.sweep import Sweep


def report(
    paths: Sequence[Path], out: Path | None, *, stills: bool, png: Path | None, svg: Path | None
) -> None:
    """Report a sweep: a page with -o, pictures with --png and --svg, else words and tables."""
    from blockyard.cli.report import pictured
    from blockyard.pages import sweep as pages

    if len(paths) != 1:
        message = f"{len(paths)} paths; expected one sweep; compare sets two side by side"
        raise CommandError(message, Status.BAD_INPUT)
    with running.reading(paths[0]):
        page = pages.report(_read(paths[0]))
    for folder, suffix in ((png, "png"), (svg, "svg")):
        if folder is not None:
            figures = [figure for section in page.sections for figure in section.figures]
            pictured(figures, folder, suffix)
    if out is not None:
        _write(page, out, stills=stills)
    elif not (png or svg):
        _say(page)


def compare(sides: Sequence[Path], out: Path | None, *, stills: bool, as_json: bool) -> None:
    """Set two sweeps side by side."""
    from blockyard.pages import sweep as pages
    from blockyard.sweeps import comparing

    if len(sides) != 2:
        raise CommandError(f"{len(sides)} sides; expected two sweeps", Status.BAD_INPUT)
    with running.reading(sides[0]):
        first, other = map(_read, sides)
        try:
            compared = comparing.compare(first, other)
        except comparing.NothingCommonError as error:
            raise CommandError(str(error), Status.BAD_INPUT) from error
        page = pages.comparison(first, other, compared)
    if out is not None:
        _write(page, out, stills=stills)
    if as_json:
        streams.say(json.dumps(compared.document(), indent=2))
    elif out is None:
        _say(page)


def _read(path: Path) -> "Sweep":
    from blockyard.sweeps.sweep import read

    with running.reading(path):
        return read(path)


def _write(page: "Page", out: Path, *, stills: bool) -> None:
    from blockyard.cli.report import plots
    from blockyard.pages.page import html

    with plots("--stills"):
        text = html(page, stills=stills)
    files.write(text, out)


def _say(page: "Page") -> None:
    """A page's words and tables."""
    from blockyard.cli import terminal, text_table

    width = terminal.on_stdout().width
    said = [line for head in page.headlines for line in [*textwrap.wrap(head, width), ""]]
    for passage in page.words:
        said.append(passage.heading)
        for part in passage.content:
            said += (
                textwrap.wrap(part, width)
                if isinstance(part, str)
                else (text_table.lines(part, width))
            )
        said.append("")
    streams.say("\n".join(said).rstrip("\n"))
