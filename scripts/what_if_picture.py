"""Makes README's picture: IOPS are dragged across a limit in a report, docs/pictures/what-if.webp.

Needs chromium, which scripts/peers.sh installs, and the simulator of pages, which `make build` makes.
"""

import io
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

import blockyard
from blockyard.pages import report
from blockyard.pages.page import html
from report_picture import FLAGS

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs" / "pictures" / "what-if.webp"
SIZE = {"width": 940, "height": 860}

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
IOPS = [3000, 3400, 3800, 4200, 4600, 5000, 5400, 5800, 6200, 6600, 7000]

# In milliseconds.
STEP, FIRST, LAST = 160, 1600, 3200


def main() -> int:
    """Draw it."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        scenario = Path(folder, "orders.yaml")
        scenario.write_text(SCENARIO)
        run = blockyard.simulate(scenario, out=Path(folder, "orders"), seeds=None)
        file = Path(folder, "orders.html")
        file.write_text(html(report.report([run], None)), encoding="utf-8")
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", chromium_sandbox=False, args=FLAGS
        )
        page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type] # a TypedDict
        page.goto(file.as_uri())
        frames = list(dragged(page))
        browser.close()
    lengths = [FIRST, *[STEP] * (len(frames) - 2), LAST]
    first, *others = frames
    first.save(
        PICTURE,
        save_all=True,
        append_images=others,
        duration=lengths,
        loop=0,
        quality=72,
        method=6,
        minimize_size=True,
    )
    return 0


def dragged(page: Page) -> Iterator[Image.Image]:
    """A picture of the page at each place of the slider."""
    slider = page.get_by_label(SLIDER, exact=True)
    slider.wait_for()
    answered(page)
    yield picture(page)
    box = slider.bounding_box()
    assert box
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + place(page, IOPS[0]) * box["width"], y)
    page.mouse.down()
    for iops in IOPS[1:]:
        page.mouse.move(box["x"] + place(page, iops) * box["width"], y, steps=2)
        answered(page)
        yield picture(page)
    page.mouse.up()
    answered(page)
    yield picture(page)
