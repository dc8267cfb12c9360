"""Makes pages in a browser: the top of a fresh report of B.083, and an AWS account.

docs/pictures/report.png and docs/pictures/aws.png.

Needs chromium, which scripts/peers.sh installs.
"""

import contextlib
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

import blockyard
from blockyard.pages import account, report
from blockyard.pages.page import Page, html
from blockyard.questions.account import examine

ROOT = Path(__file__).parent.parent
REPORT = ROOT / "docs" / "pictures" / "report.png"
ACCOUNT = ROOT / "docs" / "pictures" / "aws.png"
SCENARIO = ROOT / "scenarios" / "intersystems-2022" / "b083.yaml"
ANSWERS = ROOT / "scenarios" / "examples" / "aws" / "orders"
FLAGS = ["--disable-background-networking", "--disable-component-update", "--disable-sync"]


def main() -> int:
    """Draw them."""
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", chromium_sandbox=False, args=FLAGS
        )
        b083 = report.report([blockyard.simulate(SCENARIO, out="runs/b083")], 5.0)
        draw(browser, b083, REPORT, (2330, 2))
        found = examine([ANSWERS])
        draw(browser, account.examined("orders", found.findings, found), ACCOUNT, (1560, 1))
        browser.close()
    return 0


def draw(browser: Browser, page: Page, picture: Path, size: tuple[int, int]) -> None:
    """Draw a page of that height, once so many of its charts are there."""
    height, charts = size
    file = Path(picture.stem).with_suffix(".html").absolute()
    file.write_text(html(page), encoding="utf-8")
    seen = browser.new_page(viewport={"width": 1200, "height": height})
    seen.goto(file.as_uri())
    seen.locator("figure canvas").nth(charts - 1).wait_for()
    seen.screenshot(path=picture)


if __name__ == "__main__":
    sys.exit(main())
