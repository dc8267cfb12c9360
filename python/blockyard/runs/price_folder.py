"""Where imported prices are: what the environment names, else the user's data folder.

Every command that prices finds them here. A folder has a file for each region and day, as
`blockyard prices import` writes them; of each region the newest counts.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from blockyard._core import FileError
from blockyard.text import files

VARIABLE = "BLOCKYARD_PRICES"
# `us-west-2.2026-10-06.yaml`.
_NAME = re.compile(r"(?P<region>[a-z0-9-]+)\.(?P<day>\d{4}-\d\d-\d\d)\.yaml")
_START = "prices:\n"


def place() -> Path:
    """The file or folder of imported prices, which need not be there."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named)
    data = os.environ.get("XDG_DATA_HOME")
    return Path(data or "~/.local/share").expanduser() / "blockyard" / "prices"


def imported() -> tuple[str, str] | None:
    """The text of all imported prices and its name; None if there are none.

    Raises FileError for a file that was not imported, or a place that was named and is not there,
    and OSError for what cannot be read.
    """
    where = place()
    if where.is_file():
        return files.text(where, files.WRITTEN), str(where)
    if not where.is_dir():
        if os.environ.get(VARIABLE):
            raise FileError(f"{VARIABLE}: {where} is not there; expected a price file or a folder")
        return None
    newest = _newest(where)
    bodies = [_body(path) for path in newest]
    return (_START + "".join(bodies), str(where)) if bodies else None


def write(texts: Mapping[str, str], published: str, folder: Path) -> list[Path]:
    """Store a price file for each region: all of them or, if one cannot be written, none.

    One of the same region and day is replaced. Raises OSError if they cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = {}
    try:
        for region, text in texts.items():
            partial = folder / f".{region}.partial-{os.urandom(4).hex()}"
            written[partial] = folder / f"{region}.{published}.yaml"
            partial.write_text(text, encoding="utf-8")
        for partial, path in written.items():
            partial.replace(path)
    finally:
        for partial in written:
            partial.unlink(missing_ok=True)
    return list(written.values())


def _newest(folder: Path) -> list[Path]:
    """The newest file of each region, by region."""
    newest: dict[str, Path] = {}
    for path in sorted(folder.glob("[!.]*.yaml")):
        found = _NAME.fullmatch(path.name)
        if found is None:
            raise FileError(
                f"{path}: not a name of `blockyard prices import`, as us-west-2.2026-10-06.yaml; "
                f"name your own price files with --price-file or {VARIABLE}"
            )
        newest[found["region"]] = path
    return list(newest.values())


def _body(path: Path) -> str:
    """The sheets of a file."""
    text = files.text(path, files.WRITTEN)
    if not text.startswith(_START):
        raise FileError(f"{path}: expected a file that `blockyard prices import` wrote")
    return text.removeprefix(_START)
