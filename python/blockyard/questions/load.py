"""Load runs, from run directories and from files of other tools.

run = load("runs/b083")
run.result["totals"], run.intervals, run.latencies.tags
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from blockyard.formats import loading
from blockyard.pages.view import RunView
from blockyard.questions.arguments import Asked, in_python_words
from blockyard.questions.known_storage import KnownStorage

if TYPE_CHECKING:
    from blockyard.formats.foreign.reading import Reading


@in_python_words
def load(
    path: str | Path,
    reading: "Reading | None" = None,
    *,
    volume: str | Sequence[str] = (),
    instance: str | None = None,
    on: Asked | None = None,
) -> RunView:
    """The run of a run directory, or what a file of fio, iostat, sar or another program says.

    `reading` has what such a file does not say, and which of its devices count. `volume`, as
    `"gp3,iops=3000"` or `"nvme1n1=gp2,size=200GiB"`, says what the devices are, `instance` what
    they are on, `on` both as a scenario: the run's `drive` compares with it. Raises OSError if
    something cannot be read, FileError, in one line that names the file, if it is not what it
    should be, and ScenarioError for storage that cannot be.
    """
    known = KnownStorage.of(volume, instance, on)
    run = RunView.of(loading.load(path, reading))
    under = known.under(run)
    known.check_devices([run])
    return under


def load_all(path: str | Path, reading: "Reading | None" = None) -> list[RunView]:
    """As `load`, and of a folder of run directories all runs.

    They come in the order of the numbers that their names end with: a, a-2, a-10.
    """
    return [RunView.of(run) for run in loading.load_all(path, reading)]
