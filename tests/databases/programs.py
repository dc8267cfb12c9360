"""Programs run as a database's own user; servers among them end whatever happens."""

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypedDict

# Debian keeps some of them out of a user's search path.
PLACES = ["/usr/sbin", "/sbin", *map(str, Path("/usr/lib/postgresql").glob("*/bin"))]


def program(name: str) -> str:
    """The path of a program. Raises FileNotFoundError with its name."""
    path = shutil.which(name) or shutil.which(name, path=":".join(PLACES))
    if path is None:
        raise FileNotFoundError(f"the program {name} is missing; scripts/peers.sh installs it")
    return path


def run(
    *command: str | Path, user: str | None = None, timeout: float = 120
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end. Raises RuntimeError with what it complains of.

    `user` is who runs it, by default who runs the tests.
    """
    done = subprocess.run(
        resolved(command),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        cwd="/",
        **_as(user),
    )
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]}: status {done.returncode}: {done.stderr or done.stdout}")
    return done


def resolved(command: Sequence[str | Path]) -> list[str]:
    """A command with the path of its program."""
    return [program(str(command[0])), *map(str, command[1:])]


def owned(folder: Path, user: str) -> Path:
    """Make an empty folder that belongs to `user`."""
    folder.mkdir()
    shutil.chown(folder, user, pwd.getpwnam(user).pw_gid)
    return folder


class Account(TypedDict, total=False):
    """Who a process runs as, in subprocess's terms."""

    user: str
    group: int
    extra_groups: list[int]


def _as(user: str | None) -> Account:
    if user is None:
        return {}
    return {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []}


class Server:
    """A database's server process. Its messages go to the file `log`."""

    def __init__(
        self,
        user: str,
        command: Sequence[str | Path],
        log: Path,
        within: Sequence[str] = (),
    ) -> None:
        """Start it as `user`; `within` is a command that root runs it by."""
        self.log = log
        if within:
            account = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
            command = [*within, *account, *resolved(command)]
        with log.open("a") as messages:
            self._process = subprocess.Popen(
                resolved(command),
                **_as(None if within else user),
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=messages,
                stderr=messages,
                # Its helpers are killed with it.
                start_new_session=True,
            )

    def wait_until(self, ready: Callable[[], bool], timeout: float = 60) -> None:
        """Wait until it serves. Raises RuntimeError with the end of its log if it does not."""
        deadline = time.monotonic() + timeout
        while not ready():
            if self._process.poll() is not None:
                raise RuntimeError(f"the server ended: {self._said()}")
            if time.monotonic() > deadline:
                raise RuntimeError(f"no service after {timeout:g} s: {self._said()}")
            time.sleep(0.1)

    def stop(self, how: signal.Signals = signal.SIGTERM, timeout: float = 60) -> None:
        """Ask it to end; kill it if it does not."""
        if self._process.poll() is None:
            self._process.send_signal(how)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout)
        self.kill()

    def kill(self) -> None:
        """End it, and all that it started, as kill -9 does."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def wait(self, timeout: float = 120) -> None:
        """Wait until it has ended. Raises TimeoutExpired if it does not."""
        self._process.wait(timeout)

    def freeze(self) -> None:
        """Stop it, and all that it started, where they are: it keeps its connections silently.

        On a busy machine its threads run for some milliseconds more; this waits for them.
        """
        os.killpg(self._process.pid, signal.SIGSTOP)
        while any(_state(thread) != "T" for thread in self._threads()):
            time.sleep(0.0005)

    def thaw(self) -> None:
        """Have it go on after it was frozen."""
        os.killpg(self._process.pid, signal.SIGCONT)

    def _threads(self) -> list[Path]:
        return list(Path(f"/proc/{self._process.pid}/task").iterdir())

    def cpu_s(self) -> float:
        """Processor time that it has used so far, with its processes that have ended."""
        pid = self._process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return sum(map(_cpu_s, [str(pid), *children]))

    def _said(self) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-30:])


def _state(thread: Path) -> str:
    return (thread / "stat").read_text().rsplit(")", 1)[1].split()[0]


def _cpu_s(pid: str) -> float:
    # Its own, and that of its children that it has waited for.
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
