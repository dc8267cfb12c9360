"""Makes the picture of an AWS account's page, docs/pictures/aws.png.

Needs chromium, which scripts/peers.sh installs.
"""

import contextlib
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from blockyard.pages import account
from blockyard.pages.page import Page, html
from blockyard.questions.account import examine

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs" / "pictures" / "aws.png"
ANSWERS = ROOT / "scenarios" / "examples" / "aws" / "orders"
FLAGS = ["--disable-background-networking", "--disable-component-update", "--disable-sync"]


def main() -> int:
    """Draw it."""
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", chromium_sandbox=False, args=FLAGS
        )
        found = examine([ANSWERS])
        draw(browser, account.examined("orders", found.findings, found))
        browser.close()
    return 0


def draw(browser: Browser, page: Page) -> None:
    """Draw the page, once its first chart is there."""
    file = Path("orders.html").absolute()
    file.write_text(html(page), encoding="utf-8")
    seen = browser.new_page(viewport={"width": 1200, "height": 1560})
    seen.goto(file.as_uri())
    seen.locator("figure canvas").first.wait_for()
    seen.screenshot(path=PICTURE)


if __name__ == "__main__":
    sys.exit(main())
