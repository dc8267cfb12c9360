"""A saved answer: which of AWS's it is."""

import json
from dataclasses import dataclass
from pathlib import Path

from blockyard.formats.foreign import unsupported_files
from blockyard.formats.foreign.error import ForeignError
from blockyard.formats.foreign.tree import Node
from blockyard.text import files

# The key that tells an answer, and what it is. The last two are whole as they are.
_KINDS = {
    "Volumes": "volumes",
    "Reservations": "instances",
    "DBInstances": "databases",
    "MetricDataResults": "data",
    "MetricDataQueries": "query",
    "Datapoints": "statistics",
    "format_version": "terraform",
}

# Of an error, characters at most.
_QUOTED = 120

_EXPECTED = (
    "expected the answer of describe-volumes, describe-instances, describe-db-instances, "
    "get-metric-data with its query, or get-metric-statistics"
)


@dataclass(frozen=True)
class Answer:
    """An answer, and what it is of: a value of `_KINDS`."""

    kind: str
    node: Node
    # Whether AWS has more than this page.
    goes_on: bool = False


def answer(path: Path) -> Answer:
    """Read a file of JSON.

    Raises ForeignError if it is none of these answers, or ends within one, and OSError.
    """
    try:
        value = json.loads(files.text(path, files.MADE))
    except json.JSONDecodeError as error:
        known = unsupported_files.known_as(path) if error.pos == 0 else None
        place = f"{path}:{error.lineno}:{error.colno}"
        raise ForeignError(place, _unread(known, error)) from error
    except (UnicodeDecodeError, RecursionError, ValueError) as error:
        raise ForeignError(path, f"no JSON: {str(error).splitlines()[0]}; {_EXPECTED}") from error
    node = Node(value, path)
    if isinstance(value, list) and value and all(map(_is_query, value)):
        return Answer("query", node)
    for key, kind in _KINDS.items():
        if node.has(key):
            whole = kind in ("statistics", "terraform")
            return Answer(kind, node if whole else node.get(key), node.has("NextToken"))
    if node.has("Error") or node.has("Errors") or node.has("__type"):
        raise ForeignError(path, f"AWS answered with an error; {_EXPECTED}")
    raise ForeignError(path, f"an answer of another kind; {_EXPECTED}")


def _unread(known: str | None, error: json.JSONDecodeError) -> str:
    first = error.doc.strip().partition("\n")[0]
    if not first:
        return "the file is empty: the command that was to fill it failed; ask AWS again"
    if first.startswith(("An error occurred", "aws: error")):
        return f"no answer, but `{first[:_QUOTED]}`; ask AWS again"
    if known is not None:
        return f"{known}; {_EXPECTED}"
    if not error.doc[error.pos :].strip():
        return "the file ends within its JSON; save the whole answer"
    if error.pos == 0:
        return f"no JSON; {_EXPECTED} with `--output json`"
    return error.msg


def _is_query(value: object) -> bool:
    return isinstance(value, dict) and "Id" in value
