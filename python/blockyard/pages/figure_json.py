"""The figures of a page as JSON, which its script reads."""

import dataclasses
import json
import math
from collections.abc import Callable, Sequence
from typing import Any

from blockyard.pages.figure import Bar, Figure, Lines, Plot, Series

# Measured values are shown to three digits. Places along an axis keep more: a second of
# a week, the fifth nine of a percentile.
_MEASURED = "{:.5g}".format
_PLACE = "{:.9g}".format


def of(figures: Sequence[Figure]) -> str:
    """The figures as JSON that can stand in a script element, a line a figure.

    Places that several `Lines` share are written once.
    """
    places: dict[tuple[float, ...], int] = {}
    written = [_figure(figure, places) for figure in figures]
    listed = [_json(at) for at in places]
    text = f'{{"places":{_lines(listed)},\n"figures":{_lines(written)}}}'
    # Nothing may end the element around it.
    return text.replace("<", "\\u003c")


def _lines(items: Sequence[str]) -> str:
    return "[\n" + ",\n".join(items) + "\n]"


def _figure(figure: Figure, places: dict[tuple[float, ...], int]) -> str:
    fields = {name: _json(getattr(figure, name)) for name in ("name", "title", "caption")}
    return _object({**fields, "plot": _plot(figure.plot, places)})


def _plot(plot: Plot, places: dict[tuple[float, ...], int]) -> str:
    fields = {"kind": _json(type(plot).__name__), **_fields(plot, without="at")}
    if isinstance(plot, Lines):
        fields["at"] = _json(places.setdefault(tuple(plot.at), len(places)))
    return _object(fields)


def _fields(value: Any, without: str = "") -> dict[str, str]:
    """Of a dataclass."""
    number = _MEASURED if isinstance(value, Series | Bar) else _PLACE
    names = (field.name for field in dataclasses.fields(value))
    return {name: _json(getattr(value, name), number) for name in names if name != without}


def _json(value: Any, number: Callable[[float], str] = _PLACE) -> str:
    """JSON, where `number` writes floats; what is no number is a gap."""
    if isinstance(value, float):
        return number(value) if math.isfinite(value) else "null"
    if value is None or isinstance(value, str | int):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Sequence):
        return f"[{','.join([_json(item, number) for item in value])}]"
    return _object(_fields(value))


def _object(fields: dict[str, str]) -> str:
    return f"{{{','.join(f'{json.dumps(name)}:{text}' for name, text in fields.items())}}}"
