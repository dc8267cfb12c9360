"""The runs of all hosts, led so that none writes before all may, and all start at one moment."""

import threading
import time
from collections.abc import Callable, Sequence

from blockyard.hosts.errors import RefusedError
from blockyard.hosts.session import Means, Phase, Session
from blockyard.hosts.view import View

# Seconds between looks at the stop flag.
_LOOK_UP_S = 0.1

# Seconds of silence that are told of. A host that runs says something in each interval.
_SILENT_S = 10

# How long hosts have to end and send what they measured once they are stopped: longer than a
# bench waits for its IOs in flight.
_PATIENCE_S = 20


class FleetRefusedError(Exception):
    """Hosts refuse the run, each in one line. Nothing was written on any."""

    def __init__(self, refusals: Sequence[tuple[str, RefusedError]]) -> None:
        self.lines = [f"{name}: {error}" for name, error in refusals]
        # Whether machines lack something, and nothing that was asked is at fault.
        self.lacking = all(error.lacking for _, error in refusals)
        super().__init__("\n".join(self.lines))


class _StoppedError(Exception):
    """Somebody stopped it."""


def lead(
    sessions: Sequence[Session], means: Means, stop: threading.Event, view: View
) -> float | None:
    """Carry out the runs of all hosts, until each has ended in one way or another.

    Gives the time in seconds within which all have started; None if none has. Once `stop` is set
    all runs end. Raises FleetRefusedError if a host refuses: then no host has written anything.
    """
    changed = threading.Condition()
    for session in sessions:
        session.begin(means, changed, view)
    try:
        _wait(sessions, Phase.CHECKED, changed, stop, view)
        _check(sessions)
        _go(sessions)
        _wait(sessions, Phase.READY, changed, stop, view)
        _go(sessions)
        _wait(sessions, Phase.STARTED, changed, stop, view)
        within_s = _within(sessions, view)
        _wait(sessions, Phase.ENDED, changed, stop, view)
    except (_StoppedError, FleetRefusedError) as error:
        _end(sessions, changed)
        if isinstance(error, FleetRefusedError):
            raise
        within_s = _within(sessions, View())
    return within_s


def _check(sessions: Sequence[Session]) -> None:
    errors = [(session.host.name, session.error) for session in sessions]
    refusals = [(name, error) for name, error in errors if isinstance(error, RefusedError)]
    if refusals:
        raise FleetRefusedError(refusals)


def _go(sessions: Sequence[Session]) -> None:
    for session in sessions:
        session.go()


def _within(sessions: Sequence[Session], view: View) -> float | None:
    """How far apart the hosts can have started.

    Each did between the moment at which it was told to and that at which its answer was there, by
    the clock of this machine: no host's clock counts.
    """
    started = [session for session in sessions if session.heard_s]
    if not started:
        return None
    first = min(session.sent_s for session in started)
    within_s = max(session.heard_s for session in started) - first
    view.started(len(started), within_s)
    return within_s


def _wait(
    sessions: Sequence[Session],
    phase: Phase,
    changed: threading.Condition,
    stop: threading.Event,
    view: View,
) -> None:
    def look() -> bool:
        for session in sessions:
            if session.phase < phase and session.silent_s >= _SILENT_S + session.interval_s:
                view.silent(session.host.name, session.silent_s)
        return stop.is_set()

    _until(sessions, phase, changed, look)
    if stop.is_set():
        raise _StoppedError


def _until(
    sessions: Sequence[Session],
    phase: Phase,
    changed: threading.Condition,
    given_up: Callable[[], bool],
) -> None:
    """Wait until all hosts have come as far as `phase`, or have ended."""
    with changed:
        while any(session.phase < phase for session in sessions) and not given_up():
            changed.wait(_LOOK_UP_S)


def _end(sessions: Sequence[Session], changed: threading.Condition) -> None:
    """End all runs: in good order, or else at once."""
    for session in sessions:
        session.stop()
    deadline = time.monotonic() + _PATIENCE_S
    _until(sessions, Phase.ENDED, changed, lambda: time.monotonic() > deadline)
    for session in sessions:
        if session.phase < Phase.ENDED:
            session.kill()
    _until(sessions, Phase.ENDED, changed, lambda: False)
