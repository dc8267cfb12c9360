"""Runs for tests of reports: simulated, each in a moment."""

import contextlib
import io
from pathlib import Path

from blockyard import cli
from blockyard.formats.loading import load
from blockyard.runs.run import Run
from conftest import ROOT


def simulated(folder: Path, scenario: str, *sets: str, seeds: int = 1) -> Run:
    """The run of a published scenario or example, `intersystems-2022/b083`, or of a text.

    With one seed, unless the test is about the range over several.
    """
    file = ROOT / "scenarios" / f"{scenario}.yaml"
    if "\n" in scenario:
        file = folder / "scenario.yaml"
        file.write_text(scenario)
    out = folder / f"run-{len(list(folder.iterdir()))}"
    options = ["--seeds", str(seeds), *(word for value in sets for word in ("--set", value))]
    with contextlib.redirect_stdout(io.StringIO()) as said:
        status = cli.run(["simulate", str(file), *options, "--out", str(out)])
    assert status == 0, said.getvalue()
    return load(out)
