"""A change of a layout in words."""

from blockyard.text.limit_names import host, possessive
from blockyard.types.facts import LimitId
from blockyard.types.what_if import Amount, Change, NodeChange, Row, SettingChange, TypeChange

_UNITS: dict[Amount, str] = {"iops": "IOPS", "size": "GiB", "throughput": "MiB/s"}


def change(row: Row) -> str:
    """A change in words, or those made together: `data: 6 volumes for 5; instance: r6i.large ...`.

    What is of one owner stands behind its name once.
    """
    said: dict[str, list[str]] = {}
    for own in (row["change"], *row["also"]):
        said.setdefault(_owner(own), []).append(_what(own))
    return "; ".join(f"{whose}: {', '.join(what)}" for whose, what in said.items())


def _owner(own: Change) -> str:
    match own["kind"]:
        case "instance":
            return host(own["host"])
        case "journal":
            return f"{possessive(own['job'])} journal alone"
        case "setting" | "node":
            return own["job"]
        case _:
            return own["device"]


def _what(own: Change) -> str:
    match own["kind"]:
        case "volumes":
            striped = ", a stripe" if own["from"] == 1 else ""
            size = f" of {own['size']:,} GiB" if own["size"] else ""
            return f"{_volumes(own['to'])}{size} for {own['from']}{striped}"
        case "iops" | "size" | "throughput":
            each = _each(own["volumes"])
            return f"{own['to']:,} {_UNITS[own['kind']]} for {own['from']:,}{each}"
        case "parts":
            parts = [
                f"{part['place']} {part['to']:,} {_UNITS[part['of']]} "
                f"for {part['from']:,}{_each(part['volumes'])}"
                for part in own["parts"]
            ]
            return ", ".join(parts)
        case "instance":
            return f"{own['to']} for {own['from']}" if own["to"] else "a larger one"
        case "type":
            return f"{_type(own)} for {own['from']}"
        case "journal":
            return "on io2 of its own" if own["apart"] else f"io2 for {own['device']}"
        case "setting":
            return _setting(own)
        case "node":
            return _node(own)


def _volumes(count: int) -> str:
    return f"{count} volume" if count == 1 else f"{count} volumes"


def _each(volumes: int) -> str:
    return f" on each of {volumes}" if volumes > 1 else ""


def _type(own: TypeChange) -> str:
    """A type with what is bought of it: `io2 with 300 IOPS`, `gp2 of 1,000 GiB`."""
    size = f" of {own['size']:,} GiB" if own["size"] else ""
    provisioned = [
        f"{amount:,} {unit}"
        for amount, unit in ((own["iops"], "IOPS"), (own["throughput"], "MiB/s"))
        if amount
    ]
    return f"{own['to']}{size}" + (f" with {', '.join(provisioned)}" if provisioned else "")


def _setting(own: SettingChange) -> str:
    """A setting: `gcache 256MiB for 128MiB`, `failover 6s`, `no semi_sync`."""
    name = own["key"].split(".", 1)[-1].replace(".", " ")
    if own["to"] is None:
        return f"no {name}"
    to = "" if own["to"] == "{}" else f" {own['to']}"
    return f"{name}{to} for {own['from']}" if own["from"] else f"{name}{to}"


def _node(own: NodeChange) -> str:
    where = f", the new one in {own['zone']}" if own["zone"] else ""
    return f"{own['to']} nodes for {own['from']}{where}"


def is_other(own: Change, limit: LimitId) -> bool:
    """Whether a change is of another limit than this one."""
    match own["kind"]:
        case "iops":
            return limit["counts"] != "ios" or limit["device"] != own["device"]
        case "throughput":
            return limit["counts"] != "bytes" or limit["device"] != own["device"]
        case "instance":
            return limit["device"] is not None
        case "volumes" | "size" | "parts":
            return limit["device"] != own["device"]
        case "type" | "journal" | "setting" | "node":
            return False


def is_of(own: Change, limit: LimitId) -> bool:
    """Whether a change is of this limit, and of little else."""
    amounts = ("iops", "throughput", "instance", "volumes", "size", "parts")
    return own["kind"] in amounts and not is_other(own, limit)
