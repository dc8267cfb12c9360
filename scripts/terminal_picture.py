"""Draws docs/pictures/terminal.svg: the live screen of an emulated gp2 that runs out of credits.

    .venv/bin/python scripts/terminal_picture.py

Takes 45 seconds and needs /dev/fuse. The load is `blockyard bench` on the emulated volume.
"""

import contextlib
import io
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from rich.console import Console
from rich.screen import Screen as WholeScreen

from blockyard.cli.screen.display import Screen
from blockyard.cli.screen.drawing import Drawing
from blockyard.cli.screen.emulate import EmulateScreen
from blockyard.cli.screen.frame import Frame
from blockyard.runs.execution import ScenarioFile
from blockyard.runs.execution.emulate import emulate
from blockyard.runs.new_folder import NewFolder
from blockyard.runs.observer import Served
from blockyard.service import control

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "pictures" / "terminal.svg"
COLUMNS, LINES = 100, 17

# 0.8 % of 5.4 million credits last 16 s, at 3,000 a second less the 300 that are earned.
VOLUME = "{name: gp2, storage: {data: {type: gp2, size: 100GiB, burst_balance: 0.8%}}}"
LOAD = """\
name: load
duration: 40s
storage: {data: {type: gp2, size: 100GiB}}
workload: {readers: {kind: ranread, on: data, file_size: 10GiB, processes: 6}}
"""
# When the volume gets a new baseline, in seconds of the load, and the baseline.
CHANGED_AT_S, BASELINE = 26, "1500"


class Kept(Screen):
    """Shows nothing, but keeps what would be shown."""

    def __init__(self) -> None:
        super().__init__(Console(file=io.StringIO()))
        self.frames: list[Frame] = []

    def start(self) -> None:
        """Leave the terminal alone."""

    def show(self, frame: Frame) -> None:
        """Keep the frame."""
        self.frames.append(frame)


class Loaded(EmulateScreen):
    """Starts the load as soon as clients can connect."""

    def __init__(self, screen: Screen, stop: threading.Event) -> None:
        super().__init__("gp2", screen)
        self._load = threading.Thread(target=load, args=(stop,))

    def serving(self, devices: list[Served]) -> None:
        """Clients can connect."""
        super().serving(devices)
        self._load.start()


def load(stop: threading.Event) -> None:
    """Load the volume, change it, and end the service when the load ends."""
    Path("load.yaml").write_text(LOAD)
    command = [sys.executable, "-m", "blockyard", "bench", "load.yaml", "--out", "load"]
    command += ["--map", "data=volumes/data"]
    try:
        with subprocess.Popen(command, stdout=subprocess.DEVNULL):  # noqa: S603 - our own
            time.sleep(CHANGED_AT_S)
            control.ask(Path("control"), {"set": {"data.iops_credits": BASELINE}})
    finally:
        stop.set()


def measured() -> list[Frame]:
    """The frames of a live screen of a service under load, in a folder of its own."""
    Path("volumes").mkdir()
    arguments = {"as": "fuse=volumes", "control": "control"}
    stop = threading.Event()
    kept = Kept()
    run = ScenarioFile(VOLUME, "gp2", ()).runs()[0]
    with NewFolder(Path("run")) as directory:
        view = Loaded(kept, stop)
        emulate(run, directory, arguments, stop=stop, view=view)
    return kept.frames


def drawn(frame: Frame) -> str:
    """The frame as a picture that fetches no fonts."""
    console = Console(
        file=io.StringIO(), width=COLUMNS, height=LINES, record=True, force_terminal=True
    )
    console.print(WholeScreen(Drawing(frame)), end="")
    picture = console.export_svg(title="blockyard emulate --live", unique_id="terminal")
    return re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)


def main() -> None:
    """Draws the last moment at which there was load."""
    # A name that is always the same, since it is in the picture.
    folder = Path(tempfile.gettempdir(), "gp2")
    folder.mkdir()
    try:
        with contextlib.chdir(folder):
            frames = measured()
    finally:
        shutil.rmtree(folder)
    busy = [frame for frame in frames if frame.devices and frame.devices[0].gauges[0].values[-1]]
    PICTURE.write_text(drawn(busy[-2]), encoding="utf-8")


if __name__ == "__main__":
    main()
