"""What a service shows while it goes on."""

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, TextIO

from rich.console import Console
from rich.live import Live
from rich.table import Table

from blockyard.bench import Row
from blockyard.emulate import Served, State, View


class _Sink(Protocol):
    def update(self, status: State) -> None: ...


@dataclass(frozen=True)
class _View:
    """A line for each device, and while it goes on one for each volume."""

    name: str
    ready: TextIO
    display: Live | None
    metrics: _Sink | None

    def serving(self, served: list[Served]) -> None:
        for name, place, size, backing in served:
            print(f"{name}: {place} ({size}, {backing})", file=self.ready, flush=True)

    def interval(self, done_s: float, job_rows: list[Row], status: State) -> None:
        del job_rows
        if self.metrics:
            self.metrics.update(status)
        if self.display:
            self.display.update(_screen(self.name, done_s, status))

    def warn(self, message: str) -> None:
        print(f"blockyard: {message}", file=sys.stderr)  # noqa: T201


def _screen(name: str, done_s: float, status: State) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), title=None)
    table.add_column(f"{name}, {done_s:,.0f} s", no_wrap=True, overflow="ellipsis")
    for heading in ("IOPS", "MiB/s", "burst", "bound by"):
        table.add_column(heading, justify="right", no_wrap=True)
    for volume in status["volumes"]:
        balance = volume["balance_pct"]
        table.add_row(
            volume["name"],
            f"{volume['iops']:,.0f}",
            f"{volume['mib_per_s']:,.1f}",
            "" if balance is None else f"{balance:.1f}%",
            volume["bound_by"] or "",
        )
    return table


@contextlib.contextmanager
def serving(name: str, ready: TextIO, address: str | None) -> Iterator[View]:
    """Show a service: where it is on `ready`, how it fares on standard error if a terminal."""
    console = Console(stderr=True, highlight=False)
    with contextlib.ExitStack() as stack:
        sink = live = None
        if address:
            # It takes a library that nothing else needs.
            from blockyard import metrics

            sink = stack.enter_context(metrics.serve(address))
        if console.is_terminal:
            live = stack.enter_context(Live(console=console, transient=True, refresh_per_second=4))
        yield _View(name, ready, live, sink)
