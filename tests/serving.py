"""Starts `blockyard emulate` for a test, and ends it."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Blockyard

# NAME: PLACE (SIZE, BACKING)
_LINE = re.compile(r"(?P<name>\S+): (?P<place>.+) \((?P<size>\S+), (?P<backing>.+)\)")

# The service and its children must end within this time, however busy the machine is.
PATIENCE_S = 60

# Of an answer later than this, the machine has had more say than the model.
PUNCTUAL_US = 300


@dataclass
class Served:
    """A running service."""

    process: subprocess.Popen[str]
    # The run directory that it will write.
    run: Path
    # Where clients find each device: a URI or a path.
    paths: dict[str, str] = field(default_factory=dict)
    # Its standard error, once it has ended.
    errors: str = ""

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """End it with a signal; return its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=PATIENCE_S)
        self.errors = errors or self.errors
        return self.process.returncode

    def kill(self) -> None:
        """Kill it."""
        self.stop(signal.SIGKILL)

    def skip_if_late(self) -> None:
        """Skip the test if this machine was too busy for the service to answer in time."""
        late_us = self.result()["lateness_us"]["p99"]
        if late_us > PUNCTUAL_US:
            pytest.skip(f"too busy a machine to time IOs on: answers were {late_us:.0f} µs late")

    def result(self) -> dict[str, Any]:
        """The result of the run, which has ended."""
        result: dict[str, Any] = json.loads((self.run / "result.json").read_text())
        return result


@contextlib.contextmanager
def serve(
    scenario: str,
    *options: str,
    folder: Path,
    devices: int = 1,
    environment: dict[str, str] | None = None,
) -> Iterator[Served]:
    """`blockyard emulate` of a scenario's text, once clients can connect.

    `folder` receives the scenario and the run directories; `devices` is the number of devices
    served, and `environment` is added to the test's own. The service is ended afterwards if it
    still runs.
    """
    number = len(list(folder.glob("scenario-*.yaml")))
    file = folder / f"scenario-{number}.yaml"
    file.write_text(scenario)
    run = folder / f"run-{number}"
    command = [sys.executable, "-m", "blockyard", "emulate", str(file), *options]
    process = subprocess.Popen(
        [*command, "--out", str(run)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"} | (environment or {}),
    )
    served = Served(process, run)
    try:
        _read_places(served, devices)
        yield served
    finally:
        with contextlib.suppress(subprocess.TimeoutExpired):
            served.stop()
        process.kill()


def served_ios(blockyard: "Blockyard", control: Path) -> int:
    """How many reads and writes a service has served so far, by its control socket."""
    status = json.loads(blockyard("steer", control, "status", "--json").stdout)
    return sum(device["reads"] + device["writes"] for device in status["devices"])


def _read_places(served: Served, devices: int) -> None:
    assert served.process.stdout
    for _ in range(devices):
        line = served.process.stdout.readline()
        found = _LINE.match(line)
        if not found:
            status = served.stop()
            raise AssertionError(f"it did not start ({status}): {line!r} {served.errors}")
        served.paths[found["name"]] = found["place"]
