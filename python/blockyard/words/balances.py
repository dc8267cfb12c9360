"""Burst balances that fell: how long they last."""

from collections.abc import Iterator

from blockyard.types.facts import Credits, Facts

# What lasts longer is no news.
_LONG_S = 365 * 86_400.0


def running_out(facts: Facts) -> list[Credits]:
    """The balances that fell or are used up, the one that lasts shortest first."""
    return sorted(_falling(facts), key=lambda balance: balance["last_s"] or 0.0)


def _falling(facts: Facts) -> Iterator[Credits]:
    modelled = facts["modelled"]
    for balance in modelled["credits"] if modelled else []:
        last_s = balance["last_s"]
        if last_s is not None and last_s <= _LONG_S:
            yield balance
