"""Parts of sentences."""

import math
from collections.abc import Sequence

from blockyard.runs.steps import load_of
from blockyard.text.formatting import number
from blockyard.types.capacity import MetInSeeds
from blockyard.types.facts import RateUnit
from blockyard.types.result import Result, Step


def named(result: Result) -> frozenset[str]:
    """The names of jobs and devices, which are written as the scenario has them."""
    return frozenset(total[of] for total in result["totals"] for of in ("job", "device"))


def listed(items: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *first, last = items
    return f"{', '.join(first)} and {last}" if first else last


def joined(figures: Sequence[str]) -> str:
    """From one figure to another: `0.53 to 1.33 ms`, `0.53 ms to 1.33 s`, `3,000` of two alike."""
    first, last = figures[0], figures[-1]
    if first == last:
        return first
    (_, *unit), (_, *other) = first.split(), last.split()
    return f"{first.split()[0] if unit == other else first} to {last}"


def loads(steps: Sequence[Step]) -> str:
    """What steps offered: `1 process`, `2 and 4 processes`, `1,000/s and 2,000/s`."""
    if len(steps) > 1 and all(step["rate"] is None for step in steps):
        return f"{listed([str(step['processes']) for step in steps])} processes"
    return listed([load_of(step) for step in steps])


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


def share(part: float) -> str:
    """A share of 0 to 1: in percent, unless it is all, or too little for a figure."""
    if part >= 0.999:
        return "all"
    if part > 0.99:
        return "more than 99%"
    return f"{part:.0%}" if part >= 0.01 else "less than 1%"


def counted(number: int, one: str, many: str = "") -> str:
    """`1 cycle`, `22 cycles`; of another plural `many`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def amount(value: tuple[float, RateUnit]) -> str:
    """A limit's value with its unit: `3,000 IOPS`."""
    return f"{value[0]:,.0f} {value[1]}"


def in_bytes(count: int) -> str:
    """`168 KiB`, `11.4 MiB`; from 10 GiB on in GiB."""
    mib = 1 << 20
    if count >= 10240 * mib:
        return f"{number(count / 1024 / mib)} GiB"
    return f"{number(count / mib)} MiB" if count >= mib else f"{number(count / 1024)} KiB"
