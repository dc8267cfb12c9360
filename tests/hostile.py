"""What tests put in place of a part of a file that programs read."""

import json
from typing import Any

from hypothesis import strategies as st

# What stands in files that were torn, or made by other hands.
ODD = [b"", b"-1", b"1e999", b"NaN", b"9" * 30, b"null", b"[]", b"{}", b"\0", b"\n", b'"']

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3), st.just({})
)


def with_a_piece_replaced(text: str, data: st.DataObject) -> bytes:
    """A text with up to 12 bytes of it replaced."""
    content = text.encode()
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, min(len(content), start + 12)))
    piece = data.draw(st.one_of(st.sampled_from(ODD), st.binary(max_size=4)))
    return content[:start] + piece + content[end:]


def with_a_value_replaced(text: str, data: st.DataObject) -> bytes:
    """A JSON text with a value of it, at any depth, replaced."""
    node: Any = json.loads(text)
    tree = node
    place = data.draw(st.sampled_from(_places(node)))
    while isinstance(node[place], dict | list) and node[place] and data.draw(st.booleans()):
        node = node[place]
        place = data.draw(st.sampled_from(_places(node)))
    node[place] = data.draw(SCALARS)
    return json.dumps(tree).encode()


def _places(node: Any) -> list[Any]:
    return list(range(len(node))) if isinstance(node, list) else sorted(node)
