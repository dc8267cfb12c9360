"""What happened to the storage or the jobs while they ran, and what it did to their IO."""

from blockyard.text.formatting import clock, duration
from blockyard.types.result import Event, EventEffect, Result
from blockyard.words.outages import parts
from blockyard.words.phrases import counted, listed


def happened(result: Result) -> list[str]:
    """Each event with what it did: `at 0:20: data pauses until 0:30: 2,017 IOPS before, …`."""
    return [
        f"at {clock(event['t_s'])}: {event['what']}{_until(event)}{_did(event)}{_parts(event)}"
        for event in result.get("events", [])
    ]


def failures(result: Result) -> str:
    """`2,399 IOs failed (data fails at 0:05 until 0:20)`; empty where none did."""
    failed = sum(total["errors"] for total in result["totals"])
    if not failed:
        return ""
    causes = [
        f"{event['what']} at {clock(event['t_s'])}{_until(event)}"
        for event in result.get("events", [])
        if (effect := event.get("effect")) and effect["failed_ios"]
    ]
    return f"{counted(failed, 'IO')} failed{f' ({listed(causes)})' if causes else ''}"


def _until(event: Event) -> str:
    until = event.get("until_s")
    if until is None:
        return ""
    return f"{', optimised' if event.get('kind') == 'modify' else ''} until {clock(until)}"


def _parts(event: Event) -> str:
    """What an outage of a cluster consisted of, after a semicolon."""
    outage = event.get("outage")
    return f"; {parts(outage)}" if outage else ""


def _did(event: Event) -> str:
    """What an event did, after a colon; nothing of what was done from outside."""
    effect = event.get("effect")
    if effect is None:
        return ""
    said = [*_rates(event, effect)]
    if effect["failed_ios"]:
        said.append(f"{effect['failed_ios']:,} IOs failed")
    # Of a cluster it follows with its parts.
    if effect["outage_s"] and not event.get("outage"):
        said.append(f"{duration(effect['outage_s'])} without IO")
    if effect["recovered_s"]:
        said.append(f"recovered within {duration(effect['recovered_s'])}")
    return f": {'; '.join(said)}" if said else ""


def _rates(event: Event, effect: EventEffect) -> list[str]:
    """The rates of IO around an event, as one part of a sentence."""
    lasts = "meanwhile" if event.get("until_s") is not None else "from then on"
    rates = {
        "before": effect["iops_before"],
        lasts: effect["iops_during"],
        "after": effect["iops_after"],
    }
    known = [(rate, when) for when, rate in rates.items() if rate is not None]
    said = [
        f"{rate:,.0f}{'' if place else ' IOPS'} {when}" for place, (rate, when) in enumerate(known)
    ]
    return [", ".join(said)] if said else []
