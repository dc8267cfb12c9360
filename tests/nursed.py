"""The process behind `nursery`: runs as a program, with a socket as its standard input.

Each message asks for a command: its arguments, folder and environment, with the files for its
input and outputs. The replies are the number of its process and, at the end, its status.
"""

import contextlib
import gc
import importlib
import json
import os
import pkgutil
import socket
import statistics
import sysconfig

import matplotlib.backends.backend_agg
import matplotlib.backends.backend_svg
import matplotlib.figure
import pyarrow.compute
import pyarrow.csv
import rich.progress

import blockyard
from forked import become

# What commands would import when they need it, each in its fork.
__all__ = ["matplotlib", "pyarrow", "rich", "statistics", "sysconfig"]


def load_all() -> None:
    """Load every module of the package, and leave it to all forks."""
    for module in pkgutil.walk_packages(blockyard.__path__, "blockyard."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    # A fork that collected garbage would look through all of this, and have a copy of it.
    gc.freeze()


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


def carry_out_all(asked: socket.socket) -> None:
    """Carry out what is asked for, until nobody can ask any more."""
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


def answer_all(door: socket.socket) -> None:
    """Carry out what anybody asks for who comes, side by side, without end."""
    while True:
        asked, _ = door.accept()
        with asked:
            if os.fork() == 0:
                door.close()
                try:
                    carry_out_all(asked)
                finally:
                    os._exit(0)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG) != (0, 0):
                pass


def main() -> None:
    """Serve one, or all who come."""
    load_all()
    asked = socket.socket(fileno=os.dup(0))
    if asked.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
        answer_all(asked)
    else:
        carry_out_all(asked)


if __name__ == "__main__":
    main()
