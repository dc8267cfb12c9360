"""What tests do to the machine: each is undone at the end of its block, or by the watchdog.

A test's process can be killed: by a timeout, for want of memory, by Ctrl-C pressed twice. A file
system that it had frozen would then hang whatever comes after it. So nothing here is done before
a process that outlives this one (`machine_watchdog`) has been told how to undo it.
"""

import contextlib
import functools
import json
import os
import signal
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path

from machine_watchdog import SYSTEM, VARIABLE


class Watchdog:
    """The process that undoes what this one leaves behind, and ends what it started."""

    def __init__(self) -> None:
        token = uuid.uuid4().hex
        self._process = subprocess.Popen(
            [sys.executable, Path(__file__).with_name("machine_watchdog.py"), token],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
            env={name: value for name, value in os.environ.items() if name != VARIABLE},
        )
        # What is started from now on is known by it.
        os.environ[VARIABLE] = token
        self._turn = threading.Lock()

    def order(self, what: str, kind: str, subject: str) -> None:
        """Give an order. Raises RuntimeError with what is wrong if it is not carried out."""
        assert self._process.stdin
        assert self._process.stdout
        with self._turn:
            print(json.dumps([what, kind, subject]), file=self._process.stdin, flush=True)
            said = json.loads(self._process.stdout.readline())
        if said:
            raise RuntimeError(f"{kind} {subject}: {said}")

    def close(self) -> None:
        """Have it undo what is left, and end."""
        os.environ.pop(VARIABLE, None)
        self._process.communicate()


@functools.cache
def watchdog() -> Watchdog:
    """The watchdog of this process."""
    return Watchdog()


@contextlib.contextmanager
def undone(kind: str, subject: str | Path) -> Iterator[None]:
    """Undo what the block begins with, at its end or after this process's.

    `kind` is one of `machine_watchdog.UNDO`, and `subject` what it applies to.
    """
    subject = str(subject)
    watchdog().order("keep", kind, subject)
    try:
        yield
    finally:
        watchdog().order("undo", kind, subject)


@contextlib.contextmanager
def loop_device(image: Path, *options: str) -> Iterator[str]:
    """A loop device over an image; `options` are losetup's."""
    with undone("detach", image):
        device = _output("losetup", "--find", "--show", *options, image)
        # Once a file's own mount is gone, nothing tells that the device was over it.
        with undone("detach", device):
            yield device


@contextlib.contextmanager
def mounted(source: str | Path, place: Path, *options: str) -> Iterator[Path]:
    """A file system mounted on `place`, which is made if need be; `options` are mount's."""
    place.mkdir(exist_ok=True)
    with undone("unmount", place):
        _output("mount", *options, source, place)
        yield place


@contextlib.contextmanager
def frozen(place: Path) -> Iterator[None]:
    """A mounted file system that lets no write complete."""
    with undone("thaw", place):
        _output("fsfreeze", "--freeze", place)
        yield


def _output(*command: str | Path) -> str:
    environment = os.environ | {"PATH": f"{os.environ['PATH']}:{SYSTEM}"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]}: status {done.returncode}: {done.stderr or done.stdout}")
    return done.stdout.strip()


def take_signals() -> None:
    """Have every command that is started from now on react to signals as in a terminal.

    One that is started in the background (`nohup`, `&` in a script) inherits that it ignores
    Ctrl-C or hangups. This process goes on ignoring them, by a handler, which none inherits.
    """
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
