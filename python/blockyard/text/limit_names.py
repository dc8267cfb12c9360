"""Limits in words: `data IOPS`, `instance throughput`, `primary's IOPS baseline`.

What a limit is stands in the fields of a `LimitId`; the names that results, tables and
`steer` have for limits are read in Rust, by the module `limit_names`.
"""

from blockyard.types.facts import Facts, LimitId, UsedUp

# What results call the host of a scenario that does not name it.
_UNNAMED = "host"

COUNTED = {"ios": "IOPS", "bytes": "throughput"}
_ONE_WAY = {"both": "", "reads": "read", "writes": "write"}
# What a result calls credits is, once they are used up, the baseline at which they come.
_BASELINE = "baseline"


def in_words(limit: LimitId) -> str:
    """A limit of a device, of a leg or of a host: `data read IOPS`, `data.far IOPS`."""
    if limit["network"]:
        return f"the network of {host(limit['host'], 'the ')} shared with links"
    return _joined(
        owner(limit),
        _ONE_WAY[limit["applies"]],
        COUNTED[limit["counts"]],
        _BASELINE if limit["credits"] else "",
    )


def host(name: str | None, article: str = "") -> str:
    """A host: `instance`, with its article `the instance`, or the name that it has."""
    return f"{article}instance" if name in (None, _UNNAMED) else str(name)


def possessive(noun: str) -> str:
    """`primary's`, `readers'`."""
    return f"{noun}'" if noun.endswith("s") else f"{noun}'s"


def host_by_volume(facts: Facts | None) -> dict[str, str]:
    """The host of each volume: `instance` where it has no name."""
    legs = [leg for device in facts["devices"] for leg in device["legs"]] if facts else []
    return {volume: host(leg["host"]) for leg in legs for volume in leg["volumes"]}


def volumes_of(facts: Facts, limit: LimitId | UsedUp) -> int:
    """How many volumes a limit is of, those of a device or of a leg of it; 0 of a host's."""
    return sum(
        len(leg["volumes"])
        for device in facts["devices"]
        if device["name"] == limit["device"]
        for leg in device["legs"]
        if limit["leg"] in (None, leg["name"])
    )


def qualifier(limit: LimitId) -> str:
    """What is left to say of a limit where its unit is said: nothing, `baseline`, `reads`."""
    return _joined(
        "" if limit["applies"] == "both" else limit["applies"],
        _BASELINE if limit["credits"] else "",
    )


def owner(limit: LimitId | UsedUp) -> str:
    """Whose it is: `data`, of a leg `data.far`, of a host `instance` or `primary's`."""
    if limit["device"] is not None:
        return f"{limit['device']}.{limit['leg']}" if limit["leg"] else limit["device"]
    name = host(limit["host"])
    return name if name == host(None) else possessive(name)


def _joined(*parts: str) -> str:
    return " ".join(filter(None, parts))
