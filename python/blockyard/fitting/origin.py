"""On what a run was made."""

from blockyard._core import FileError
from blockyard.runs.run import Run
from blockyard.text.formatting import duration
from blockyard.types.result import LostEvents

_OPS = ("read", "write")
_MODELLED = {"simulate": "was simulated", "emulate": "was emulated"}


def devices(run: Run) -> dict[str, str]:
    """The devices that a run read or wrote, and the device or file that each of them was.

    Raises FileError if one of them was no storage at all.
    """
    machine = run.result.get("machine")
    places: dict[str, str] = {}
    for target in machine["targets"] if machine else []:
        if target["kind"] == "null":
            raise FileError(f"{run.path or run.name}: {target['device']} was null:, no storage")
        places[target["device"]] = target.get("block_device") or target["path"]
    used = [total for total in run.result["totals"] if total["op"] in _OPS and total["ios"]]
    return {total["device"]: places.get(total["device"], "") for total in used}


def notes(run: Run) -> list[str]:
    """What a reader must know of where a run comes from."""
    how = _MODELLED.get(run.result["mode"])
    said = [f"{run.path or run.name} {how}: its profile is a model's own"] if how else []
    if spans := lost(run):
        events = sum(span["events"] for span in spans)
        from_s, to_s = spans[0]["from_s"], spans[-1]["to_s"]
        said.append(
            f"{run.path or run.name} lost {events:,} events between {duration(from_s)} and "
            f"{duration(to_s)}: what went on then is left out"
        )
    return said


def lost(run: Run) -> list[LostEvents]:
    """When IOs were not recorded, in the order of time."""
    observed = run.result.get("observed")
    return observed.get("lost", []) if observed else []


def mixes_empty_writes(run: Run, device: str | None = None) -> bool:
    """Whether writes, of a device, may be such as only ask for a flush and are not told apart.

    So it is where an observation has no more than sums of an interval.
    """
    observed = run.result.get("observed")
    return bool(observed) and any(
        total["op"] == "flush" and total["ios"] and device in (None, total["device"])
        for total in run.result["totals"]
    )
