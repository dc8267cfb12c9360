"""What limits are called: `OWNER.LIMIT` in data and commands, and in words.

The Rust module `limit_names` makes the names: `data.0.iops`, `host.iops_credits`; beside the
name of its volume a limit of its own is only `iops`. People read `data IOPS` and `instance
IOPS baseline`.
"""

import re

# What results call the owner of an instance's limits.
HOST = "host"

_WORDS = {
    "iops": "IOPS",
    # What a result calls credits is, once they are used up, the baseline at which they come.
    "credits": "baseline",
}


def in_words(owner: str, limit: str) -> str:
    """A limit of a device or of the host: `data IOPS baseline`, `instance throughput`."""
    return f"{'instance' if owner == HOST else owner} {kind_in_words(limit)}"


def kind_in_words(limit: str) -> str:
    """A limit without its owner: `IOPS`, `IOPS baseline`, `read IOPS`."""
    return " ".join(_WORDS.get(part, part) for part in limit.split("_"))


def qualifier(limit: str) -> str:
    """What is left to say of a limit where its unit is said: nothing, `baseline`, `reads`."""
    parts = [part for part in limit.split("_") if part not in ("iops", "throughput")]
    return " ".join(_WORDS.get(part, f"{part}s") for part in parts)


def of_row(volume: str, name: str) -> tuple[str, str]:
    """Owner and limit of a name that stands beside a volume's: `iops`, `host.iops`."""
    owner, dot, limit = name.partition(".")
    return (owner, limit) if dot else (volume, name)


def is_credits(limit: str) -> bool:
    """Whether a limit is the rate at which credits flow in, all that is left without them."""
    return limit.endswith("_credits")


def is_one_way(limit: str) -> bool:
    """Whether a limit is for reads or for writes alone."""
    return limit.startswith(("read_", "write_"))


def device_of(volume: str) -> str:
    """The device of a volume, `data` of `data.1`; the host itself."""
    return re.sub(r"(\.\d+)+$", "", volume)


def renamed(name: str) -> str:
    """The name of a limit that runs of before 0.1.0 called `host iops credits`."""
    return name.replace(f"{HOST} ", f"{HOST}.").replace(" ", "_")
