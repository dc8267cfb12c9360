"""Traces of IO read as runs."""

import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

from blockyard._core import ScenarioError
from blockyard.formats.foreign import packed
from blockyard.runs.execution import observe
from blockyard.runs.new_folder import NewFolder
from blockyard.runs.observer import Observer

_HEAD = 16


def name_of(path: Path) -> str:
    """What a run of a trace is called."""
    return path.name.split(".")[0] or path.name


def imported(
    source: Path,
    name: str,
    directory: NewFolder,
    options: Mapping[str, object],
    *,
    stop: threading.Event,
    view: Observer,
) -> str | None:
    """Import a trace, packed or not, into `directory`; give the text of `result.json`.

    Raises what `execution.observe.imported` does, ForeignError if it cannot be unpacked, and
    OSError.
    """
    with ExitStack() as stack:
        notices: list[str] = []
        place = unpacked_trace(source, stack, notices.append)
        arguments = {**options, "trace": str(place), "called": str(source)}
        try:
            return observe.imported(name, directory, arguments, notices, stop=stop, view=view)
        except ScenarioError as error:
            raise ScenarioError("; ".join([str(error), *notices])) from error


def unpacked_trace(
    source: Path, stack: ExitStack, say_cut: Callable[[str], None] | None = None
) -> Path:
    """The file itself, or what it has unpacked, for as long as `stack` lasts.

    `say_cut` is as `packed.unpacked` has it.
    """
    try:
        with source.open("rb") as file:
            head = file.read(_HEAD)
    except OSError as error:
        # What fails after it was opened names no file.
        raise OSError(error.errno, error.strerror, str(source)) from error
    return (
        source
        if not packed.program(head)
        else stack.enter_context(packed.unpacked(source, say_cut))
    )
