"""The documentation's site, read from files in a browser without a network."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page

from browser import DESKTOP, PHONE, chromium
from conftest import ROOT

SITE = ROOT / "target" / "site"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (SITE / "index.html").exists(), reason="needs `make docs`"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@contextmanager
def opened(browser: Browser, place: str, *, phone: bool = False) -> Iterator[Page]:
    """A page of the site, on which nothing goes wrong and which fetches only files."""
    context = browser.new_context(viewport=PHONE if phone else DESKTOP)  # type: ignore[arg-type] # a TypedDict
    faults: list[str] = []
    page = context.new_page()
    page.on("console", lambda said: faults.append(f"{said.type}: {said.text}"))
    page.on("pageerror", lambda error: faults.append(str(error)))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{SITE.as_uri()}/{place}")
    yield page
    context.close()
    assert faults == []
    # A blob is the page's own: the script of a worker.
    own = ("file:", "data:", "blob:")
    assert [address for address in asked if not address.startswith(own)] == []


def test_search_finds_without_a_server(browser: Browser) -> None:
    with opened(browser, "start.html?q=burst+balance") as page:
        results = page.locator(".md-search-result__item")
        results.first.wait_for()
        assert any("PostgreSQL" in text for text in results.all_inner_texts())


@pytest.mark.parametrize(
    "place", ["index.html", "start.html", "tutorial.html", "reference/catalog.html"]
)
def test_pages_fit_a_phone(browser: Browser, place: str) -> None:
    with opened(browser, place, phone=True) as page:
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_notebook_has_been_run(browser: Browser) -> None:
    with opened(browser, "notebooks/b083.html") as page:
        assert "('complete', 360.0)" in page.inner_text("article")
