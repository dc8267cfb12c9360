"""For how long a side of a comparison does what it did: burst credits end."""

from collections.abc import Sequence
from typing import Literal, TypedDict

from blockyard._core import ALIKE
from blockyard.runs.run import Run
from blockyard.text.formatting import duration, number
from blockyard.text.limit_names import counted, owner
from blockyard.types.facts import Credits, Facts, LimitId, RateUnit


class Ends(TypedDict):
    """The burst credits of a side that end first."""

    # Whose baseline is left then.
    limit: LimitId
    # How many seconds they last at the side's load; 0 if they were used up.
    lasts_s: float
    # What is left then, with its unit.
    then: tuple[float, RateUnit] | None
    # What the side did of that with credits, in the same unit; None where it has used them up.
    of: float | None


def of(side: Sequence[Run]) -> Ends | None:
    """What ends first in any run of a side; None where all of it lasts, or nobody knows."""
    found = [ends for run in side if run.facts for ends in _ending(run.facts)]
    return min(found, key=lambda ends: ends["lasts_s"], default=None)


def _ending(facts: Facts) -> list[Ends]:
    from blockyard.words.balances import running_out

    return [_ends(facts, balance) for balance in running_out(facts)]


def _ends(facts: Facts, balance: Credits) -> Ends:
    limit, lasts_s = balance["limit"], balance["last_s"] or 0.0
    whole = next((one for one in facts["limits"] if one["limit"] == limit), None)
    then, used = balance["then"], whole and whole["used"]
    # Of some of a device's volumes it is not known what they did.
    every = whole is not None and then is not None and whole["value"] == then[0]
    known = used is not None and every and lasts_s > 0
    return Ends(
        limit=limit, lasts_s=lasts_s, then=then, of=used["mean"] if known and used else None
    )


def against(first: Ends | None, other: Ends | None) -> Literal["better", "worse", "alike"] | None:
    """Whether what the other side does lasts longer than what the first does, or leaves more.

    None where both last.
    """
    if first is None or other is None:
        return None if first is other else "better" if first else "worse"
    gains = [
        theirs / ours - 1
        for ours, theirs in ((_left(first), _left(other)), (first["lasts_s"], other["lasts_s"]))
        if ours and theirs
    ]
    for gain in gains:
        if abs(gain) > ALIKE:
            return "better" if gain > 0 else "worse"
    if (first["lasts_s"] > 0) != (other["lasts_s"] > 0):
        return "better" if other["lasts_s"] else "worse"
    return "alike"


def _left(ends: Ends) -> float | None:
    """What is left, as a share of what is done with credits."""
    return ends["then"][0] / ends["of"] if ends["then"] and ends["of"] else None


def briefly(ends: Ends) -> str:
    """`2 h 7 min, then 300 of 1,000 IOPS`."""
    return f"{duration(ends['lasts_s'])}, then {_then(ends)}"


def what(*ending: Ends | None) -> str:
    """What of two sides does not last on one: `sustained IOPS`."""
    limits = [ends["limit"] for ends in ending if ends]
    return f"sustained {counted(limits[0])}"


def clause(name: str, ends: Ends) -> str:
    """What a side does on credits, to go on after what it did."""
    if ends["lasts_s"]:
        return f"{name} keeps this up for {briefly(ends)}"
    return f"{name} has used up its burst credits, which leaves {_then(ends)}"


def note(ends: Ends) -> str:
    """What to keep in mind of a side."""
    whose = owner(ends["limit"])
    if not ends["lasts_s"]:
        return f"the burst credits of {whose} were used up, which leaves {_then(ends)}"
    return f"lives on the burst credits of {whose}: at this load they last {briefly(ends)}"


def _then(ends: Ends) -> str:
    from blockyard.words.phrases import amount

    if ends["then"] is None:
        return "the baseline"
    value, unit = ends["then"]
    if ends["of"] is None:
        return amount(ends["then"])
    return f"{number(value)} of {number(ends['of'])} {unit}"
