"""A process that has loaded everything, and carries out commands in forks of itself.

A short command spends most of its time importing modules. A fork has them already; apart from
that, it is a process like any other.
"""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

# Each message asks for a command: its arguments, folder and environment, with the files for
# its input and outputs. The replies are the process's number and, at the end, its status.
_PROGRAM = """
import io, json, os, signal, socket, sys
import matplotlib.figure, matplotlib.backends.backend_agg, matplotlib.backends.backend_svg
import pyarrow.parquet, rich.live, rich.table
from blockyard import cli
from blockyard.cli import bench, catalog, compare, emulate, export, import_, report, schema
from blockyard.cli import simulate, steer

def carry_out(order, files):
    for number, file in enumerate(files):
        os.dup2(file, number)
    for file in [asked.fileno(), *files]:
        os.close(file)
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["environment"])
    sys.argv = ["blockyard", *order["arguments"]]
    sys.stdin = open(0, encoding="utf-8", closefd=False)
    sys.stdout, sys.stderr = (
        io.TextIOWrapper(open(number, "wb", closefd=False), encoding="utf-8",
                         line_buffering=number == 2, errors=errors)
        for number, errors in ((1, "strict"), (2, "backslashreplace"))
    )
    try:
        cli.main()
    except SystemExit as end:
        status = end.code or 0
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)

asked = socket.socket(fileno=os.dup(0))
while True:
    order, files, _, _ = socket.recv_fds(asked, 1 << 20, 3)
    if not order:
        break
    child = os.fork()
    if child == 0:
        try:
            carry_out(json.loads(order), files)
        finally:
            os._exit(70)
    for file in files:
        os.close(file)
    asked.send(json.dumps(child).encode())
    _, status = os.waitpid(child, 0)
    asked.send(json.dumps(os.waitstatus_to_exitcode(status)).encode())
"""


class Nursery:
    """Carries out `blockyard` commands, one after the other."""

    def __init__(self) -> None:
        self._orders, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with other:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM],
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
