"""What is wrong with a foreign file."""

from blockyard._core import FileError

# The part of a value that fits into a message's line.
_SHOWN = 40


class ForeignError(FileError):
    """Another program's file cannot be read; has the place, if any, and what was expected."""

    def __init__(self, place: object, problem: str) -> None:
        super().__init__(f"{place}: {problem}" if place else problem)


def unexpected(place: object, value: object, expected: str) -> ForeignError:
    """Return the error for an unexpected value."""
    shown = value.decode(errors="replace") if isinstance(value, bytes) else value
    text = repr(shown)
    if len(text) > _SHOWN:
        text = text[:_SHOWN] + "…"
    return ForeignError(place, f"{text}; expected {expected}")
