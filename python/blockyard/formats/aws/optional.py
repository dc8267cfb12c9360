"""Values that AWS and Terraform leave out, or write as null, where there are none."""

from blockyard.formats.foreign.tree import Node

# Larger is no volume: EBS has up to 64 TiB, RDS up to 256.
_MOST_GIB = 1 << 20


def text(node: Node, key: str) -> str:
    """The text of a key; empty where there is none. Raises ForeignError for anything else."""
    if not node.has(key) or node.get(key).value is None:
        return ""
    return node.get(key).text()


def count(node: Node, key: str) -> int | None:
    """A whole number, where one is stated: 0 stands for none too. Raises ForeignError."""
    if not node.has(key) or node.get(key).value is None:
        return None
    return node.get(key).whole() or None


def size(node: Node) -> int:
    """A size in GiB. Raises ForeignError."""
    found = node.whole()
    if not 0 < found <= _MOST_GIB:
        raise node.unexpected("a size in GiB")
    return found
