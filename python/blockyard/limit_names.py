"""Limits in words: `data IOPS`, `instance throughput`, `data IOPS baseline`.

What a limit is stands in the fields of a `LimitId`; the names that results, tables and
`steer` have for limits are read in Rust, by the module `limit_names`.
"""

from blockyard.facts import LimitId

COUNTED = {"ios": "IOPS", "bytes": "throughput"}
_ONE_WAY = {"both": "", "reads": "read", "writes": "write"}
# What a result calls credits is, once they are used up, the baseline at which they come.
_BASELINE = "baseline"


def in_words(limit: LimitId) -> str:
    """A limit of a device or of the host: `data read IOPS`, `instance throughput`."""
    return _joined(
        "instance" if limit["device"] is None else limit["device"],
        _ONE_WAY[limit["applies"]],
        COUNTED[limit["counts"]],
        _BASELINE if limit["credits"] else "",
    )


def qualifier(limit: LimitId) -> str:
    """What is left to say of a limit where its unit is said: nothing, `baseline`, `reads`."""
    return _joined(
        "" if limit["applies"] == "both" else limit["applies"],
        _BASELINE if limit["credits"] else "",
    )


def _joined(*parts: str) -> str:
    return " ".join(filter(None, parts))
