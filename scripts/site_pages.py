"""The site's files: all of `docs`, notebooks as pages, linked files, and the page of every row.

On the site `docs` is the top folder. Its first page is the playground, in which each scenario of a
how-to can be opened; the repository's README is `start.html` beside it. Links are written for the
repository, so that they work there, too; here they are rewritten.
"""

import base64
import posixpath
import re
import zlib
from pathlib import Path, PurePosixPath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import notebook_page
from blockyard.pages.page import html
from blockyard.pages.playground import playground
from validation.measured import every_row

ROOT = Path(__file__).parent.parent
DOCS = PurePosixPath("docs")
# Where the site has the page that is generated for it alone.
EVERY_ROW = "validation-rows.md"
FRONT = "index.html"
START = "start.md"

_BLOCK = re.compile(r"^```yaml\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(?<=\]\()(?!#|\w+:)([^)#\s]+)")
_FETCHED = re.compile(r'<(?:script|img|iframe|source)\b[^>]*\bsrc="(?:https?:)?//[^>]*>')


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add files outside `docs` that pages link to, starting with the README."""
    waiting = [PurePosixPath("README.md")]
    waiting += [DOCS / path.relative_to(ROOT / DOCS) for path in (ROOT / DOCS).glob("**/*.ipynb")]
    waiting += [DOCS / file.src_uri for file in files.documentation_pages()]
    while waiting:
        page = waiting.pop()
        if not files.get_file_from_path(place_of(page)):
            files.append(File.generated(config, place_of(page), abs_src_path=str(ROOT / page)))
        if page.suffix == ".md":
            linked = [target(page, link) for link in _LINK.findall((ROOT / page).read_text())]
            waiting += [new for new in linked if not files.get_file_from_path(place_of(new))]
    files.append(File.generated(config, EVERY_ROW, abs_src_path=str(every_row.made())))
    front = html(playground(documentation=PurePosixPath(START).with_suffix(".html").name))
    files.append(File.generated(config, FRONT, content=front))
    return files


def on_page_read_source(page: Page, **_: object) -> str | None:
    """The output of a notebook when it is run; None for other pages."""
    source = Path(page.file.abs_src_path or "")
    return notebook_page.markdown(source) if source.suffix == ".ipynb" else None


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Rewrite links for the site, and let scenarios be opened in the playground."""
    source = Path(page.file.abs_src_path or "").relative_to(ROOT)
    folder = posixpath.dirname(page.file.src_uri)

    def turned(link: re.Match[str]) -> str:
        return posixpath.relpath(place_of(target(PurePosixPath(source), link[0])), folder or ".")

    front = posixpath.relpath(FRONT, folder or ".")
    return _BLOCK.sub(lambda block: _openable(block, front), _LINK.sub(turned, markdown))


def _openable(block: re.Match[str], front: str) -> str:
    """A block of YAML, with a link that opens it if it is a whole scenario."""
    text = block[1]
    if not all(f"\n{key}:" in f"\n{text}" for key in ("storage", "workload")):
        return block[0]
    return f"{block[0]}\n[Open in the playground]({front}#base={packed(text)})\n"


def packed(text: str) -> str:
    """A text as an address of the playground has it; `web/src/whatif/address.ts` reads it."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    found = deflate.compress(text.encode()) + deflate.flush()
    return base64.urlsafe_b64encode(found).decode().rstrip("=")


def on_post_page(output: str, page: Page, **_: object) -> str:
    """The unchanged page. Raises PluginError if it would fetch something from the network."""
    fetched = _FETCHED.search(output)
    if fetched:
        raise PluginError(f"{page.file.src_uri} fetches from the network: {fetched[0]}")
    return output


def target(page: PurePosixPath, link: str) -> PurePosixPath:
    """The path that a link on a page names, from the repository's root."""
    return PurePosixPath(posixpath.normpath(page.parent / link))


def place_of(path: PurePosixPath) -> str:
    """The place of a repository's file on the site; for a notebook, that of its page."""
    if path == PurePosixPath("README.md"):
        return START
    if path.suffix == ".ipynb":
        path = path.with_suffix(".md")
    return str(path.relative_to(DOCS) if path.is_relative_to(DOCS) else path)
