"""Traces of other programs as runs."""

import threading
from collections.abc import Sequence
from pathlib import Path

from blockyard.formats import trace_import
from blockyard.pages.view import RunView
from blockyard.questions.arguments import Place, in_python_words
from blockyard.questions.fresh_run import fresh
from blockyard.questions.observe import Warnings
from blockyard.runs.new_folder import NewFolder


@in_python_words
def import_trace(
    trace: Place,
    *,
    format: str | None = None,  # noqa: A002
    device: Sequence[str] = (),
    interval: str = "1s",
    out: Place | None = None,
) -> RunView:
    """Read each IO that another program recorded as a run.

    `format` is needed where the content of the file, which may be packed, does not show it.
    `device` takes those devices alone. With `out` the run is kept there.

    Raises ScenarioError or ForeignError for a trace that cannot be read, FileExistsError if `out`
    is taken, and OSError if something cannot be read or written.
    """
    source = Path(trace)
    asked = {"format": format, "device": list(device), "interval": interval}
    name = Path(out).name if out is not None else trace_import.name_of(source)

    def carry_out(folder: NewFolder, stop: threading.Event) -> str | None:
        return trace_import.imported(source, name, folder, asked, stop=stop, view=Warnings())

    return fresh(name, out, carry_out)
