"""Serving a scenario's devices in real time."""

import json
import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol, TypedDict

from blockyard.benching import Row
from blockyard.execution import LATENCY_LOG, Outcome, Planned, Tables, publish, recorded
from blockyard.fresh import NewFolder

# The file that gets a line for every request, on request.
ARRIVALS = "arrivals.parquet"

# (name, URI or path, size, where its bytes lie) of a device.
Served = tuple[str, str, str, str]

# What `steer status` shows, as JSON.
State = dict[str, Any]


class Observer(Protocol):
    """Who is told while a scenario is served."""

    def serving(self, served: list[Served]) -> None:
        """Clients can come."""

    def interval(
        self, done_s: float, job_rows: list[Row], volume_rows: list[Row], status: str
    ) -> None:
        """An interval ended. The rows are those of the run's tables."""

    def warn(self, message: str) -> None:
        """Something that the user should know at once."""

    def stopped(self) -> bool:
        """Whether to stop."""
        ...


class View(Protocol):
    """What shows a service while it goes on."""

    def serving(self, served: list[Served]) -> None:
        """Clients can come."""

    def interval(self, done_s: float, job_rows: list[Row], status: State) -> None:
        """An interval ended."""

    def warn(self, message: str) -> None:
        """Something that the user should know at once."""


class Arguments(TypedDict):
    """How to serve a scenario."""

    # `nbd=PATH`, `nbd=HOST:PORT`, `fuse=DIR` or `block`.
    front: str
    # The devices that are served; all if none is named.
    devices: list[str]
    # Whether each volume is served alone.
    each_volume: bool
    # `ram`, a folder or an image file.
    backing: str
    # The socket that takes orders, if any does.
    control: str | None
    # The folder with the certificates for TLS.
    tls_certificates: str | None
    # Whether TLS lets in clients without a certificate.
    tls_any_client: bool
    # Deadlines no further ahead are awaited awake, as `50us`.
    spin: str
    # How long to serve, as `10m`; None until it is stopped.
    length: str | None
    # When the run began.
    started: str
    # The file that gets the latencies of every interval.
    latency_log: str
    # The file that gets a line for every request, if any does.
    arrivals: str | None


@dataclass(frozen=True)
class _Recording:
    """The observer that writes the tables."""

    tables: Tables
    view: View
    stop: threading.Event

    def serving(self, served: list[Served]) -> None:
        self.view.serving(served)

    def interval(
        self, done_s: float, job_rows: list[Row], volume_rows: list[Row], status: str
    ) -> None:
        self.tables.append(job_rows, volume_rows)
        self.view.interval(done_s, job_rows, json.loads(status))

    def warn(self, message: str) -> None:
        self.view.warn(message)

    def stopped(self) -> bool:
        return self.stop.is_set()


def emulate(
    run: Planned,
    directory: NewFolder,
    arguments: Arguments,
    *,
    stop: threading.Event,
    view: View,
) -> Outcome:
    """Serve until the time is over or somebody stops it; record into `directory` and publish it.

    Once `stop` is set the service ends and the run is marked interrupted. Raises
    ScenarioError, MachineError or RunError if nothing can be served, and OSError
    if something cannot be written.
    """
    place = directory.partial
    lines = place / "arrivals.csv" if arguments["arrivals"] is not None else None
    whole = arguments | {
        "started": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "latency_log": str(place / LATENCY_LOG),
        "arrivals": str(lines) if lines else None,
    }
    with recorded(run, place) as written:
        text = run.scenario.emulate(_Recording(written, view, stop), whole)
    if lines:
        _compact(lines, place / ARRIVALS)
    return publish(directory, text)


def _compact(lines: Path, to: Path) -> None:
    """Turn the trace, which is written line by line, into a table."""
    from blockyard import tables

    tables.from_csv(lines, to)
    lines.unlink()
