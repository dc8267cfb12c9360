"""Blockyard as one file, for a machine that lacks it: a wheel, or what runs here.

Both are unpacked there as they are: a machine with the same kind of processor needs no more.
"""

import hashlib
import io
import platform
import zipfile
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from blockyard._core import __version__

# Of the package, what only pages have.
_LEFT_OUT = ("__pycache__", "assets")


class Package:
    """The file, made when it is asked for, and the key that its content alone decides."""

    def __init__(self, wheel: Path | None = None) -> None:
        self._wheel = wheel

    @cached_property
    def key(self) -> str:
        """Where it is unpacked, below `blockyard` of the user's cache there."""
        digest = hashlib.sha256()
        for name, content in self._files():
            digest.update(f"{name}\0{len(content)}\0".encode() + content)
        return f"{__version__}-{digest.hexdigest()[:16]}"

    @cached_property
    def packed(self) -> bytes:
        """Its bytes. Raises OSError if it cannot be read."""
        if self._wheel is not None:
            return self._wheel.read_bytes()
        whole = io.BytesIO()
        with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for name, content in self._files():
                archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
        return whole.getvalue()

    def fits(self, machine: str) -> bool:
        """Whether it is for this kind of processor, as `uname -m` calls it."""
        if self._wheel is not None:
            return self._wheel.stem.endswith(machine)
        return platform.machine() == machine

    def _files(self) -> Iterator[tuple[str, bytes]]:
        if self._wheel is not None:
            yield self._wheel.name, self.packed
            return
        root = Path(__file__).parents[1]
        for path in sorted(root.rglob("*")):
            inside = path.relative_to(root)
            if path.is_file() and not any(part in _LEFT_OUT for part in inside.parts):
                yield f"blockyard/{inside}", path.read_bytes()


def of_wheel(path: Path) -> Package:
    """The package of a wheel.

    Raises ValueError, in one line, if it is none of this version, and OSError.
    """
    if not path.name.startswith(f"blockyard-{__version__}-") or path.suffix != ".whl":
        raise ValueError(f"{path}: not a wheel of blockyard {__version__}, which runs here")
    try:
        with zipfile.ZipFile(path) as file:
            file.getinfo("blockyard/__init__.py")
    except (zipfile.BadZipFile, KeyError) as error:
        raise ValueError(f"{path}: not a wheel: {error}") from error
    return Package(path)
