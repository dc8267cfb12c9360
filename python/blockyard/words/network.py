"""Sentences on mirrors and on the links between hosts."""

from collections.abc import Iterator, Sequence

from blockyard.text.formatting import clock, duration, latency, number
from blockyard.types.facts import Facts, JobHeld, LinkHold
from blockyard.types.result import LinkCause, LinkTotal, MirrorTotal, Result
from blockyard.words.clause import LIMITED, THROTTLED
from blockyard.words.journal_mirrors import journal_mirror
from blockyard.words.phrases import in_bytes, listed, share

# What messages wait for, as it stands in results and in a sentence.
_WAITS: dict[LinkCause, str] = {
    "socket_buffer": "the socket buffer",
    "flow_control": "flow control",
    "processor": "the processor",
    "bandwidth": "the bandwidth",
    "down": "the link to return",
    "loss": "lost packets",
}

# What of a link is raised so that they wait less.
_RAISED: dict[LinkCause, str] = {
    "socket_buffer": "the socket buffer",
    "flow_control": "the water marks of flow control",
    "processor": "the speed of the processors at both ends",
    "bandwidth": "the bandwidth",
    "down": "",
    "loss": "",
}

# How IO is held: of what messages themselves take the time counts as well.
_DOES: dict[LinkCause, str] = {"down": "is", "processor": "goes to", "bandwidth": "goes to"}

_TIMES = {1: "once", 2: "twice"}

_MIB = 1 << 20
# What messages wait for less is not told.
_BRIEF_S = 1e-6


def network(result: Result, facts: Facts | None) -> list[str]:
    """A sentence for each mirror, each direction of a link and each host's packets."""
    limits = facts["limits"] if facts else []
    apart = {limit["limit"]["device"] for limit in limits if limit["limit"]["leg"]}
    return [
        *(
            line
            for mirror in result.get("mirrors", [])
            for line in _mirror(mirror, together=mirror["device"] not in apart)
        ),
        *(line for one in result.get("journal_mirrors", []) for line in journal_mirror(one)),
        *(
            _link(link, result["duration_s"])
            for link in result.get("links", [])
            if link["messages"]
        ),
        *(
            f"Packets take {one['busy_s'] / result['duration_s']:.1%} of one processor of "
            f"{one['host']}"
            + (f", {one['share']:.1%} of all {one['cores']}." if one["share"] is not None else ".")
            for one in result.get("packet_cpu", [])
            if one["busy_s"]
        ),
    ]


def link_named(hold: LinkHold) -> str:
    """`the socket buffer of llt at a`."""
    if hold["cause"] == "down":
        return f"the outage of {hold['link']}"
    return f"{_WAITS[hold['cause']]} of {hold['link']} at {hold['from_host']}"


def link_effect(hold: LinkHold) -> str:
    """What a link does to IO: its own limits throttle, processors and outages do not."""
    return LIMITED if hold["cause"] in ("down", "loss", "processor") else THROTTLED


def of_link(hold: LinkHold) -> str:
    """What can be raised of a link: `the socket buffer of llt`."""
    return f"{_RAISED[hold['cause']]} of {hold['link']}"


def event_named(result: Result, event: int) -> str:
    """`the event at 0:10 (data pauses)`."""
    found = result["events"][event]
    return f"the event at {clock(found['t_s'])} ({found['what']})"


def others_held(result: Result, facts: Facts) -> Iterator[str]:
    """A line for each wait on a link or in an event that is felt, with whose it is."""
    modelled = facts["modelled"]
    if not modelled:
        return
    for hold in modelled["links"]:
        yield f"{_of(hold['jobs'])} {_DOES.get(hold['cause'], 'waits for')} {link_named(hold)}"
    for event in modelled["events"]:
        yield f"{_of(event['jobs'])} is {event_named(result, event['event'])}"


def _of(jobs: Sequence[JobHeld]) -> str:
    """`60% of the latency of writers and 20% of that of readers`."""
    first, *rest = jobs
    said = [f"{share(first['waited'])} of the latency of {first['job']}"]
    said += [f"{share(one['waited'])} of that of {one['job']}" for one in rest]
    return listed(said)


def own_latency(result: Result, job: str) -> str:
    """Whose latency a job has where nothing throttles it."""
    mirrored = {mirror["device"] for mirror in result.get("mirrors", [])}
    its = {total["device"] for total in result["totals"] if total["job"] == job}
    return "the latency of storage and links" if its & mirrored else "the storage's own latency"


def _mirror(mirror: MirrorTotal, *, together: bool) -> Iterator[str]:
    """How a mirror fared; `together` where its limits are told over both legs."""
    risk = mirror["most_at_risk_bytes"]
    what = f"up to {in_bytes(risk)} at risk" if risk else "nothing at risk"
    whole = "; a region that is not up to date counts whole" if risk and _behind(mirror) else ""
    yield f"The mirror {mirror['device']} ends {mirror['state']}, with {what} while it ran{whole}."
    if together:
        yield (
            f"Limits of {mirror['device']} cover both legs together; a write counts on each "
            "leg, a read on one."
        )
    if mirror["failures"]:
        times = _TIMES.get(mirror["failures"]) or f"{mirror['failures']:,} times"
        counted = ", in whole regions" if mirror["lost_bytes"] else ""
        lost = f"{in_bytes(mirror['lost_bytes'])} were" if mirror["lost_bytes"] else "nothing was"
        yield (
            f"A leg of {mirror['device']} was given up {times}; at most {lost} acknowledged "
            f"that the other did not hold{counted}."
        )
    if mirror["resyncs"]:
        took = duration(mirror["resync_s"])
        yield f"To bring it up to date, {in_bytes(mirror['resync_bytes'])} were copied in {took}."


def _behind(mirror: MirrorTotal) -> bool:
    """Whether a leg was ever not up to date."""
    return bool(mirror["failures"]) or mirror["state"] != "in sync"


def _link(link: LinkTotal, duration_s: float) -> str:
    rate = number(link["bytes"] / duration_s / _MIB)
    carried = (
        f"{link['name']} carries {rate} MiB/s from {link['from_host']} to {link['to_host']}, "
        f"{link['utilisation']:.1%} of its bandwidth with headers"
    )
    if again := link["retransmitted"]:
        carried += f", and sends {again:,} of {link['packets']:,} packets again that were lost"
    waits = {cause: link["waited_s"][cause] for cause in _WAITS}
    cause = max(waits, key=lambda cause: waits[cause])
    if waits[cause] <= 0 or not link["messages"]:
        return f"{carried}."
    mean = waits[cause] / link["messages"]
    if mean < _BRIEF_S:
        return f"{carried}."
    return f"{carried}; messages wait {latency(1e6 * mean)} on average for {_WAITS[cause]}."
