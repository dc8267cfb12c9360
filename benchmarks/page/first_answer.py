"""How long the first answer to a change takes, in Chromium, of a report at 100,000 IOPS.

    make build
    .venv/bin/python benchmarks/page/first_answer.py [--changes 20]

Each change types another number of IOPS for the volume. The time is the page's own, from the change
to the frame that shows tiles and charts of the short run; the run of the whole follows and is let
end before the next change.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import blockyard

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from browser import Visit, chromium  # noqa: E402 - found by the line above
from panel import Panel  # noqa: E402

SCENARIO = """\
name: 100,000 IOPS
duration: 20s
host: {instance: r5b.24xlarge}
storage:
  data: {type: io2, size: 1000GiB, iops: 100000}
workload:
  readers: {kind: ranread, on: data, file_size: 100GiB, processes: 100}
"""

# The head of what is shown is replaced with each answer, and the charts in the same task.
OBSERVE = """() => {
    window.answers = [];
    addEventListener("change", () => { window.changed = performance.now(); }, { capture: true });
    const head = document.querySelector(".shown");
    new MutationObserver(() => {
        const from = window.changed;
        window.changed = undefined;
        if (from === undefined) return;
        requestAnimationFrame(() => setTimeout(() => {
            window.answers.push(performance.now() - from);
        }));
    }).observe(head, { childList: true });
}"""


def main() -> None:
    """Print the shortest, the median and the longest time."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--changes", type=int, default=20, help="changes (default: 20)")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        scenario, page = folder / "scenario.yaml", folder / "report.html"
        scenario.write_text(SCENARIO)
        run = blockyard.simulate(scenario, seeds=1, out=folder / "run")
        print(f"{run.result['totals'][0]['iops']:,.0f} IOPS")
        command = [
            sys.executable,
            "-m",
            "blockyard",
            "report",
            str(folder / "run"),
            "-o",
            str(page),
        ]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own
        waits = sorted(answers(page, asked.changes))
    print(
        f"first answers to {len(waits)} changes: {waits[0]:.0f} to {waits[-1]:.0f} ms, "
        f"median {statistics.median(waits):.0f}"
    )


def answers(page: Path, changes: int) -> list[float]:
    """Milliseconds until each first answer."""
    with chromium() as browser:
        panel = Panel(Visit(browser, page))
        panel.page.evaluate(OBSERVE)
        for number in range(changes):
            panel.type("IOPS of data", 95_250 + 500 * number)
        waits: list[float] = panel.page.evaluate("() => window.answers")
    if len(waits) != changes:
        raise SystemExit(f"{len(waits)} answers to {changes} changes")
    return waits


if __name__ == "__main__":
    main()
