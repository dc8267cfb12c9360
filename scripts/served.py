"""A scenario served as files by another process."""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from blockyard.cli.status import CommandError, Status


@contextlib.contextmanager
def serving(scenario: Path, mount: Path, out: Path) -> Iterator[None]:
    """Serve a scenario's devices as files in a folder while the context is open.

    Raises CommandError, with MachineError's status where FUSE is missing.
    """
    command = ["-m", "blockyard", "emulate", str(scenario), "--as", f"fuse={mount}"]
    service = subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, *command, "--out", str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        if service.stdout is None or not service.stdout.readline():
            _, errors = service.communicate()
            raise CommandError(errors.strip(), Status(service.returncode))
        yield
    finally:
        service.terminate()
        service.communicate()
