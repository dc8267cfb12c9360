"""Mirrors and the links between hosts: how they fared, and what went over them."""

from collections.abc import Iterator

from blockyard.formatting import duration, number
from blockyard.result import LinkTotal, MirrorTotal, Result

# What messages wait for, as it stands in results and in a sentence.
_WAITS = {
    "socket_buffer": "room in the socket buffer",
    "flow_control": "flow control",
    "processor": "the processor",
    "bandwidth": "bandwidth",
    "down": "the link to return",
}

_MIB = 1 << 20


def network(result: Result) -> list[str]:
    """A sentence for each mirror, each direction of a link and each host's packets."""
    return [
        *(line for mirror in result.get("mirrors", []) for line in _mirror(mirror)),
        *(_link(link, result["duration_s"]) for link in result.get("links", [])),
        *(
            f"Packets take {one['busy_s'] / result['duration_s']:.1%} of one processor of "
            f"{one['host']}"
            + (f", {one['share']:.1%} of all {one['cores']}." if one["share"] is not None else ".")
            for one in result.get("packet_cpu", [])
        ),
    ]


def _mirror(mirror: MirrorTotal) -> Iterator[str]:
    risk = mirror["most_at_risk_bytes"]
    what = f"up to {_bytes(risk)} at risk" if risk else "nothing at risk"
    yield f"The mirror {mirror['device']} ends {mirror['state']}, with {what} while it ran."
    if mirror["failures"]:
        times = "once" if mirror["failures"] == 1 else f"{mirror['failures']:,} times"
        lost = f"{_bytes(mirror['lost_bytes'])} were" if mirror["lost_bytes"] else "nothing was"
        yield (
            f"A leg of {mirror['device']} was given up {times}; at most {lost} acknowledged "
            "that the other did not hold."
        )
    if mirror["resyncs"]:
        took = duration(mirror["resync_s"])
        yield f"To bring it up to date, {_bytes(mirror['resync_bytes'])} were copied in {took}."


def _link(link: LinkTotal, duration_s: float) -> str:
    rate = number(link["bytes"] / duration_s / _MIB)
    carried = (
        f"{link['name']} carries {rate} MiB/s from {link['from_host']} to {link['to_host']}, "
        f"{link['utilisation']:.1%} of its bandwidth with headers"
    )
    waits = {cause: float(link["waited_s"][cause]) for cause in _WAITS}  # type: ignore[literal-required]
    cause = max(waits, key=lambda cause: waits[cause])
    if waits[cause] <= 0 or not link["messages"]:
        return f"{carried}."
    mean = waits[cause] / link["messages"]
    return f"{carried}; messages wait {number(1e6 * mean)} µs on average for {_WAITS[cause]}."


def _bytes(count: int) -> str:
    return f"{number(count / _MIB)} MiB" if count >= _MIB else f"{number(count / 1024)} KiB"
