"""What would make a run faster, and what would not."""

from collections.abc import Iterator

from blockyard.limit_names import HOST
from blockyard.report.causes import Cause, causes
from blockyard.report.limits import Limit, behind_host, io_bytes, limits
from blockyard.report.words.loops import closed_loops
from blockyard.report.words.phrases import listed, share
from blockyard.report.words.room import Served
from blockyard.report.words.waits import FELT, held_share
from blockyard.run import Run

# A limit with a smaller share of the waiting is not the one to raise first.
_WORTH_RAISING = 0.25
# Limits that differ by less are reached together.
_SAME = 1.02
# A job that takes fewer of the tokens is no cause of others' waiting.
_TAKES = 0.2


def advice(run: Run) -> list[str]:
    """Sentences on the limits of modelled storage; none where limits are not known."""
    if run.result["mode"] not in ("simulate", "emulate"):
        return []
    return [*_raising(run), *closed_loops(run), *_never_held(run)]


def _raising(run: Run) -> Iterator[str]:
    """What raising the limits with most of the waiting would bring."""
    felt = held_share(run) >= FELT
    for cause in causes(run):
        for limit in limits(run, cause.volumes):
            if felt and cause.share >= _WORTH_RAISING and limit.name == cause.name:
                yield _raised(run, cause, limit)
                yield from _takers(cause)


def _raised(run: Run, cause: Cause, limit: Limit) -> str:
    if limit.owner == HOST:
        return (
            f"Raising {limit.name} ({limit.text}), by another instance, would help "
            f"{_waiting(cause)}."
        )
    others = _others(run, cause, limit)
    if not others:
        return f"Raising {limit.name} would help {_waiting(cause)}."
    served = Served(run, cause)
    following = min(others, key=served.room)
    reached = f"{following.name} ({_in_ios(run, following)})"
    if served.room(following) > _SAME * served.room(limit):
        return (
            f"Raising {limit.name} would help {_waiting(cause)}, up to the next limit: {reached}."
        )
    if following.lasting:
        return (
            f"Raising {limit.name} would only use up the burst balance sooner: what lasts is "
            f"{reached}."
        )
    return f"Raising {limit.name} alone would bring little: {reached} is reached as soon."


def _in_ios(run: Run, limit: Limit) -> str:
    """A limit's value; of a device's throughput, also in IOs of their mean size."""
    size = io_bytes(run, limit.owner)
    if limit.unit == "IOPS" or size is None:
        return limit.text
    # Three digits, as of the size: the mean of 8 KiB blocks may be a byte more.
    ios = float(f"{limit.in_iops(size):.3g}")
    return f"{limit.text} or {ios:,.0f} IOs of {size / 1024:.3g} KiB a second"


def _waiting(cause: Cause) -> str:
    return listed([job for job, waited in cause.held_s.items() if waited])


def _others(run: Run, cause: Cause, limit: Limit) -> list[Limit]:
    """The other limits that the IOs which a limit held must pass."""
    opposite = {"read": "write_", "write": "read_"}.get(limit.kind.split("_")[0], "-")
    owners = {limit.owner, HOST} if behind_host(run, limit.owner) else {limit.owner}
    return [
        other
        for other in limits(run, cause.volumes)
        if other != limit and other.owner in owners and not other.kind.startswith(opposite)
    ]


def _takers(cause: Cause) -> Iterator[str]:
    """Jobs that make others wait by taking much of what there is."""
    for job, took in cause.took.items():
        others = [other for other, waited in cause.held_s.items() if waited and other != job]
        if took >= _TAKES and others:
            yield (
                f"Less IO of {job} would help {listed(others)}: it took {share(took)} of the "
                f"tokens of {cause.name} that IOs waited for."
            )


def _never_held(run: Run) -> Iterator[str]:
    """The limits that nothing waited for."""
    waited_for = {cause.name for cause in causes(run)}
    used = {total["device"] for total in run.result["totals"] if total["ios"]} | {HOST}
    idle = [
        f"{limit.name} ({limit.text})"
        for limit in limits(run)
        if limit.owner in used and limit.name not in waited_for
    ]
    if idle:
        raising = "raising it" if len(idle) == 1 else "raising these"
        yield f"No IO waited for {listed(idle)}: {raising} alone would change nothing."
