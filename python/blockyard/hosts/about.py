"""What is known of a bench on several hosts beside their runs: `hosts.json`."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from blockyard._core import FileError, __version__
from blockyard.hosts.merging import Total
from blockyard.text import files

ABOUT = "hosts.json"

SCHEMA = "blockyard/hosts/1"

Status = Literal["complete", "interrupted", "failed"]


@dataclass(frozen=True)
class HostRun:
    """What became of a host's run."""

    name: str
    ssh: str
    seed: int
    status: Status
    # Why it failed, or None.
    reason: str | None
    # Its run directory beside this file, or None if nothing was measured.
    run: str | None
    # Goals that it misses, each with what was measured.
    missed: Sequence[str]


@dataclass(frozen=True)
class About:
    """The hosts, and their figures with those of all together."""

    scenario: str
    # All hosts started within so many milliseconds; None if none did.
    started_within_ms: float | None
    hosts: Sequence[HostRun]
    # Of hosts that did not fail, and then of all of them together.
    totals: Sequence[Total]
    schema: str = SCHEMA
    version: str = __version__

    @property
    def failed(self) -> list[HostRun]:
        """The hosts that failed."""
        return [host for host in self.hosts if host.status == "failed"]

    def json(self) -> str:
        """It as JSON."""
        first = {"schema": self.schema, "version": self.version}
        return json.dumps(first | asdict(self), indent=2, ensure_ascii=False)


def is_fleet(path: Path) -> bool:
    """Whether a path is the folder of a bench on several hosts."""
    return (path / ABOUT).is_file()


def read(directory: Path) -> About:
    """What `hosts.json` of a folder says.

    Raises OSError if it cannot be read, and FileError, in one line, if it is none.
    """
    path = directory / ABOUT
    try:
        found = json.loads(files.text(path, files.MADE))
        if found["schema"] != SCHEMA:
            raise FileError(f"{path}: its schema is `{found['schema']}`; expected {SCHEMA}")
        found["hosts"] = [HostRun(**one) for one in found["hosts"]]
        found["totals"] = [Total(**one) for one in found["totals"]]
        return About(**found)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise FileError(f"{path}: not what `bench --hosts` wrote: {error}") from error
