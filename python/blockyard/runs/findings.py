"""What is found out about a run: once, when it is made, and stored beside its result.

So whoever tells of a run simulates nothing, and what two of them tell is the same.
"""

import functools
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, cast

from blockyard import _core
from blockyard._core import FileError, Scenario
from blockyard.runs import packed
from blockyard.text import files
from blockyard.types.findings import Findings

if TYPE_CHECKING:
    import pyarrow as pa

FINDINGS = "findings.json"

# The text of a run's scenario, and of its result.
Texts = tuple[str, str]


def of(
    name: str,
    result: str,
    scenario: Scenario,
    volumes: "pa.Table",
    stopped: Callable[[], bool] | None = None,
) -> Findings:
    """Explain a run, of the text of its result and its table of volumes, and price it.

    With `stopped`, which is asked whether to stop, what would help it is tried too: that takes up
    to some seconds. Raises FileError, which `name` begins, for what cannot be read.
    """
    found = _core.findings(name, result, scenario, packed.served(volumes), stopped)
    return cast(Findings, json.loads(found))


def write(folder: Path, run: Texts, found: Findings) -> None:
    """Store the findings of a run. Raises OSError if they cannot be written."""
    stored = {"digest": _digest(run, found), "findings": found}
    (folder / FINDINGS).write_text(json.dumps(stored), encoding="utf-8")


def read(folder: Path, run: Texts) -> Findings | None:
    """The findings of the run that has these texts; None if there are none of it.

    What another version found, or found of another run, counts for nothing. Raises OSError.
    """
    try:
        stored = json.loads(files.text(folder / FINDINGS, files.MADE))
        found = cast(Findings, stored["findings"])
        is_of_it = stored["digest"] == _digest(run, found)
    except (FileNotFoundError, FileError, ValueError, TypeError, KeyError, RecursionError):
        return None
    return found if is_of_it else None


@functools.cache
def _shape() -> list[str]:
    """What findings look like: builds of one version may differ in that."""
    return [_core.schema(name) for name in ("findings", "facts", "bill")]


def _digest(run: Texts, found: Findings) -> str:
    said = [_core.__version__, _shape(), run, found]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()
