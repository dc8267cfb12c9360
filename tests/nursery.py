"""Commands of `blockyard` in forks of a process that has loaded everything."""

import contextlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any


def _started(asked: socket.socket) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, Path(__file__).with_name("nursed.py")],
        stdin=asked.fileno(),
        # Threads of libraries would not exist in forks.
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
    )


@contextlib.contextmanager
def on_a_path(folder: Path) -> Iterator[None]:
    """Have `folder` contain a `blockyard` that a nursery carries out, for any who call it."""
    program = folder / "blockyard"
    text = Path(__file__).with_name("nursling.py").read_text()
    program.write_text(f"#!{sys.executable} -SE\n{text}")
    program.chmod(0o755)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as door:
        door.bind(str(folder / "nursery"))
        door.listen()
        process = _started(door)
    try:
        yield
    finally:
        process.kill()
        process.wait(60)


class Nursery:
    """Carries out `blockyard` commands, one after the other."""

    def __init__(self) -> None:
        self._orders, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with other:
            self._process = _started(other)

    def begin(
        self,
        arguments: Sequence[str],
        folder: Path,
        stdout: IO[Any] | int,
        stderr: IO[Any] | int,
    ) -> int:
        """Start a command; return the number of its process."""
        order = {
            "arguments": list(arguments),
            "folder": str(folder),
            "environment": dict(os.environ),
        }
        with Path(os.devnull).open() as nothing:
            files = [nothing, stdout, stderr]
            numbers = [file if isinstance(file, int) else file.fileno() for file in files]
            socket.send_fds(self._orders, [json.dumps(order).encode()], numbers)
        return self._answer(60)

    def end(self, timeout: float) -> int:
        """Wait until it has ended; return its status, or minus the signal that ended it.

        Raises TimeoutError if it takes longer than `timeout` seconds.
        """
        return self._answer(timeout)

    def _answer(self, timeout: float) -> int:
        self._orders.settimeout(timeout)
        answer = self._orders.recv(100)
        assert answer, "the nursery has ended"
        return int(json.loads(answer))

    def close(self) -> None:
        """End it."""
        self._orders.close()
        self._process.wait(60)
