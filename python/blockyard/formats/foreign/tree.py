"""Another program's JSON, read step by step, so that errors name the place."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blockyard.formats.foreign.error import ForeignError, unexpected

# No program counted to a larger integer than this.
_MOST = 2**53


@dataclass(frozen=True)
class Node:
    """A value and its place. Every method raises ForeignError if the value does not fit."""

    value: Any
    file: Path
    path: str = ""

    def has(self, key: str) -> bool:
        """Whether this is an object with that key."""
        return isinstance(self.value, dict) and key in self.value

    def get(self, key: str) -> "Node":
        """Return the value of a key."""
        if not isinstance(self.value, dict):
            raise self.unexpected("an object")
        if key not in self.value:
            raise ForeignError(self.place, f"no {key}")
        return self._at(key, self.value[key])

    def members(self) -> Iterator[tuple[str, "Node"]]:
        """Yield the keys of an object with their values."""
        if not isinstance(self.value, dict):
            raise self.unexpected("an object")
        for key, value in self.value.items():
            yield key, self._at(key, value)

    def items(self) -> Iterator["Node"]:
        """Yield the items of a list."""
        if not isinstance(self.value, list):
            raise self.unexpected("a list")
        for index, value in enumerate(self.value):
            yield Node(value, self.file, f"{self.path}[{index}]")

    def number(self) -> float:
        """Return a number of at least 0."""
        value = self.value
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.unexpected("a number")
        if not (0 <= value < _MOST and math.isfinite(value)):
            raise self.unexpected("a number of at least 0")
        return float(value)

    def whole(self) -> int:
        """Return a whole number of at least 0."""
        if self.number() % 1:
            raise self.unexpected("a whole number")
        return int(self.value)

    def text(self) -> str:
        """Return a text."""
        if not isinstance(self.value, str):
            raise self.unexpected("a text")
        return self.value

    def unexpected(self, expected: str) -> ForeignError:
        """Return the error for this value, which is not as expected."""
        return unexpected(self.place, self.value, expected)

    def _at(self, key: str, value: object) -> "Node":
        return Node(value, self.file, f"{self.path}.{key}" if self.path else key)

    @property
    def place(self) -> str:
        """Return the file, and where in it this value is."""
        return f"{self.file}: {self.path}" if self.path else str(self.file)
