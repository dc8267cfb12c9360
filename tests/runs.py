"""Runs for tests of what people look at: simulated, in a moment each."""

import subprocess
import sys
from pathlib import Path

from blockyard.loading import load
from blockyard.run import Run
from conftest import ROOT


def simulated(folder: Path, scenario: str, *sets: str) -> Run:
    """The run of a published scenario or example, `intersystems-2022/b083`, or of a text."""
    file = ROOT / "scenarios" / f"{scenario}.yaml"
    if "\n" in scenario:
        file = folder / "scenario.yaml"
        file.write_text(scenario)
    out = folder / f"run-{len(list(folder.iterdir()))}"
    options = [option for value in sets for option in ("--set", value)]
    command = ["simulate", str(file), *options, "--out", str(out)]
    subprocess.run(
        [sys.executable, "-m", "blockyard", *command], check=True, capture_output=True, timeout=120
    )
    return load(out)
