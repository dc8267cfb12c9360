"""A change of a layout in words."""

from blockyard.text.limit_names import host, possessive
from blockyard.types.facts import LimitId
from blockyard.types.what_if import Amount, Change, Row, TypeChange

_UNITS: dict[Amount, str] = {"iops": "IOPS", "size": "GiB", "throughput": "MiB/s"}


def change(row: Row) -> str:
    """A change in words: `data: 6 volumes for 5`."""
    own = row["change"]
    match own["kind"]:
        case "volumes":
            striped = ", a stripe" if own["from"] == 1 else ""
            return f"{own['device']}: {own['to']} volumes for {own['from']}{striped}"
        case "iops" | "size" | "throughput":
            each = _each(own["volumes"])
            return f"{own['device']}: {own['to']:,} {_UNITS[own['kind']]} for {own['from']:,}{each}"
        case "parts":
            parts = [
                f"{part['place']} {part['to']:,} {_UNITS[part['of']]} "
                f"for {part['from']:,}{_each(part['volumes'])}"
                for part in own["parts"]
            ]
            return f"{own['device']}: {', '.join(parts)}"
        case "instance":
            name = host(own["host"])
            return (
                f"{name}: {own['to']} for {own['from']}" if own["to"] else f"{name}: a larger one"
            )
        case "type":
            return f"{own['device']}: {_type(own)} for {own['from']}"
        case "journal":
            place = "on io2 of its own" if own["apart"] else f"io2 for {own['device']}"
            return f"{possessive(own['job'])} journal alone: {place}"


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
        case "type" | "journal":
            return False
