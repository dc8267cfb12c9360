"""Text that is safe in what is written, whatever a scenario's name says."""

import textwrap


def plain(text: str) -> str:
    """A text on one line, with only what can be printed: what a comment can have."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in text)
    return " ".join(shown.split())


def comment(*paragraphs: str, mark: str = "#") -> str:
    """Paragraphs as comment lines of at most 100 columns; one with a first blank is kept as is."""
    lines: list[str] = []
    for paragraph in paragraphs:
        text = plain(paragraph)
        if paragraph.startswith("  "):
            indent = len(paragraph) - len(paragraph.lstrip(" "))
            lines.append(f" {' ' * indent}{text}")
        else:
            lines += [
                f" {line}" if line else ""
                for line in textwrap.wrap(text, 97, break_long_words=False, break_on_hyphens=False)
                or [""]
            ]
    return "".join(f"{mark}{line}\n" for line in lines)


def counted(amount: int, what: str) -> str:
    """An amount of things: `1 volume`, `5 volumes`."""
    return f"{amount} {what}" if amount == 1 else f"{amount} {what}s"
