"""A report as one HTML file that needs nothing else, and asks nothing of a network."""

import base64
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import jinja2
from markupsafe import Markup

from blockyard._core import __version__
from blockyard.pages import engine, figure_json, pictures
from blockyard.pages.engine import Engine
from blockyard.pages.figure import Figure
from blockyard.pages.head import Head
from blockyard.text.table import Table
from blockyard.words.tiles import Tile

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Passage:
    """Paragraphs and tables under a heading."""

    heading: str
    content: Sequence[str | Table]


@dataclass(frozen=True)
class Section:
    """Figures under a heading."""

    title: str
    figures: Sequence[Figure]


@dataclass(frozen=True)
class Page:
    """What a report says: of which runs, in words, in figures."""

    title: str
    # What each run comes to, in a sentence; none where something else says that.
    headlines: Sequence[str]
    heads: Sequence[Head]
    words: Sequence[Passage]
    sections: Sequence[Section]
    # What is to be seen before all words.
    first: Section | None = None
    # Whether that stands above the tiles, too.
    opens_with_picture: bool = False
    # The figures that its reader came for.
    tiles: Sequence[Tile] = ()
    # What can be changed and simulated in the page, if something can.
    engine: Engine | None = None
    # The address of the documentation, where the page is beside it.
    documentation: str | None = None


# Runs before anything is shown: what is for readers without scripts is hidden.
_SCRIPTED = 'document.documentElement.classList.add("scripted")'


# Why the page has no simulator.
_STATIC = "This page is static: it was made without the simulator, so nothing can be changed here."
_UNBUILT = (
    "This page is static: this build of Blockyard has no simulator for pages, so nothing can be "
    "changed here."
)


def html(page: Page, *, stills: bool = False, static: bool = False) -> str:
    """The page as HTML. It is the same for the same page.

    With `stills` it has a picture of each figure too, for where no scripts run. A `static`
    page leaves out the simulator.

    Raises OSError if the script of the page has not been built, and NoPlotsError for
    stills without matplotlib.
    """
    module = engine.module() if page.engine and not static else None
    kind = "whatif" if module else "page"
    script = _asset(f"{kind}.js")
    style = _asset(f"{kind}.css")
    sections = [*([page.first] if page.first else []), *page.sections]
    figures = [figure for section in sections for figure in section.figures]
    numbered = list(_numbered(sections))
    return _template().render(
        page=page,
        version=__version__,
        script=Markup(script),  # noqa: S704 - the package's own
        style=Markup(style),  # noqa: S704
        policy=_policy([_SCRIPTED, script], style, simulates=module is not None),
        module=module,
        given=Markup(page.engine.given() if page.engine and module else ""),  # noqa: S704 - escaped
        lacks=(_STATIC if static else _UNBUILT) if page.engine and not module else "",
        scripted=Markup(_SCRIPTED),  # noqa: S704 - the line above
        stills=[_still(figure) for figure in figures] if stills else [],
        figures=Markup(figure_json.of(figures)),  # noqa: S704 - escaped for its place
        first=numbered[: page.first is not None],
        sections=numbered[page.first is not None :],
    )


def _numbered(sections: Sequence[Section]) -> Iterator[tuple[str, list[list[tuple[int, Figure]]]]]:
    """The title of each section, and its figures by group with their numbers in the page."""
    number = 0
    for section in sections:
        numbered = list(enumerate(section.figures, number))
        number += len(numbered)
        # A figure without a group is one of its own.
        groups = groupby(numbered, key=lambda item: item[1].group or item[0])
        yield section.title, [list(group) for _, group in groups]


def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.tests["table"] = lambda value: isinstance(value, Table)
    return environment.get_template("page.html")


def _asset(name: str) -> str:
    return (_HERE / "assets" / name).read_text(encoding="utf-8")


def _still(figure: Figure) -> str:
    """The address of a figure's picture, which is the picture itself."""
    return f"data:image/png;base64,{base64.b64encode(pictures.small(figure)).decode()}"


def _policy(scripts: Sequence[str], style: str, *, simulates: bool) -> str:
    """The page may run its scripts, its style and the simulator it carries, and load nothing."""
    hashes = " ".join(f"'{_hash(script)}'" for script in scripts)
    # The icon of the page is an empty data: address, so that no browser asks for one.
    allowed, workers = (" 'wasm-unsafe-eval'", "worker-src blob:; ") if simulates else ("", "")
    return (
        f"default-src 'none'; script-src {hashes}{allowed}; {workers}style-src '{_hash(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
