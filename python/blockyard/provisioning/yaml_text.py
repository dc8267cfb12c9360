"""YAML as CloudFormation templates are written: plain words where they are safe, else quoted."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

# Words that every version of YAML reads as strings, unless they are among those below.
_WORD = re.compile(r"[A-Za-z/][A-Za-z0-9_./-]*(?:::?[A-Za-z0-9]+)*(?: [A-Za-z0-9_./-]+)*")
_OTHERS = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}

# From how many characters on the arguments of a function stand on lines of their own.
_WIDE = 70


@dataclass(frozen=True)
class Call:
    """A function of the template in its short form, such as `!Ref InstanceId`."""

    name: str
    of: "str | Sequence[Node]"


Node = str | int | bool | Call | Mapping[str, "Node"] | Sequence["Node"]


def written(tree: Mapping[str, Node], indent: int = 0) -> str:
    """A mapping, each of its keys on a line."""
    return "".join(
        f"{' ' * indent}{scalar(name)}:{_below(node, indent)}" for name, node in tree.items()
    )


def _below(node: Node, indent: int) -> str:
    match node:
        case Call(name, str() as of):
            return f" !{name} {scalar(of)}\n"
        case Call(name, of) if len(_flow(of)) < _WIDE:
            return f" !{name} {_flow(of)}\n"
        case Call(name, of):
            return f" !{name}\n" + "".join(_item(item, indent + 2) for item in of)
        case str() | bool() | int():
            return f" {scalar(node)}\n"
        case Mapping():
            return "\n" + written(node, indent + 2)
        case _:
            return "\n" + "".join(_item(item, indent + 2) for item in node)


def _item(node: Node, indent: int) -> str:
    """An item of a list; the first key of a mapping stands on the line of its dash."""
    if isinstance(node, Mapping):
        return f"{' ' * indent}- {written(node, indent + 2).lstrip(' ')}"
    if isinstance(node, Sequence) and not isinstance(node, str):
        inner = "".join(_item(item, indent + 2) for item in node)
        return f"{' ' * indent}- {inner.lstrip(' ')}"
    return f"{' ' * indent}-{_below(node, indent)}"


def _flow(nodes: "Sequence[Node]") -> str:
    return "[" + ", ".join(_in_flow(node) for node in nodes) + "]"


def _in_flow(node: Node) -> str:
    match node:
        case Call(name, str() as of):
            return f"!{name} {scalar(of)}"
        case Call(name, of):
            return f"!{name} {_flow(of)}"
        case str() | bool() | int():
            return scalar(node)
        case Mapping():
            raise TypeError("a mapping in a list in brackets")
        case _:
            return _flow(node)


def scalar(of: str | int | bool) -> str:
    """A string, number or truth value, on one line."""
    if not isinstance(of, str):
        return json.dumps(of)
    if _WORD.fullmatch(of) and of.lower() not in _OTHERS:
        return of
    letters = json.dumps(of, ensure_ascii=False)
    return "".join(
        letter if letter.isprintable() else f"\\U{ord(letter):08x}" for letter in letters
    )
