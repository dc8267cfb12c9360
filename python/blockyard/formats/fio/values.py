"""Values of fio's options: sizes, times, numbers, and three values for three directions.

Each function returns the value or raises ValueError, which says what was expected.
"""

import re
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

# By default fio's units that look decimal are binary, and the other way round; `kb_base=1000`
# corrects that.
KB_BASES = {"1024": (1024, 1000), "1000": (1000, 1024)}
PREFIXES = "kmgtp"

# In nanoseconds.
TIMES = {
    "d": 86_400_000_000_000,
    "h": 3_600_000_000_000,
    "m": 60_000_000_000,
    "s": 1_000_000_000,
    "sec": 1_000_000_000,
    "ms": 1_000_000,
    "msec": 1_000_000,
    "us": 1_000,
    "usec": 1_000,
}


def whole(text: str) -> int:
    """Return a whole number, decimal or hexadecimal."""
    if not re.fullmatch(r"\d+|0[xX][0-9a-fA-F]+", text):
        raise ValueError("expected a whole number")
    return int(text, 16 if text[:2] in ("0x", "0X") else 10)


def size(text: str, kb_base: str = "1024") -> int:
    """Return a size in bytes."""
    found = re.fullmatch(r"(0x[0-9a-f]+|\d+)(?:([kmgtp])(i?))?b?", text.lower())
    if not found:
        raise ValueError("expected a whole size such as 4k or 10g")
    number, prefix, other = found.groups()
    base = KB_BASES[kb_base][1 if other else 0]
    return whole(number) * (base ** (PREFIXES.index(prefix) + 1) if prefix else 1)


def time(text: str) -> int:
    """Return a time in nanoseconds; a number without a unit is in seconds."""
    found = re.fullmatch(r"(\d+)([a-z]*)", text.lower())
    if not found or (found[2] or "s") not in TIMES:
        raise ValueError("expected a whole time such as 30, 500ms or 10m")
    return int(found[1]) * TIMES[found[2] or "s"]


def percent(text: str) -> int:
    """Return a whole percentage, written without a percent sign."""
    if not text.isdecimal() or int(text) > 100:
        raise ValueError("expected a whole percentage from 0 to 100")
    return int(text)


def directions(text: str, read: Callable[[str], T], default: T) -> tuple[T, T]:
    """Return the values for reads and for writes from `READ,WRITE,TRIM`.

    A missing value equals the one before it if no comma follows, otherwise `default`.
    """
    parts = text.split(",")
    if len(parts) > 3:
        raise ValueError("expected at most three values, for reads, writes and trims")
    values = [read(part) if part else default for part in parts]
    return values[0], values[1] if len(values) > 1 else values[0]
