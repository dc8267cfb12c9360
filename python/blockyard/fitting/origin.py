"""On what a run was made."""

from blockyard._core import FileError
from blockyard.runs.run import Run

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
    return [f"{run.path or run.name} {how}: its profile is a model's own"] if how else []
