"""What happened to the storage or the jobs while they ran, and what it did to their IO."""

from blockyard.formatting import clock, duration
from blockyard.result import Event, EventEffect, Result


def happened(result: Result) -> list[str]:
    """Each event with what it did: `at 0:20: data pauses until 0:30: 2,017 IOPS before, …`."""
    return [
        f"at {clock(event['t_s'])}: {event['what']}{_until(event)}{_did(event)}"
        for event in result.get("events", [])
    ]


def _until(event: Event) -> str:
    until = event.get("until_s")
    if until is None:
        return ""
    return f"{', optimised' if event.get('kind') == 'modify' else ''} until {clock(until)}"


def _did(event: Event) -> str:
    """What an event did, after a colon; nothing of what was done from outside."""
    effect = event.get("effect")
    if effect is None:
        return ""
    parts = [*_rates(event, effect)]
    if effect["failed_ios"]:
        parts.append(f"{effect['failed_ios']:,} IOs failed")
    if effect["outage_s"]:
        parts.append(f"{duration(effect['outage_s'])} without IO")
    if effect["recovered_s"]:
        parts.append(f"recovered within {duration(effect['recovered_s'])}")
    return f": {'; '.join(parts)}" if parts else ""


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
