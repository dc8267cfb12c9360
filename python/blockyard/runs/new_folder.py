"""New folders and files: whole or not there at all, and never in place of others.

    with NewFolder(Path("runs/B.080")) as directory:
        (directory.partial / "result.json").write_text(...)
        directory.publish()

A folder is filled beside its final place, in `.NAME.partial-1f0c2a9b`, and renamed when
it is complete. Left without `publish`, it disappears, with the parents made for it.
"""

import contextlib
import errno
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Self


class NewFolder:
    """A folder, such as a run directory, that is being filled.

    Makes the place to fill, and the parents that are missing. Raises
    FileExistsError if `path` is taken, and OSError if it cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.partial = path.parent / f".{path.name}.partial-{os.urandom(4).hex()}"
        self._made: list[Path] = []
        if path.exists() or path.is_symlink():
            said = "exists already; it is not overwritten"
            raise FileExistsError(errno.EEXIST, said, str(path))
        missing = [parent for parent in path.parents if not parent.exists()]
        try:
            for place in [*reversed(missing), self.partial]:
                place.mkdir()
                self._made.append(place)
        except OSError:
            self._discard()
            raise

    def __enter__(self) -> Self:
        """Give the directory to fill."""
        return self

    def publish(self) -> None:
        """Move the filled directory to its place."""
        self.partial.rename(self.path)
        self._made.clear()

    def __exit__(self, *_: object) -> None:
        """Remove what was not published."""
        self._discard()

    def _discard(self) -> None:
        for place in reversed(self._made):
            if place is self.partial:
                shutil.rmtree(place, ignore_errors=True)
            else:
                # Another run may have been put there meanwhile.
                with contextlib.suppress(OSError):
                    place.rmdir()
        self._made.clear()


@contextlib.contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write, which is removed again if that fails.

    Raises FileExistsError if `path` is taken, and OSError if it cannot be written.
    """
    with path.open("xb") as file:
        try:
            yield file
            file.flush()
        except BaseException:
            path.unlink()
            raise
