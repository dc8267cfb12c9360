"""Hashes of files, to tell whether something that was once found to hold can have changed."""

import hashlib
import subprocess
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parent.parent


def files(*paths: str) -> list[str]:
    """The files of this tree at `paths`, but those that git ignores."""
    listed = subprocess.run(  # noqa: S603
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *paths],  # noqa: S607
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    return sorted({name for name in listed if (ROOT / name).is_file()})


def hashed(contents: Iterable[tuple[str, bytes]]) -> str:
    """One hash of all contents with their names."""
    whole = hashlib.sha256()
    for name, content in contents:
        whole.update(f"{hashlib.sha256(content).hexdigest()}  {name}\n".encode())
    return whole.hexdigest()


def is_noted(note: Path, found: str) -> bool:
    """Whether `note` has the hash `found`."""
    return note.exists() and note.read_text().strip() == found
