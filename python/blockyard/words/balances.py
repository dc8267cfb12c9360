"""Burst balances that fell: how long they last, and what is left then."""

from collections.abc import Iterator

from blockyard.text.formatting import duration
from blockyard.text.limit_names import COUNTED, host, owner, possessive, volumes_of
from blockyard.types.facts import Carrier, Credits, Facts
from blockyard.words.phrases import amount

# What lasts longer is no news.
_LONG_S = 365 * 86_400.0


def balances(facts: Facts) -> Iterator[str]:
    """A sentence for each balance that fell or is used up."""
    for balance in _falling(facts):
        yield _one(facts, balance, balance["last_s"] or 0.0)


def running_out(facts: Facts) -> list[Credits]:
    """The balances that fell or are used up, the one that lasts shortest first."""
    return sorted(_falling(facts), key=lambda balance: balance["last_s"] or 0.0)


def _falling(facts: Facts) -> Iterator[Credits]:
    modelled = facts["modelled"]
    for balance in modelled["credits"] if modelled else []:
        last_s = balance["last_s"]
        if last_s is not None and last_s <= _LONG_S:
            yield balance


def _one(facts: Facts, balance: Credits, last_s: float) -> str:
    whose = _whose(facts, balance)
    then = f"{amount(balance['then'])}" if balance["then"] else "the baseline"
    back_s = balance["back_s"]
    if not last_s:
        until = f" for {duration(back_s)} more" if back_s else ""
        return f"The burst balance of {whose} is used up, which leaves {then}{until}."
    until = ""
    if back_s and last_s < back_s:
        until = f" for {duration(back_s - last_s)}, until it is full again"
    return (
        f"At this rate the burst balance of {whose} lasts {duration(last_s)}, then {then}{until}."
        f"{_carried(balance)}"
    )


def _carried(balance: Credits) -> str:
    """What would carry the load without a burst balance: ` 334 GiB of gp2, or gp3, …`."""
    found = [_carrier(one) for one in balance["carried_by"]]
    return f" Sustained, this load takes {', or '.join(found)}." if found else ""


def _carrier(one: Carrier) -> str:
    """`334 GiB of gp2`, `gp3 with 5,000 IOPS`, `3 volumes of gp3 with 4,000 IOPS each`."""
    amounts = ((one["iops"], "IOPS"), (one["mib_per_s"], "MiB/s"))
    given = [f"{value:,} {unit}" for value, unit in amounts if value is not None]
    size = f"{one['gib']:,} GiB of " if one["gib"] else ""
    several = one["volumes"] > 1
    each = " each" if several and given else ""
    what = f"{size}{one['type']}{' with ' if given else ''}{' and '.join(given)}{each}"
    if not several:
        return what
    return f"{one['volumes']} times {what}" if size else f"{one['volumes']} volumes of {what}"


def _whose(facts: Facts, balance: Credits) -> str:
    """`data`, `data.1`, `2 of 3 volumes of data`, `the instance's IOPS`, `primary's IOPS`."""
    if balance["limit"]["device"] is None:
        whose = possessive(host(balance["limit"]["host"], "the "))
        return f"{whose} {COUNTED[balance['limit']['counts']]}"
    name, every = owner(balance["limit"]), volumes_of(facts, balance["limit"])
    own = len(balance["volumes"])
    if own == every:
        return name
    return balance["volumes"][0] if own == 1 else f"{own} of {every} volumes of {name}"
