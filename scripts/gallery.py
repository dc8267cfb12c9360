"""Makes the pictures of docs/gallery.md and of how-tos, each from a fresh run.

    python scripts/gallery.py [--check]

With `--check` nothing is written, and a picture of a simulation that differs is an
error. Pictures with an emulated run differ each time; they need FUSE.
"""

import dataclasses
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import blockyard
from blockyard.pages import charts, pictures
from blockyard.pages.figure import Figure
from served import serving

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "tests"))

import pages as documents  # noqa: E402 - the tests' parser of pages

PICTURES = ROOT / "docs" / "pictures" / "gallery"

# A screen shows half an hour at five seconds per point.
BIN_S = 5.0


@dataclass(frozen=True)
class Exhibit:
    """A published test, and the charts of it that its article has."""

    name: str
    scenario: str
    figures: Sequence[str]
    bin_s: float = BIN_S


EXHIBITS = (
    Exhibit("a002", "intersystems-2022/a002", ["iops-data", "mean-latency-data"]),
    Exhibit(
        "b080",
        "intersystems-2022/b080",
        ["iops-data", "mean-latency-data", "load-readers-data-read"],
    ),
    Exhibit("a006", "intersystems-2022/a006", ["iops-data", "mean-latency-data"]),
    Exhibit(
        "b083",
        "intersystems-2022/b083",
        [
            "iops-data",
            "mean-latency-data",
            "latency-readers-data-read",
            "cycles-writers",
            "throttled",
        ],
    ),
    Exhibit(
        "io2",
        "intersystems-2023/test1-io2",
        ["iops-data", "mean-latency-data", "throughput-wij", "cycles-writers"],
    ),
    Exhibit(
        "gp3-stripe",
        "intersystems-2023/test2-gp3-stripe",
        ["iops-data", "mean-latency-data", "throughput-wij", "cycles-writers"],
    ),
    Exhibit("lost-zone", "examples/galera-lost-zone", ["tps"], bin_s=1.0),
    Exhibit("iris-lost-zone", "examples/iris-lost-zone", ["iops-journal"], bin_s=1.0),
)


# The page whose own commands make the runs that its pictures show, in pictures of one run or of
# several over each other.
WALKED = ROOT / "docs" / "howto" / "replay.md"
NEEDS_A_DATABASE = "blockyard observe"
WALKED_FIGURES = {
    "observed": (["tuesday"], ["iops-loop0", "latency-observed-loop0-read"]),
    "replayed": (["now", "gp3", "io2"], ["latency-data-read"]),
}

# Served in real time, and drawn over its simulation.
TWIN = ROOT / "scenarios" / "examples" / "burst-end.yaml"
TWIN_FIGURES = ("iops-data-read", "latency-data-read")


def main() -> int:
    """Draw all, or compare."""
    check = "--check" in sys.argv[1:]
    stale = []
    for path, figure in chain(*map(drawn, EXHIBITS), walked()):
        if check and not same(figure, path):
            stale.append(path)
        elif not check:
            pictures.picture(figure, path)
    if not check:
        for path, figure in twins():
            pictures.picture(figure, path)
    for path in stale:
        print(f"{path.relative_to(ROOT)} is not what a fresh run gives; run scripts/gallery.py")
    return 1 if stale else 0


def drawn(exhibit: Exhibit) -> Iterator[tuple[Path, Figure]]:
    """The figures of a fresh run, with the files to which they are written."""
    run = blockyard.simulate(ROOT / "scenarios" / f"{exhibit.scenario}.yaml")
    figures = run.figures(exhibit.bin_s)
    for name in exhibit.figures:
        yield PICTURES / f"{exhibit.name}-{name}.svg", figures[name]


def walked() -> Iterator[tuple[Path, Figure]]:
    """The figures of the runs that a page's commands make."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "scenarios").symlink_to(ROOT / "scenarios")
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        for block in documents.blocks(WALKED, "sh"):
            if not block.opening.startswith(NEEDS_A_DATABASE):
                subprocess.run(  # noqa: S603 - the project's own page
                    ["bash", "-euo", "pipefail", "-c", block.text],  # noqa: S607
                    cwd=folder,
                    env=os.environ | {"PATH": path},
                    stdout=subprocess.DEVNULL,
                    check=True,
                )
        for label, (names, wanted) in WALKED_FIGURES.items():
            runs = [blockyard.load(Path(folder, name)) for name in names]
            figures = {one.name: one for one in charts.all_figures(runs, 1.0)}
            for name in wanted:
                yield PICTURES / f"{label}-{name}.svg", figures[name]


def twins() -> Iterator[tuple[Path, Figure]]:
    """The figures of a simulation with the same load on the emulated volume."""
    simulated = dataclasses.replace(blockyard.simulate(TWIN), name="simulated")
    with tempfile.TemporaryDirectory() as folder:
        mount = Path(folder) / "mount"
        mount.mkdir()
        with serving(TWIN, mount, Path(folder) / "served"):
            benched = blockyard.bench(TWIN, {"data": mount / "data"})
    emulated = dataclasses.replace(benched, name="emulated, and benched")
    figures = {one.name: one for one in charts.all_figures([simulated, emulated], 1.0)}
    for name in TWIN_FIGURES:
        yield PICTURES / f"twins-{name}.svg", figures[name]


def same(figure: Figure, path: Path) -> bool:
    """Whether a file shows this figure."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder) / path.name
        pictures.picture(figure, fresh)
        return path.exists() and path.read_bytes() == fresh.read_bytes()


if __name__ == "__main__":
    sys.exit(main())
