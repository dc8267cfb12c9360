"""Makes README's picture: IOPS are dragged across a limit in a report, docs/pictures/what-if.webp.

Needs chromium, which scripts/peers.sh installs, and the simulator of pages (`make build`).
"""

import io
import tempfile
from collections.abc import Iterator
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

import blockyard
from account_picture import FLAGS
from blockyard.pages import report
from blockyard.pages.page import html

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs" / "pictures" / "what-if.webp"
SIZE = {"width": 1180, "height": 960}

# An open loop above what the volume has, behind an instance that has more.
SCENARIO = """\
name: orders
as_of: 2026-11-01
region: us-east-1
duration: 30s
host: {instance: r6i.2xlarge}
storage:
  data: {type: gp3, size: 200GiB, iops: 3000, throughput: 250MiB/s}
workload:
  queries: {kind: ranread, on: data, file_size: 100GiB, rate: 5500/s, arrivals: poisson}
"""
SLIDER = "IOPS of data"

# Places of the slider, as shares of its width, and how much of that its thumb cannot reach.
STEPS, END, MARGIN_PX = 12, 0.26, 8

# How long frames are shown.
STEP_MS, FIRST_MS, LAST_MS = 200, 1600, 3500


def main() -> int:
    """Draw it."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        scenario = Path(folder, "orders.yaml")
        scenario.write_text(SCENARIO, encoding="utf-8")
        run = blockyard.simulate(scenario, out=Path(folder, "orders"))
        file = Path(folder, "orders.html")
        file.write_text(html(report.report([run], None)), encoding="utf-8")
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", chromium_sandbox=False, args=FLAGS
        )
        page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type] # a TypedDict
        page.goto(file.as_uri())
        first, *others = dragged(page)
        browser.close()
    first.save(
        PICTURE,
        save_all=True,
        append_images=others,
        duration=[FIRST_MS, *[STEP_MS] * (len(others) - 1), LAST_MS],
        loop=0,
        quality=70,
        method=6,
        minimize_size=True,
    )
    return 0


def dragged(page: Page) -> Iterator[Image.Image]:
    """A picture of the page at each place of the slider."""
    slider = page.get_by_label(SLIDER, exact=True)
    page.get_by_role("button", name="Undo").wait_for()
    yield answered(page)
    box = slider.bounding_box()
    if box is None:
        raise RuntimeError(f"{SLIDER} is not in sight")
    y = box["y"] + box["height"] / 2
    left, width = box["x"] + MARGIN_PX, box["width"] - 2 * MARGIN_PX
    page.mouse.move(left, y)
    page.mouse.down()
    for step in range(1, STEPS + 1):
        page.mouse.move(left + width * END * step / STEPS, y)
        yield answered(page)
    page.mouse.up()
    yield answered(page)


def answered(page: Page) -> Image.Image:
    """A picture once the page has its answer."""
    page.wait_for_timeout(150)
    expect(page.locator("[aria-busy=true]")).to_have_count(0, timeout=30_000)
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


if __name__ == "__main__":
    raise SystemExit(main())
