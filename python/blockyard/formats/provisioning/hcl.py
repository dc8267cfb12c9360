"""The few forms of HCL that are written, as `terraform fmt` has them."""

import re
from collections.abc import Mapping

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}

Value = str | int | bool | None


def quoted(text: str) -> str:
    """A string that stands for exactly `text`: no template in it is carried out."""
    letters = "".join(
        _ESCAPES.get(letter) or (letter if letter.isprintable() else _code(letter))
        for letter in text
    )
    # `$${` would stand for `${` too, but not after another `$`.
    return '"' + letters.replace("${", _code("$") + "{").replace("%{", _code("%") + "{") + '"'


def _code(letter: str) -> str:
    code = ord(letter)
    return f"\\U{code:08x}" if code > 0xFFFF else f"\\u{code:04x}"


def value(of: Value) -> str:
    """A value."""
    match of:
        case None:
            return "null"
        case bool():
            return str(of).lower()
        case int():
            return str(of)
        case _:
            return quoted(of)


def key(name: str) -> str:
    """A key of an object."""
    return name if _WORD.fullmatch(name) else quoted(name)


def inline(values: Mapping[str, Value]) -> str:
    """An object on one line."""
    return "{ " + ", ".join(f"{key(name)} = {value(of)}" for name, of in values.items()) + " }"


def aligned(values: Mapping[str, str], indent: int) -> str:
    """Attributes, each on a line, whose values are HCL already."""
    names = {name: key(name) for name in values}
    width = max(map(len, names.values()), default=0)
    blank = " " * indent
    return "".join(f"{blank}{names[name]:{width}} = {of}\n" for name, of in values.items())


def block(head: str, values: Mapping[str, str]) -> str:
    """A block of attributes."""
    return f"{head} {{\n{aligned(values, 2)}}}\n"
