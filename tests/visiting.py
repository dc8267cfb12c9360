"""Pages opened in a browser, for the test modules that name this one in `pytest_plugins`."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from browser import Visit, Visiting, chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for the tests of a module."""
    with chromium() as found:
        yield found


@pytest.fixture
def visit(browser: Browser, tmp_path: Path) -> Iterator[Visiting]:
    """Open a page with this text; by the end nothing may have gone wrong on it."""
    visits = []

    def opened(
        text: str, *, phone: bool = False, dark: bool = False, scripts: bool = True
    ) -> Visit:
        path = tmp_path / "report.html"
        path.write_text(text, encoding="utf-8")
        visits.append(Visit(browser, path, phone=phone, dark=dark, scripts=scripts))
        return visits[-1]

    yield opened
    for each in visits:
        each.page.context.close()
        assert each.faults == []
