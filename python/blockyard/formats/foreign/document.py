"""JSON documents in another program's file."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from blockyard.formats.foreign.error import ForeignError
from blockyard.formats.foreign.tree import Node
from blockyard.text import files

_BEGIN = re.compile(r"^\{", re.MULTILINE)


def documents(path: Path) -> Iterator[Node]:
    """Yield the objects that begin a line; text between them, such as warnings, is skipped.

    Raises ForeignError for an object that does not end, and OSError.
    """
    text = files.text(path, files.MADE, errors="replace")
    decoder = json.JSONDecoder()
    place = 0
    while found := _BEGIN.search(text, place):
        try:
            value, place = decoder.raw_decode(text, found.start())
        except json.JSONDecodeError as error:
            where = f"{path}:{error.lineno}:{error.colno}"
            ended = not text[error.pos :].strip()
            raise ForeignError(
                where, "the file ends within its JSON" if ended else error.msg
            ) from error
        except (RecursionError, ValueError) as error:
            # Nested too deeply, or an integer with thousands of digits.
            raise ForeignError(path, f"no JSON: {error}") from error
        yield Node(value, path)
