"""Load runs, from run directories and from files of other tools.

run = load("runs/b083")
run.result["totals"], run.intervals, run.latencies.tags
"""

from pathlib import Path
from typing import TYPE_CHECKING

from blockyard.formats import loading
from blockyard.pages.view import RunView

if TYPE_CHECKING:
    from blockyard.formats.foreign.reading import Reading


def load(path: str | Path, reading: "Reading | None" = None) -> RunView:
    """The run of a run directory, or what a file of fio, iostat, sar or another program says.

    `reading` has what such a file does not say, and which of its devices count. Raises OSError
    if something cannot be read, and FileError, in one line that names the file, if it is not what
    it should be.
    """
    return RunView.of(loading.load(path, reading))


def load_all(path: str | Path, reading: "Reading | None" = None) -> list[RunView]:
    """As `load`, and of a folder of run directories all runs.

    They come in the order of the numbers that their names end with: a, a-2, a-10.
    """
    return [RunView.of(run) for run in loading.load_all(path, reading)]
