"""What is wrong with a foreign file."""

from blockyard._core import FileError

# Values are shown as far as a line of a message has room for them.
_SHOWN = 40


class ForeignError(FileError):
    """A file of another program that cannot be read, with the place and what was expected."""

    def __init__(self, place: object, problem: str) -> None:
        super().__init__(f"{place}: {problem}")


def unexpected(place: object, value: object, expected: str) -> ForeignError:
    """Return the error of a value that is not as expected."""
    shown = value.decode(errors="replace") if isinstance(value, bytes) else value
    text = repr(shown)
    if len(text) > _SHOWN:
        text = text[:_SHOWN] + "…"
    return ForeignError(place, f"{text}; expected {expected}")
