"""SSH servers on this machine, each of which stands for a host, and a client's configuration.

A listener of this process starts an sshd for each connection, as inetd would. So no port is
picked that somebody else could take, and nothing listens once the process is gone.
"""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from machine_watchdog import SYSTEM, VARIABLE

_PATH = f"{os.environ['PATH']}:{SYSTEM}"

# Where sshd's unprivileged part lives, which a service would have made.
_EMPTY = Path("/run/sshd")

# In the environment of what a host runs: its folder and name, as others have hosts of that name.
_NAME = "BLOCKYARD_HOST"


@dataclass
class Hosts:
    """Hosts by their names."""

    folder: Path
    ports: dict[str, int] = field(default_factory=dict)

    @property
    def ssh(self) -> str:
        """The command that reaches them by their names."""
        return f"ssh -F {self.folder / 'config'}"

    def kill(self, name: str, by: int = signal.SIGKILL) -> None:
        """Kill what a host runs for whoever is connected, or stop it, but not the connection."""
        for place in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                environment = (place / "environ").read_bytes().split(b"\0")
                if f"{_NAME}={self.folder}/{name}".encode() in environment:
                    os.kill(int(place.name), by)


@contextlib.contextmanager
def hosts(folder: Path, environments: Mapping[str, Mapping[str, str]]) -> Iterator[Hosts]:
    """Hosts with these names, and variables of what they run."""
    missing = [name for name in ("ssh", "sshd", "ssh-keygen") if not shutil.which(name, path=_PATH)]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    if os.geteuid() == 0:
        _EMPTY.mkdir(exist_ok=True)
    folder.mkdir()
    for key in ("host", "user"):
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / key)]
        subprocess.run(words, check=True)
    found = Hosts(folder)
    with contextlib.ExitStack() as stack:
        for name, variables in environments.items():
            (folder / f"sshd-{name}").write_text(_server(folder, name, variables))
            found.ports[name] = stack.enter_context(_listening(folder, name))
        (folder / "config").write_text(_client(found))
        yield found


def _server(folder: Path, name: str, variables: Mapping[str, str]) -> str:
    everything = {**variables, _NAME: f"{folder}/{name}", VARIABLE: os.environ.get(VARIABLE, "")}
    own = " ".join(f'"{key}={value}"' for key, value in everything.items())
    return f"""\
HostKey {folder}/host
AuthorizedKeysFile {folder}/user.pub
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
SetEnv {own}
"""


def _client(found: Hosts) -> str:
    common = f"""\
Host *
  HostName 127.0.0.1
  IdentityFile {found.folder}/user
  IdentitiesOnly yes
  UserKnownHostsFile {found.folder}/known
  StrictHostKeyChecking accept-new
  HostKeyAlias test
  LogLevel ERROR
"""
    each = [f"Host {name}\n  Port {port}\n" for name, port in found.ports.items()]
    return "".join([*each, common])


@contextlib.contextmanager
def _listening(folder: Path, name: str) -> Iterator[int]:
    sshd = str(shutil.which("sshd", path=_PATH))
    command = [sshd, "-i", "-e", "-f", str(folder / f"sshd-{name}")]
    with socket.create_server(("127.0.0.1", 0)) as listener, contextlib.ExitStack() as stack:

        def serve() -> None:
            # Until the listener is closed.
            with contextlib.suppress(OSError), (folder / f"log-{name}").open("ab") as log:
                while True:
                    connection, _ = listener.accept()
                    with connection:
                        end = connection.fileno()
                        process = subprocess.Popen(command, stdin=end, stdout=end, stderr=log)
                        stack.callback(_end, process)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield int(listener.getsockname()[1])
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    process.wait()
