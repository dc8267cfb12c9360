"""Mirrors of journals: whether commits had to wait, what was at risk, how far members were."""

from collections.abc import Iterator

from blockyard.text.formatting import clock, duration
from blockyard.types.result import JournalMirrorTotal, MirrorMemberTotal
from blockyard.words.phrases import in_bytes

# How the backup is at the end of a run.
_ENDS = {
    "active": "active",
    "disconnected": "not active: it is out of contact",
    "catching_up": "not active yet: it is catching up",
    "primary": "primary",
}

# Shorter times by which a member is behind are those of what is just under way.
_BRIEF_S = 1.0


def journal_mirror(mirror: JournalMirrorTotal) -> Iterator[str]:
    """A sentence on the commits, one on the backup, and one for each member that is behind."""
    job, backup = mirror["job"], mirror["members"][0]
    if mirror["pauses"]:
        yield _paused(mirror)
    risk = mirror["most_at_risk_bytes"]
    what = f"up to {in_bytes(risk)} of committed journal at risk" if risk else "nothing at risk"
    ends = _ENDS[mirror["backup"]]
    yield f"The backup of {job}, {backup['host']}, ends {ends}, with {what} while it ran."
    for member in mirror["members"]:
        yield from _behind(job, member)


def _paused(mirror: JournalMirrorTotal) -> str:
    """For how long nothing was committed, and why."""
    job, paused, trouble = mirror["job"], mirror["paused_s"], mirror["trouble_s"]
    times = "" if mirror["pauses"] == 1 else f" in {mirror['pauses']:,} pauses"
    said = f"No update of {job} was committed for {duration(paused)}{times}: "
    stages = [stage["to"] for stage in mirror["transitions"]]
    if "taken_over" in stages:
        at = {stage["to"]: stage["t_s"] for stage in mirror["transitions"]}
        ready = (
            f"and was ready at {clock(at['ready'])}" if "ready" in at else "and is still replaying"
        )
        return (
            f"{said}its host lost both backup and arbiter; the backup took over at "
            f"{clock(at['taken_over'])} {ready}."
        )
    if stages and stages[-1] == "trouble":
        return (
            f"{said}the primary is in trouble to the end, as it reaches neither backup nor "
            "arbiter and the backup may have taken over."
        )
    if "trouble" not in stages:
        return f"{said}it waited for a backup that was in contact again before it was given up."
    if trouble <= 0:
        return f"{said}that long it took until the backup had lost active status."
    waited = duration(max(paused - trouble, 0.0))
    return (
        f"{said}{waited} until the backup had lost active status, and {duration(trouble)} in "
        "trouble."
    )


def _behind(job: str, member: MirrorMemberTotal) -> Iterator[str]:
    """How far a member was behind, if that was for long."""
    host = member["host"]
    if member["role"] == "asynchronous" and member["most_lag_s"] >= _BRIEF_S:
        yield (
            f"The journal of {job} at {host} lags by up to {duration(member['most_lag_s'])}, "
            f"{in_bytes(member['most_lag_bytes'])}."
        )
    if member["most_backlog_s"] >= _BRIEF_S:
        left = (
            f"{in_bytes(member['backlog_bytes'])} are left at the end"
            if member["backlog_s"] >= _BRIEF_S
            else "at the end it has caught up"
        )
        yield (
            f"Dejournaling of {job} at {host} is behind by up to "
            f"{duration(member['most_backlog_s'])}, {in_bytes(member['most_backlog_bytes'])}; "
            f"{left}."
        )
