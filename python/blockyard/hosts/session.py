"""The connection to one host, and how far its run is."""

import contextlib
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import IO, Any

from blockyard._core import Latencies
from blockyard.hosts.errors import GoneError, HostError, RefusedError
from blockyard.hosts.greeting import greet
from blockyard.hosts.host import Host
from blockyard.hosts.keeping import keep
from blockyard.hosts.package import Package
from blockyard.hosts.view import View
from blockyard.hosts.wire import Wire
from blockyard.runs.directory import LATENCY_LOG
from blockyard.runs.execution import Outcome, RunSpec

# How long SSH has to end once it has nothing left to do.
_PATIENCE_S = 10

# The status of ssh when it failed itself, or what it had started was killed.
_SSH_FAILED = 255


class Phase(IntEnum):
    """How far a host is."""

    REACHING = 0
    CHECKING = 1
    CHECKED = 2
    READY = 3
    STARTED = 4
    ENDED = 5


# What is said of a host that was lost in each phase.
_LOST = {
    Phase.REACHING: "not reached",
    Phase.CHECKING: "lost while it checked its targets",
    Phase.CHECKED: "lost while it prepared its targets",
    Phase.READY: "lost before the start",
    Phase.STARTED: "lost in the middle of its run",
}


@dataclass(frozen=True)
class Means:
    """What all connections are made with."""

    # The SSH program with its options.
    ssh: Sequence[str]
    # For hosts that have no Blockyard of this version.
    package: Package


class Session:
    """A host's run, which a thread of its own attends to."""

    def __init__(self, host: Host, run: RunSpec, arguments: Mapping[str, Any], place: Path) -> None:
        self.host = host
        self.phase = Phase.REACHING
        # None if nothing was measured.
        self.outcome: Outcome | None = None
        self.latencies: Latencies | None = None
        self.error: HostError | None = None
        # When it was told to go on, and when it was heard that it had started.
        self.sent_s = self.heard_s = 0.0
        self.interval_s = run.scenario.interval_s
        self._run = run
        self._arguments = host.arguments(arguments)
        self._place = place
        self._stopped = False
        self._wire: Wire | None = None
        self._ssh: subprocess.Popen[bytes] | None = None

    def begin(self, means: Means, changed: threading.Condition, view: View) -> None:
        """Connect and check the targets; notify `changed` at each phase."""
        self._changed = changed
        self._view = view
        self._begun_s = time.monotonic()
        threading.Thread(target=self._attend, args=(means,), daemon=True).start()

    @property
    def silent_s(self) -> float:
        """For how long it has said nothing since it last had something to do."""
        heard_s = self._wire.heard_s if self._wire else self._begun_s
        return time.monotonic() - max(heard_s, self.sent_s)

    def go(self) -> None:
        """Let it prepare its targets, or start."""
        self.sent_s = time.monotonic()
        self._tell("go")

    def stop(self) -> None:
        """End the run; what it measured until then comes back."""
        self._stopped = True
        if self.phase == Phase.REACHING and self._ssh:
            self._ssh.terminate()
        self._tell("stop")

    def kill(self) -> None:
        """End the connection, and with it the run."""
        if self._ssh:
            self._ssh.kill()

    def _tell(self, kind: str) -> None:
        # If nobody is there any more, the thread notices.
        with contextlib.suppress(OSError, ValueError):
            if self._wire:
                self._wire.send(kind)

    def _attend(self, means: Means) -> None:
        with tempfile.TemporaryFile() as said:
            try:
                self._carry_out(means, said)
            except HostError as error:
                self.error = error
            except (GoneError, BrokenPipeError):
                self._end()
                if not (self._stopped and self.phase < Phase.STARTED):
                    self.error = HostError(self._lost(said))
            except Exception as error:  # noqa: BLE001 - whatever is wrong with one, the rest goes on
                self.error = HostError(f"{_LOST[self.phase]}: {error}")
            finally:
                self._end()
                if self.error and not isinstance(self.error, RefusedError):
                    self._view.failed(self.host.name, str(self.error))
                self._be(Phase.ENDED)

    def _carry_out(self, means: Means, stderr: IO[bytes]) -> None:
        command = self.host.command(means.ssh)
        try:
            ssh = subprocess.Popen(  # noqa: S603 - it is the user's own command
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                # Ctrl-C is for this process, which ends the runs in good order.
                start_new_session=True,
            )
        except OSError as error:
            raise HostError(f"{command[0]}: {error.strerror}") from error
        assert ssh.stdin and ssh.stdout  # noqa: S101, PT018 - they are pipes
        self._ssh = ssh
        if self._stopped:
            raise GoneError
        wire = Wire(ssh.stdout, ssh.stdin)
        if greet(wire, means.package):
            self._view.copied(self.host.name)
        wire.send("run", scenario=self._run.scenario.to_yaml(), arguments=self._arguments)
        self._wire = wire
        self._be(Phase.CHECKING)
        name = self.host.name
        self.outcome = keep(wire, name, self._run, self._place, self._reached, self._view)
        if self.outcome:
            if self.outcome.result["status"] == "failed":
                raise HostError(str(self.outcome.result["reason"]))
            self.latencies = Latencies.read(str(self.outcome.path / LATENCY_LOG))

    def _reached(self, what: str) -> None:
        phase = Phase[what.upper()]
        if phase == Phase.STARTED:
            self.heard_s = time.monotonic()
        self._be(phase)

    def _be(self, phase: Phase) -> None:
        with self._changed:
            self.phase = phase
            self._changed.notify_all()

    def _end(self) -> None:
        """Let the other end see that nobody is here any more; wait for ssh."""
        ssh = self._ssh
        if ssh is None:
            return
        with contextlib.suppress(OSError):
            assert ssh.stdin  # noqa: S101 - it is a pipe
            ssh.stdin.close()
        try:
            ssh.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            ssh.kill()
            ssh.wait()
        assert ssh.stdout  # noqa: S101 - it is a pipe
        ssh.stdout.close()

    def _lost(self, said: IO[bytes]) -> str:
        """What became of a host that is gone: the last words of ssh, or of what it started."""
        said.seek(0)
        lines = said.read().decode(errors="replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        what = _LOST[self.phase]
        if self.phase == Phase.REACHING and self._ssh and self._ssh.returncode != _SSH_FAILED:
            what = f"`{self.host.python}` does not start there"
        return f"{what}: {last}" if last else what
