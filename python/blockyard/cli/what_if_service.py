"""What a change does to the service of jobs, in words."""

from collections.abc import Iterator

from blockyard.text.formatting import duration, number, size
from blockyard.types.capacity import Service
from blockyard.types.what_if import Gained, OfJob

# What is not told of a job that had all of it.
_FULL: Service = {"outage_s": 0.0, "errors": 0, "lost": 0, "lost_bytes": 0}


def moved(before: list[OfJob], after: list[Gained]) -> Iterator[str]:
    """Of each job whose service moves: `outage 12 s → 6 s`, `5 → 0 lost`."""
    several = len(before) > 1
    for old, new in zip(before, after, strict=True):
        if new["service_moves"]:
            whose = f"{old['job']}: " if several else ""
            yield from (whose + part for part in _parts(old, new))


def _parts(before: OfJob, after: Gained) -> Iterator[str]:
    old, new = before.get("service") or _FULL, after.get("service") or _FULL
    said = _outage(old["outage_s"]), _outage(new["outage_s"])
    if said[0] != said[1]:
        yield f"outage {said[0]} → {said[1]}"
    if _fails_by(before, after) != 0:
        failed = "failed or refused" if before["transactions"] else "failed"
        yield f"{number(old['errors'])} → {number(new['errors'])} {failed}"
    if old["lost"] != new["lost"]:
        yield f"{number(old['lost'])} → {number(new['lost'])} lost"
    if old["lost_bytes"] != new["lost_bytes"]:
        yield f"{size(old['lost_bytes'])} → {size(new['lost_bytes'])} lost"


def _outage(length_s: float) -> str:
    """Its length; a shorter one than a second is not counted."""
    return duration(length_s) if length_s else "under 1 s"


def fails_less(before: OfJob, after: Gained) -> bool:
    """Whether less of a job fails, by more than chance."""
    return after["service_moves"] and _fails_by(before, after) < 0


def _fails_by(before: OfJob, after: Gained) -> int:
    """How many more fail; 0 where their share moves the other way.

    Of a loop that is served faster more fails in the same time, and a smaller share.
    """
    old, new = _failed(before), _failed(after)
    shares = [count / max(job["per_s"], 1e-3) for count, job in ((old, before), (new, after))]
    return new - old if (new > old) == (shares[1] > shares[0]) else 0


def _failed(job: OfJob | Gained) -> int:
    return (job.get("service") or _FULL)["errors"]
