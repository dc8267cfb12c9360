"""Keeps a database's files out of the page cache, for a server that cannot bypass it itself."""

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path

#: How often, in seconds. At a few thousand reads a second some hundred pages stay that long.
EVERY_S = 0.1

#: Files below this, in bytes, stay: catalogs, which no load on the data would push out.
SMALL = 1 << 20


@contextlib.contextmanager
def uncached(folder: Path) -> Iterator[None]:
    """Have the kernel forget what it caches of a folder's large files, until the block ends.

    Clean pages go; for dirty ones writing begins, as it would at once with direct IO, and they go
    the next time. The page cache of other files, and so other programs, are left alone.
    """
    stop = threading.Event()
    forgetting = threading.Thread(target=_forget, args=(folder, stop))
    forgetting.start()
    try:
        yield
    finally:
        stop.set()
        forgetting.join()


def _forget(folder: Path, stop: threading.Event) -> None:
    with contextlib.ExitStack() as stack:
        opened: dict[Path, int] = {}
        while not stop.is_set():
            for path in _large(folder):
                if path not in opened:
                    opened[path] = os.open(path, os.O_RDONLY)
                    stack.callback(os.close, opened[path])
                os.posix_fadvise(opened[path], 0, 0, os.POSIX_FADV_DONTNEED)
            stop.wait(EVERY_S)


def _large(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        with contextlib.suppress(FileNotFoundError):
            if path.is_file() and path.stat().st_size >= SMALL:
                yield path
