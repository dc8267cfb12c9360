"""A machine that takes part in a bench on several."""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blockyard._core import bench_hosts
from blockyard.text import files

# Reads a program of so many bytes and carries it out, which goes on reading. The quotes are good
# for any shell.
_LOADER = "import sys; exec(sys.stdin.buffer.read(int(sys.stdin.buffer.readline())).decode())"

# Nobody is asked for a password. A host that is gone is noticed within seconds.
_OPTIONS = {
    "BatchMode": "yes",
    "ConnectTimeout": "10",
    "ServerAliveInterval": "5",
    "ServerAliveCountMax": "3",
}


@dataclass(frozen=True)
class Host:
    """Where it is and what its devices are there, as the file of hosts says."""

    ssh: str
    name: str
    port: int | None
    map: Mapping[str, str]
    # None for those of all hosts.
    overwrite: Sequence[str] | None
    python: str

    def command(self, ssh: Sequence[str]) -> list[str]:
        """What starts Python there; `ssh` is the program with its own options."""
        options = [f"-o{name}={value}" for name, value in _OPTIONS.items()]
        port = ["-p", str(self.port)] if self.port is not None else []
        return [*ssh, *options, *port, "-T", self.ssh, f"{self.python} -c {shlex.quote(_LOADER)}"]

    def arguments(self, of_all: Mapping[str, Any]) -> dict[str, Any]:
        """The options of `blockyard bench` there, of those that all hosts have."""
        mapped = dict(of_all["map"]) | dict(self.map)
        own = of_all["overwrite"] if self.overwrite is None else self.overwrite
        return {**of_all, "map": list(mapped.items()), "overwrite": list(own)}


def read(path: Path) -> list[Host]:
    """The hosts of a file. Raises ScenarioError with the place, and what `files.text` does."""
    text = files.text(path, files.WRITTEN)
    return [Host(**one) for one in json.loads(bench_hosts(text, str(path)))]
