"""Commands of `blockyard` in forks of a process that has loaded everything."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any


class Nursery:
    """Carries out `blockyard` commands, one after the other."""

    def __init__(self) -> None:
        self._orders, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with other:
            self._process = subprocess.Popen(
                [sys.executable, Path(__file__).with_name("nursed.py")],
                stdin=other.fileno(),
                # Threads of libraries would not exist in forks.
                env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
            )

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
