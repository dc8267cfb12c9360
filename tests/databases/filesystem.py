"""File systems of a test, and what is in them."""

import contextlib
import shutil
import tempfile
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


def copy(source: Path, to: Path) -> None:
    """Copy a folder with its owners, and have it reach the device."""
    programs.run("cp", "-a", source, to)
    programs.run("sync", "--file-system", to)
