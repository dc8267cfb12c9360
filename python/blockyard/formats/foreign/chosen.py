"""The devices of a file that count, and what is said of the others."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from blockyard.formats.foreign.device_names import order

_NAMED = 8


@dataclass
class Chosen:
    """The devices that count, and what to know of the others."""

    devices: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def left_out(self, names: Iterable[str], why: str) -> None:
        """Say why devices do not count."""
        if ordered := sorted(names, key=order):
            self.notes.append(f"left out: {listed(ordered)}, {why}")


def listed(names: Sequence[str]) -> str:
    """Some names, and how many more there are."""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
