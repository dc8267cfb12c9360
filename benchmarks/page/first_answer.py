"""How long a page's first answer to a change takes, in Chromium, at 100,000 IOPS.

    make build
    .venv/bin/python benchmarks/page/first_answer.py [--changes 20]

A number is typed beside a slider. The time is from the key that ends it to the moment at which the
page shows other tiles, by the page's own clock. The first answer is of a few seconds of the run;
all of it follows.
"""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

import blockyard
from blockyard.pages import report
from blockyard.pages.page import html

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from browser import Visit, chromium  # noqa: E402 - found by the line above
from panel import Panel  # noqa: E402

SCENARIO = """\
name: busy
duration: 60s
storage:
  data: {type: io2, size: 1TiB, iops: 100000}
workload:
  readers: {kind: ranread, on: data, file_size: 500GiB, rate: 100000/s}
"""

# Resolves when the tiles are others than when it was called.
WATCH = """() => {
    const tiles = () => [...document.querySelectorAll(".tiles")]
        .filter((one) => one.checkVisibility()).map((one) => one.textContent).join();
    const old = tiles();
    window.answered = new Promise((done) => {
        document.addEventListener("keydown", (event) => {
            if (event.key !== "Enter") return;
            const begun = performance.now();
            const look = () => tiles() === old ? requestAnimationFrame(look)
                : done(performance.now() - begun);
            requestAnimationFrame(look);
        }, { once: true, capture: true });
    });
}"""


def main() -> None:
    """Print the median and the longest of the times."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--changes", type=int, default=20, help="how often (default: 20)")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "busy.yaml").write_text(SCENARIO, encoding="utf-8")
        run = blockyard.simulate(folder / "busy.yaml", seeds=1, out=folder / "run")
        page = folder / "busy.html"
        page.write_text(html(report.report([run], None)), encoding="utf-8")
        with chromium() as browser:
            panel = Panel(Visit(browser, page))
            times = [answer(panel, 60_000 + 1_000 * number) for number in range(asked.changes)]
    print(f"median {statistics.median(times):.0f} ms, longest {max(times):.0f} ms of {len(times)}")


def answer(panel: Panel, iops: int) -> float:
    """Milliseconds until a change has its first answer."""
    panel.number("IOPS of data").click()
    panel.page.keyboard.press("ControlOrMeta+a")
    panel.page.keyboard.type(str(iops))
    panel.page.evaluate(WATCH)
    panel.page.keyboard.press("Enter")
    took: float = panel.page.evaluate("() => window.answered")
    panel.settled()
    return took


if __name__ == "__main__":
    main()
