"""How far a bench on several hosts is, on standard error; lines that move only on a terminal."""

import contextlib
import math
import threading
import time
from collections.abc import Iterator

from rich.progress import BarColumn, Progress, TaskID, TextColumn

from blockyard._core import __version__
from blockyard.cli import files, terminal
from blockyard.hosts import words
from blockyard.hosts.view import View
from blockyard.runs.execution import RunSpec

# A silence that begins no later than this after another is the same.
_SAME_SILENCE_S = 1.0


@contextlib.contextmanager
def progress(run: RunSpec) -> Iterator[View]:
    """Show how far each host is, with its rates."""
    console = terminal.on_stderr()
    bars = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[now]}"),
        console=console,
        disable=not terminal.can_redraw(console),
        transient=True,
    )
    with bars:
        yield _Bars(bars, run.scenario.duration_s)


class _Bars(View):
    def __init__(self, bars: Progress, duration_s: float) -> None:
        self._bars = bars
        self._duration_s = duration_s
        self._tasks: dict[str, TaskID] = {}
        self._turn = threading.Lock()
        # Since when the hosts were silent that it was said of.
        self._silent: dict[str, float] = {}

    def copied(self, host: str) -> None:
        self.warn(host, f"blockyard {__version__} was missing and is copied")

    def prepared(self, host: str, device: str, done: int, of: int) -> None:
        now = f"writing {device} through, {done / 2**30:,.1f} of {of / 2**30:,.1f} GiB"
        self._show(host, done, of, now)

    def started(self, hosts: int, within_s: float) -> None:
        self._say(words.started(hosts, within_s))

    def progressed(self, host: str, done_s: float, iops: float, mib_per_s: float) -> None:
        self._show(host, done_s, self._duration_s, f"{iops:,.0f} IOPS, {mib_per_s:,.1f} MiB/s")

    def silent(self, host: str, seconds: float) -> None:
        since = time.monotonic() - seconds
        with self._turn:
            task = self._tasks.get(host)
            if task is not None:
                self._bars.update(task, now=f"no answer for {seconds:,.0f} s")
        # Once for each silence.
        if since - self._silent.get(host, -math.inf) > _SAME_SILENCE_S:
            self._silent[host] = since
            self.warn(host, f"no answer for {seconds:,.0f} s; Ctrl-C ends the run without it")

    def warn(self, host: str, message: str) -> None:
        self._say(f"{host}: {message}")

    def failed(self, host: str, reason: str) -> None:
        self.warn(host, reason)

    def _say(self, line: str) -> None:
        # Lines of two threads would mix.
        with self._turn:
            files.warn([line])

    def _show(self, host: str, done: float, of: float, now: str) -> None:
        with self._turn:
            if host not in self._tasks:
                self._tasks[host] = self._bars.add_task(host, now="")
            self._bars.update(self._tasks[host], total=of, completed=done, now=now)
