"""Emulated volumes as a database's tests use them: as block devices, steered meanwhile."""

import contextlib
import json
import os
import pwd
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from databases.programs import program
from serving import Served, serve


@dataclass(frozen=True)
class Volumes:
    """The devices of a scenario, served."""

    served: Served
    control: Path

    def device(self, name: str = "data") -> str:
        """Where a device of the scenario is."""
        return self.served.paths[name]

    def uptime(self) -> float:
        """The run's time, in seconds."""
        status: dict[str, Any] = json.loads(self._steer("status", "--json"))
        return float(status["uptime_s"])

    def cut_power(self, seed: int, *, torn: bool) -> None:
        """Cut the power: what was not flushed may be lost. It stays off until it is restored."""
        options = ["--seed", str(seed), "--duration", "1h", *(["--torn"] if torn else [])]
        self._steer("fault", "power-cut", *options)

    def restore_power(self) -> None:
        """Give power again."""
        self._steer("fault", "clear")

    def fail(self, name: str) -> None:
        """Have all IOs of a device fail from now on."""
        share = [part for op in ("read", "write", "flush") for part in (f"--{op}", "100%")]
        self._steer("fault", "error", *share, "--on", name, "--duration", "1h")

    def end(self) -> list[dict[str, Any]]:
        """End the service; its volumes second by second."""
        self._steer("stop")
        assert self.served.process.wait(60) == 0
        rows: list[dict[str, Any]] = pq.read_table(self.served.run / "volumes.parquet").to_pylist()
        return rows

    def _steer(self, *order: str) -> str:
        command = [sys.executable, "-m", "blockyard", "steer", str(self.control), *order]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout


@contextlib.contextmanager
def volumes(storage: str, folder: Path) -> Iterator[Volumes]:
    """Serve a scenario's storage from memory, one device to a line, as block devices."""
    scenario = f"name: database\nseed: 1\ninterval: 1s\nstorage:\n{storage}"
    control = folder / f"control-{len(list(folder.iterdir()))}"
    options = ["--as", "block", "--backing", "ram", "--control", str(control)]
    devices = storage.count("\n")
    with serve(scenario, *options, folder=folder, devices=devices) as served:
        yield Volumes(served, control)


def need(user: str, *programs: str) -> None:
    """Skip the test where its database or a block device is not to be had, with the reason."""
    if os.geteuid() != 0:
        pytest.skip("mounting takes root")
    for path in ("/dev/fuse", "/dev/loop-control"):
        if not Path(path).exists():
            pytest.skip(f"{path} is missing, so there is no block device")
    try:
        pwd.getpwnam(user)
        for name in [*programs, "mkfs.xfs"]:
            program(name)
    except KeyError:
        pytest.skip(f"the user {user} is missing; scripts/peers.sh installs its database")
    except FileNotFoundError as error:
        pytest.skip(str(error))
