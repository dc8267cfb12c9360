"""File systems of a test: made, mounted, and unmounted whatever happens."""

import contextlib
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from databases import programs


@contextlib.contextmanager
def workspace() -> Iterator[Path]:
    """A folder that any user can pass through, with a name short enough for sockets.

    pytest's own folders are closed to other users.
    """
    folder = Path(tempfile.mkdtemp(prefix="db-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def make(device: str) -> None:
    """Make an empty xfs on a device.

    Its log is small and nothing is trimmed, so that it takes no time on slow devices.
    """
    programs.run("mkfs.xfs", "-q", "-f", "-K", "-l", "size=64m", device)


@contextlib.contextmanager
def mounted(device: str, folder: Path) -> Iterator[Path]:
    """Mount a device's file system on `folder`, which is made if need be.

    What is in it belongs to whom it belonged to. Raises RuntimeError where mount fails.
    """
    folder.mkdir(exist_ok=True)
    programs.run("mount", "-t", "xfs", device, folder)
    try:
        yield folder
    finally:
        _unmount(folder)


def _unmount(folder: Path) -> None:
    # Processes of a killed server may take a moment to end.
    for _ in range(50):
        with contextlib.suppress(RuntimeError):
            programs.run("umount", folder)
            return
        time.sleep(0.1)
    # Whatever still uses it after a failure must not keep the device busy.
    programs.run("umount", "--lazy", folder)


def copy(source: Path, to: Path) -> None:
    """Copy a folder with its owners, and have it reach the device."""
    programs.run("cp", "-a", source, to)
    programs.run("sync", "--file-system", to)
