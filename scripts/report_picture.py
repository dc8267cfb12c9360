"""Makes docs/pictures/report.png: the top of a fresh report of B.083 in a browser.

Needs chromium, which scripts/peers.sh installs.
"""

import contextlib
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import blockyard
from blockyard.pages import report
from blockyard.pages.page import html

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs" / "pictures" / "report.png"
SCENARIO = ROOT / "scenarios" / "intersystems-2022" / "b083.yaml"
FLAGS = ["--disable-background-networking", "--disable-component-update", "--disable-sync"]


def main() -> int:
    """Draw it."""
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        sync_playwright() as playwright,
    ):
        page = report.report([blockyard.simulate(SCENARIO, out="runs/b083")], 5.0)
        file = Path(folder) / "b083.html"
        file.write_text(html(page), encoding="utf-8")
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", chromium_sandbox=False, args=FLAGS
        )
        seen = browser.new_page(viewport={"width": 1200, "height": 2330})
        seen.goto(file.as_uri())
        seen.locator("figure canvas").nth(1).wait_for()
        seen.screenshot(path=PICTURE)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
