"""The process behind `nursery.Nursery`: runs as a program, with a socket as its standard input.

Each message asks for a command: its arguments, folder and environment, with the files for its
input and outputs. The replies are the number of its process and, at the end, its status.
"""

import json
import os
import socket

import matplotlib.backends.backend_agg
import matplotlib.backends.backend_svg
import matplotlib.figure

from blockyard.cli import (
    catalog,
    compare,
    export,
    import_,
    report,
    schema,
    simulate,
    steer,
)
from forked import become

__all__ = [
    "catalog", "compare", "export", "import_", "matplotlib", "report", "schema",
    "simulate", "steer",
]  # fmt: skip


def carry_out(asked: socket.socket, message: bytes, files: list[int]) -> None:
    """In a fork: be the command that `message` asks for."""
    order = json.loads(message)
    for number, file in enumerate(files):
        os.dup2(file, number)
    for file in [asked.fileno(), *files]:
        os.close(file)
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["environment"])
    become(order["arguments"])


def main() -> None:
    """Carry out what is asked for, until nobody can ask any more."""
    asked = socket.socket(fileno=os.dup(0))
    while True:
        message, files, _, _ = socket.recv_fds(asked, 1 << 20, 3)
        if not message:
            return
        child = os.fork()
        if child == 0:
            try:
                carry_out(asked, message, files)
            finally:
                os._exit(70)
        for file in files:
            os.close(file)
        asked.send(json.dumps(child).encode())
        _, status = os.waitpid(child, 0)
        asked.send(json.dumps(os.waitstatus_to_exitcode(status)).encode())


if __name__ == "__main__":
    main()
