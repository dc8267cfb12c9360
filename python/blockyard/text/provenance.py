"""The provenance of figures of modelled storage, beside the figures.

What is measured or fitted is said once, quietly. What is assumed has a mark in the table, a
line of its own, and is said behind each goal that depends on it.
"""

from collections.abc import Iterator

from blockyard.types.result import GoalOutcome, RestsOn, Result

# Behind the name of what has assumed figures.
MARK = "*"

_OPS = {"read": "reads", "write": "writes"}


def legend(result: Result) -> list[str]:
    """The lines below a table: what the mark means, and the source of unmarked latencies."""
    return [*(f"{MARK} {line}" for line in assumed(result)), *known(result)]


def marked(result: Result) -> set[tuple[str, str]]:
    """The devices and operations that have figures with something assumed behind them."""
    return {(one["device"], one["op"]) for one in _used(result) if _parts(one)}


def assumed(result: Result, *, why: bool = False) -> Iterator[str]:
    """What is assumed, a line for each profile, and for limits with the same assumptions.

    With what the catalog says of the latencies if `why`.
    """
    latencies: dict[tuple[str, str], list[RestsOn]] = {}
    limits: dict[tuple[str, ...], list[str]] = {}
    for one in _used(result):
        if one["latencies"] == "assumed":
            note = f" ({one['note']})" if why and one["note"] else ""
            latencies.setdefault((_profile(one), note), []).append(one)
        if said := one.get("assumed_limits"):
            limits.setdefault(tuple(said), []).append(one["device"])
    for (profile, note), found in latencies.items():
        yield f"assumed, not measured: latencies of {_whose(result, found)}, {profile}{note}"
    notices = result.get("notices", [])
    for reasons, devices in limits.items():
        # What is said of the run as a whole is not said again.
        said = [reason for reason in reasons if reason not in notices] or ["see the note"]
        yield f"assumed: limits of {_listed(devices)}; {'; '.join(said)}"


def known(result: Result) -> Iterator[str]:
    """The source of latencies that are not assumed, a line for each profile."""
    profiles: dict[tuple[str | None, str], list[RestsOn]] = {}
    for one in _used(result):
        if one["latencies"] != "assumed":
            # What is your own may be another on each device.
            own = "" if one.get("profile") else one["device"]
            profiles.setdefault((one.get("profile"), own), []).append(one)
    for found in profiles.values():
        yield f"latencies of {_whose(result, found)}: {_profile(found[0])}{_classes(found)}"


def behind(goal: GoalOutcome) -> str:
    """The assumptions behind a goal's outcome, as the end of a sentence."""
    found = goal.get("assumed", [])
    return f"; depends on assumed {_listed(found)}" if found else ""


def _used(result: Result) -> list[RestsOn]:
    """The entries of what had IO."""
    had = {(total["device"], total["op"]) for total in result["totals"] if total["ios"]}
    return [one for one in result.get("rests_on", []) if (one["device"], one["op"]) in had]


def _parts(one: RestsOn) -> list[str]:
    latencies = ["latencies"] if one["latencies"] == "assumed" else []
    return [*latencies, *(["limits"] if one.get("assumed_limits") else [])]


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


def _classes(found: list[RestsOn]) -> str:
    """`, measured`; `, reads measured, writes fitted`; nothing of one that is yours."""
    classes = {one["latencies"] for one in found}
    if classes == {"yours"}:
        return ""
    if len(classes) == 1:
        return f", {classes.pop()}"
    each = dict.fromkeys(f"{_OPS[one['op']]} {one['latencies']}" for one in found)
    return f", {', '.join(each)}"


def _listed(names: list[str]) -> str:
    """Each once: `a`, `a and b`, `a, b and c`."""
    *first, last = dict.fromkeys(names)
    return f"{', '.join(first)} and {last}" if first else last
