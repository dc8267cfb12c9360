"""Chromium and Firefox as tests drive them: without a window, without a network."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, sync_playwright

_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

_MEDIA = Path(__file__).with_name("firefox_media.cjs")

DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser; the test is skipped where there is none."""
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("no chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=_FLAGS)
        yield browser
        browser.close()


@contextmanager
def firefox() -> Iterator[Browser]:
    """Debian's Firefox, by WebDriver BiDi; the test is skipped where there is none."""
    path = shutil.which("firefox-esr")
    if path is None:
        pytest.skip("no firefox-esr")
    with pytest.MonkeyPatch.context() as patch:
        options = f"{os.environ.get('NODE_OPTIONS', '')} --require {_MEDIA}"
        patch.setenv("NODE_OPTIONS", options.strip())
        with sync_playwright() as playwright:
            browser = playwright.firefox.launch(channel="moz-firefox", executable_path=path)
            yield browser
            browser.close()


class Visit:
    """A page opened from a file, and what went wrong on it."""

    def __init__(
        self,
        browser: Browser,
        path: Path,
        *,
        phone: bool = False,
        dark: bool = False,
        scripts: bool = True,
    ) -> None:
        context = browser.new_context(
            viewport=PHONE if phone else DESKTOP,  # type: ignore[arg-type] # a TypedDict
            color_scheme="dark" if dark else "light",
            offline=True,
            java_script_enabled=scripts,
            accept_downloads=True,
        )
        self.page: Page = context.new_page()
        self.faults: list[str] = []
        self.page.on("console", lambda said: self.faults.append(f"{said.type}: {said.text}"))
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("request", lambda request: self._requested(request.url, path))
        self.page.goto(path.as_uri())

    def _requested(self, address: str, path: Path) -> None:
        if address != path.as_uri() and not address.startswith(("data:", "blob:")):
            self.faults.append(f"requested {address}")

    def chart(self, title: str) -> Locator:
        """The drawn chart of a figure."""
        stage = self.page.get_by_role("application", name=f"{title}.")
        stage.scroll_into_view_if_needed()
        stage.locator("svg.frame").wait_for()
        return stage

    def drag(self, stage: Locator, start: float, end: float) -> None:
        """Drag from one share of a chart's width to another."""
        box = stage.bounding_box()
        assert box
        y = box["y"] + box["height"] / 2
        self.page.mouse.move(box["x"] + start * box["width"], y)
        self.page.mouse.down()
        self.page.mouse.move(box["x"] + end * box["width"], y, steps=4)
        self.page.mouse.up()

    def said(self) -> str:
        """The last words for a screen reader."""
        return self.page.get_by_role("status").inner_text().replace("\u00a0", " ")


def ink(stage: Locator) -> int:
    """The number of pixels drawn on a chart's canvas."""
    found: int = stage.locator("canvas").evaluate(
        """canvas => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data
            .filter((value, i) => i % 4 === 3 && value > 0).length"""
    )
    return found


def ticks(stage: Locator) -> list[str]:
    """The text beside the axes of a chart."""
    return [text.replace("\u00a0", " ") for text in stage.locator("text.tick").all_text_contents()]


Visiting = Callable[..., Visit]
