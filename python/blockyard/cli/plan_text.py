"""A plan as text: what to buy, its cost and headroom, and why alternatives were rejected."""

import json
import textwrap
from collections.abc import Iterator

from blockyard import _core
from blockyard.types.plan import Answer

# What is folded has lines of at least so many columns.
_NARROWEST = 40


def lines(answer: Answer, width: int, *, explain: bool) -> Iterator[str]:
    """The lines, folded to `width` columns but for what stands in columns."""
    for text, indent in _core.plan_lines(json.dumps(answer), explain=explain):
        if indent is None:
            yield text
            continue
        yield from textwrap.wrap(
            text,
            max(_NARROWEST, width),
            subsequent_indent=" " * indent,
            break_on_hyphens=False,
        )
