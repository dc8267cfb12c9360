"""Text that is safe in what is written, whatever a scenario's name says."""

from blockyard import _core


def comment(*paragraphs: str, mark: str = "#") -> str:
    """Paragraphs as comment lines of at most 100 columns; one with a first blank is kept as is."""
    return _core.comment(paragraphs, mark)


def counted(amount: int, what: str) -> str:
    """An amount of things: `1 volume`, `5 volumes`."""
    return f"{amount} {what}" if amount == 1 else f"{amount} {what}s"
