"""Parts of sentences."""

import math
from collections.abc import Sequence

from blockyard.types.capacity import MetInSeeds


def listed(items: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *first, last = items
    return f"{', '.join(first)} and {last}" if first else last


def in_seeds(held: MetInSeeds) -> str:
    """In how many seeds goals hold, and with which probability that is at least."""
    bound = f"{math.floor(1000 * held['at_least']) / 10:g}%"
    return f"{held['met']} of {held['seeds']} seeds (at least {bound} with 95% confidence)"


def throttled(name: str, limits: Sequence[str]) -> str:
    """What the rates of a load say of what was wanted, where limits held it back."""
    return (
        f"{name} was throttled by {listed(limits)}: the rates are what these let through, and "
        "what was wanted is at least that"
    )


def counted(number: int, one: str, many: str = "") -> str:
    """`1 cycle`, `22 cycles`; of another plural `many`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
