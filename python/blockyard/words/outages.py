"""Outages of clusters: what they consisted of."""

from collections.abc import Iterator

from blockyard.text.formatting import clock, duration
from blockyard.text.table import Table
from blockyard.types.result import Event, Outage, OutagePart, Result, StepKind
from blockyard.words.phrases import listed

# What a step is called, and how a sentence goes on after its time.
_STEPS: dict[StepKind, tuple[str, str]] = {
    "detection": ("detection", "until the loss was noticed"),
    "stop": ("stop", "to stop"),
    "no_node": ("no node", "without a node that could take over"),
    "fencing": ("fencing", "of fencing"),
    "detach": ("detach", "to detach the disks"),
    "attach": ("attach", "to attach them"),
    "import": ("import", "to import and mount"),
    "recovery": ("recovery", "of recovery"),
    "start": ("start", "to start"),
}


def outages(result: Result) -> Iterator[Table]:
    """A table with the parts of all outages; events tell of each in a sentence."""
    found = list(_found(result))
    if found:
        rows = [
            [
                f"{event.get('on')} at {clock(event['t_s'])}",
                _STEPS[part["step"]][0],
                clock(part["t_s"]),
                f"{part['length_s']:,.1f}",
                "assumed" if part["assumed"] else "",
            ]
            for event, outage in found
            for part in outage["parts"]
        ]
        columns = ["outage", "part", "from", "seconds", "source"]
        yield Table("Outages by their parts", columns, rows, words=2).without_empty()


def parts(outage: Outage) -> str:
    """`its disks were unavailable for 51 s: 16 s until the loss was noticed, 5 s of fencing`."""
    whole = f"its disks were unavailable for {duration(outage['total_s'])}"
    if not outage["parts"]:
        return "its disks were unavailable for no time"
    each = [f"{duration(part['length_s'])} {_goes_on(part)}" for part in outage["parts"]]
    assumed = [_STEPS[part["step"]][0] for part in outage["parts"] if part["assumed"]]
    rests = f"; assumed: {listed(list(dict.fromkeys(assumed)))}" if assumed else ""
    return f"{whole}: {listed(each)}{rests}"


def in_brief(result: Result) -> str:
    """All outages of a run in a few words: `1 outage of 51 s`; nothing without any."""
    lengths = [outage["total_s"] for _, outage in _found(result)]
    if not lengths:
        return ""
    of = listed([duration(length) for length in lengths])
    many = f"{len(lengths)} outages of" if len(lengths) > 1 else "an outage of"
    return f"{many} {of}"


def _goes_on(part: OutagePart) -> str:
    return _STEPS[part["step"]][1]


def _found(result: Result) -> Iterator[tuple[Event, Outage]]:
    for event in result.get("events", []):
        if outage := event.get("outage"):
            yield event, outage
