"""What figures of modelled storage rest on that is assumed."""

from collections.abc import Iterator

from blockyard.types.result import RestsOn, Result

_OPS = {"read": "reads", "write": "writes"}


def assumed(result: Result) -> Iterator[str]:
    """What is assumed, a line for each profile, and for limits with the same assumptions."""
    latencies: dict[str, list[RestsOn]] = {}
    limits: dict[tuple[str, ...], list[str]] = {}
    for one in _used(result):
        if one["latencies"] == "assumed":
            latencies.setdefault(_profile(one), []).append(one)
        if said := one.get("assumed_limits"):
            limits.setdefault(tuple(said), []).append(one["device"])
    for profile, found in latencies.items():
        yield f"assumed, not measured: latencies of {_whose(result, found)}, {profile}"
    notices = result.get("notices", [])
    for reasons, devices in limits.items():
        # What is said of the run as a whole is not said again.
        said = [reason for reason in reasons if reason not in notices] or ["see the note"]
        yield f"assumed: limits of {_listed(devices)}; {'; '.join(said)}"


def _used(result: Result) -> list[RestsOn]:
    """The entries of what had IO."""
    had = {(total["device"], total["op"]) for total in result["totals"] if total["ios"]}
    return [one for one in result.get("rests_on", []) if (one["device"], one["op"]) in had]


def _profile(one: RestsOn) -> str:
    profile = one.get("profile")
    return f"profile {profile}" if profile else "your own profile"


def _whose(result: Result, found: list[RestsOn]) -> str:
    """`data`, `data and log`; `reads of data` where its writes have another source."""
    used, ours = ({(one["device"], one["op"]) for one in of} for of in (_used(result), found))
    names = []
    for one in found:
        whole = all((one["device"], op) in ours or (one["device"], op) not in used for op in _OPS)
        names.append(one["device"] if whole else f"{_OPS[one['op']]} of {one['device']}")
    return _listed(names)


def _listed(names: list[str]) -> str:
    """Each once: `a`, `a and b`, `a, b and c`."""
    *first, last = dict.fromkeys(names)
    return f"{', '.join(first)} and {last}" if first else last
