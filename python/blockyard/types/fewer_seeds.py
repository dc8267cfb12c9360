"""Why a comparison has fewer seeds than could be.

Made by scripts/door_types.py from schemas/fewer-seeds.schema.json, the schema of the Rust type
`Fewer`, which says what each key means.
"""

from typing import Literal, TypedDict


class LongerFewer(TypedDict):
    """More would take longer than is affordable."""

    why: Literal["longer"]


class TooLongFewer(TypedDict):
    """Even the fewest would; so nothing was simulated."""

    why: Literal["too_long"]
    ios: int


class OtherFiguresFewer(TypedDict):
    """With its own seed the run of this side has other figures, as by another version."""

    why: Literal["other_figures"]
    side: int


# Why a comparison has fewer seeds than could be.
Fewer = LongerFewer | TooLongFewer | OtherFiguresFewer
