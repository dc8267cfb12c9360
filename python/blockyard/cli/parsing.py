"""How the words of a command line are parsed.

typer would load pydantic for this, which takes longer than most commands. The commands take
only words, paths, whole numbers and choices, and lists of them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_origin

import typer

_Parser = Callable[[Any], Any]


@dataclass(frozen=True)
class _Parsing:
    """Replaces typer's own parser, which is made from a parameter's type when it is used."""

    parse: _Parser

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        several = param.multiple or param.nargs == -1
        if value is None:
            return () if several else None
        try:
            return [self.parse(one) for one in value] if several else self.parse(value)
        except ValueError as error:
            raise typer.BadParameter(str(error), ctx=ctx, param=param) from error


def quickly(command: Any) -> Any:
    """Return the command, with its words parsed without pydantic."""
    for parameter in command.params:
        _parse_quickly(parameter)
    # typer makes this option when it is first requested, in each place from its names.
    make_help_option = command.get_help_option
    command.get_help_option = lambda context: _parse_quickly(make_help_option(context))
    for below in getattr(command, "commands", {}).values():
        quickly(below)
    return command


def _parse_quickly(parameter: Any) -> Any:
    described = getattr(parameter, "type_descriptor", None)
    # Other versions of typer do this differently, and by themselves.
    if described is not None:
        info = described.parameter_info
        parameter._runtime_param = _Parsing(_parser(described.annotation, info.min, info.max))
    return parameter


def _parser(kind: Any, least: float | None, most: float | None) -> _Parser:
    inner = [one for one in get_args(kind) if one is not NoneType]
    if get_origin(kind) is not None and len(inner) == 1:
        return _parser(inner[0], least, most)
    if kind is int:
        return lambda word: _whole(word, least, most)
    if kind is float:
        return _decimal
    if issubclass(kind, Enum):
        return lambda word: _choice(kind, word)
    if kind is Path:
        return _path
    if kind in (str, bool):
        parse: _Parser = kind
        return parse
    raise TypeError(f"a parameter of the type {kind}")


def _whole(word: object, least: float | None, most: float | None) -> int:
    bounds = f"from {least} to {most}" if most is not None else f"from {least} on"
    wrong = f"`{word}`; expected a whole number" + ("" if least is None else f" {bounds}")
    try:
        number = int(str(word))
    except ValueError:
        raise ValueError(wrong) from None
    if (least is not None and number < least) or (most is not None and number > most):
        raise ValueError(wrong)
    return number


def _path(word: str | Path) -> Path:
    # As a path it would be this folder.
    if word == "":
        raise ValueError("empty; expected a path")
    return Path(word)


def _decimal(word: object) -> float:
    try:
        return float(str(word))
    except ValueError:
        raise ValueError(f"`{word}`; expected a number") from None


def _choice(kind: type[Enum], word: object) -> Enum:
    try:
        return kind(word)
    except ValueError:
        choices = ", ".join(repr(one.value) for one in kind)
        raise ValueError(f"{word!r} is not one of {choices}") from None
