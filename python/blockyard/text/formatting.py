"""Times and figures as people read them: three digits, a unit that fits, no exponent."""

from blockyard._core import (
    clock,
    duration,
    latency,
    number,
    price,
    quantity,
    rate,
    sentence,
    share,
    size,
)

__all__ = [
    "clock",
    "duration",
    "latency",
    "number",
    "price",
    "quantity",
    "rate",
    "sentence",
    "share",
    "size",
]
