"""Mirrors and the links between hosts: how they fared, and what went over them."""

from collections.abc import Iterator

from blockyard.facts import Facts, LinkCause, LinkHold
from blockyard.formatting import duration, latency, number
from blockyard.report.words.journal_mirrors import journal_mirror
from blockyard.report.words.phrases import in_bytes, share
from blockyard.result import LinkTotal, MirrorTotal, Result

# What messages wait for, as it stands in results and in a sentence.
_WAITS: dict[LinkCause, str] = {
    "socket_buffer": "room in the socket buffer",
    "flow_control": "flow control",
    "processor": "the processor",
    "bandwidth": "the bandwidth",
    "down": "the return",
}

_MIB = 1 << 20

# What messages wait for less is not told.
_BRIEF_S = 1e-6


def network(result: Result) -> list[str]:
    """A sentence for each mirror, each direction of a link and each host's packets."""
    return [
        *(line for mirror in result.get("mirrors", []) for line in _mirror(mirror)),
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


def held_by_link(result: Result, facts: Facts, job: str) -> LinkHold | None:
    """What a job on a mirror waited for most on its links, if that is felt."""
    # Reads go over a link where the far leg serves any.
    far_reads = {mirror["device"]: mirror["reads"][1] > 0 for mirror in result.get("mirrors", [])}
    crosses = any(
        total["op"] != "read" or far_reads[total["device"]]
        for total in result["totals"]
        if total["job"] == job and total["device"] in far_reads
    )
    holds = facts["modelled"]["links"] if facts["modelled"] else []
    return holds[0] if holds and crosses else None


def link_named(hold: LinkHold) -> str:
    """`room in the socket buffer of llt at a`."""
    return f"{_WAITS[hold['cause']]} of {hold['link']} at {hold['from_host']}"


def links_held(facts: Facts) -> Iterator[str]:
    """A line for each wait on a link that is felt."""
    for hold in facts["modelled"]["links"] if facts["modelled"] else []:
        yield f"mirrors wait for {link_named(hold)}: {share(hold['waited'])} of their latency"


def own_latency(result: Result, job: str) -> str:
    """Whose latency it is that a job has where nothing holds it back."""
    mirrored = {mirror["device"] for mirror in result.get("mirrors", [])}
    its = {total["device"] for total in result["totals"] if total["job"] == job}
    return "the latency of storage and links" if its & mirrored else "the storage's own latency"


def _mirror(mirror: MirrorTotal) -> Iterator[str]:
    risk = mirror["most_at_risk_bytes"]
    what = f"up to {in_bytes(risk)} at risk" if risk else "nothing at risk"
    yield f"The mirror {mirror['device']} ends {mirror['state']}, with {what} while it ran."
    yield (
        f"Limits of {mirror['device']} are told for both legs together; a write counts on each "
        "leg, a read on one."
    )
    if mirror["failures"]:
        times = "once" if mirror["failures"] == 1 else f"{mirror['failures']:,} times"
        lost = f"{in_bytes(mirror['lost_bytes'])} were" if mirror["lost_bytes"] else "nothing was"
        yield (
            f"A leg of {mirror['device']} was given up {times}; at most {lost} acknowledged "
            "that the other did not hold."
        )
    if mirror["resyncs"]:
        took = duration(mirror["resync_s"])
        yield f"To bring it up to date, {in_bytes(mirror['resync_bytes'])} were copied in {took}."


def _link(link: LinkTotal, duration_s: float) -> str:
    rate = number(link["bytes"] / duration_s / _MIB)
    carried = (
        f"{link['name']} carries {rate} MiB/s from {link['from_host']} to {link['to_host']}, "
        f"{link['utilisation']:.1%} of its bandwidth with headers"
    )
    waits = {cause: link["waited_s"][cause] for cause in _WAITS}
    cause = max(waits, key=lambda cause: waits[cause])
    if waits[cause] <= 0 or not link["messages"]:
        return f"{carried}."
    mean = waits[cause] / link["messages"]
    if mean < _BRIEF_S:
        return f"{carried}."
    return f"{carried}; messages wait {latency(1e6 * mean)} on average for {_WAITS[cause]}."
