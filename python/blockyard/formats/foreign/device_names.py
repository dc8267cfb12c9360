"""What Linux's names of block devices tell of them."""

import re
from collections.abc import Iterable
from enum import Enum, auto


class Kind(Enum):
    """What a device is, as far as its name tells."""

    DISK = auto()
    # Of a disk, whose IO has that of the partition.
    PARTITION = auto()
    # Device-mapper, RAID, and whatever has a name of its own: it lies on other devices.
    MAPPED = auto()
    # Memory, or a file on another device.
    NO_STORAGE = auto()
    # Names that only have numbers, as sar's `dev259-0`: an NVMe disk or a partition.
    PART_OR_DISK = auto()
    # As sar's `dev253-0`: mapped, or a virtual disk.
    UNKNOWN = auto()


_PARTITION = re.compile(
    r"((?:nvme\d+n\d+|mmcblk\d+|md\d+|loop\d+|nbd\d+|rbd\d+|cciss[!/]c\d+d\d+)(?=p\d+$)|"
    r"(?:sd|vd|xvd|hd)[a-z]+(?=\d+$)).*"
)
_NO_STORAGE = re.compile(r"(?:loop|ram|zram|sr|fd|scd)\d+|nvme\d+c\d+n\d+")
_DISK = re.compile(
    r"(?:sd|vd|xvd|hd|dasd)[a-z]+|nvme\d+n\d+|mmcblk\d+|(?:nbd|rbd|drbd|pmem)\d+|"
    r"(?:emcpower|fio|rssd)[a-z]+|cciss[!/]c\d+d\d+"
)
_NUMBERED = re.compile(r"dev(\d+)-(\d+)")
# Majors whose devices are known: SCSI and Xen disks, with 16 minors each, and others.
_SCSI_MAJORS, _XEN = [8, *range(65, 72), *range(128, 136)], 202
_SCSI = {*_SCSI_MAJORS, _XEN}
_MEMORY, _RAID, _NVME = {1, 2, 7, 11}, 9, 259
# Majors whose devices are called by their minor.
_NUMBERS = {1: "ram", 7: "loop", _RAID: "md"}


def plain(name: str) -> str:
    """The name without what yaspe's database says of it: `dm-2 (database, WIJ)`."""
    return name.split(" ", 1)[0]


def kind(name: str) -> Kind:
    """What the device `name` is."""
    if numbered := _NUMBERED.fullmatch(name):
        major, minor = int(numbered[1]), int(numbered[2])
        if major in _SCSI:
            return Kind.PARTITION if minor % 16 else Kind.DISK
        if major in _MEMORY:
            return Kind.NO_STORAGE
        return {_RAID: Kind.MAPPED, _NVME: Kind.PART_OR_DISK}.get(major, Kind.UNKNOWN)
    if _NO_STORAGE.fullmatch(name):
        return Kind.NO_STORAGE
    if _DISK.fullmatch(name):
        return Kind.DISK
    return Kind.PARTITION if _PARTITION.fullmatch(name) else Kind.MAPPED


def of_number(major: int, minor: int) -> str:
    """What Linux calls the device of a number, or sar if that is not the same everywhere."""
    if major in _NUMBERS:
        return f"{_NUMBERS[major]}{minor}"
    if major not in _SCSI:
        return f"dev{major}-{minor}"
    disk = 16 * _SCSI_MAJORS.index(major) + minor // 16 if major != _XEN else minor // 16
    letters = ""
    while disk >= 0:
        disk, letter = divmod(disk, 26)
        letters = chr(ord("a") + letter) + letters
        disk -= 1
    return f"{'xvd' if major == _XEN else 'sd'}{letters}{minor % 16 or ''}"


def in_scenario(devices: Iterable[str]) -> dict[str, str]:
    """By the name that a device has in a scenario: what it is called, with letters that may be.

    Traces of the kernel number devices: 8:16 is sdb everywhere, the name of others is not known.
    """
    places: dict[str, str] = {}
    for device in devices:
        name = re.sub(r"[^\w-]+", "-", device)
        if numbers := re.fullmatch(r"(\d+):(\d+)", device):
            name = of_number(int(numbers[1]), int(numbers[2]))
        while name in places:
            name += "-"
        places[name] = device
    return places


def disk_of(partition: str) -> str:
    """The name of a partition's disk."""
    if numbered := _NUMBERED.fullmatch(partition):
        minor = int(numbered[2])
        return f"dev{numbered[1]}-{minor - minor % 16}"
    found = _PARTITION.fullmatch(partition)
    return found[1] if found else partition


def order(name: str) -> list[tuple[int, str]]:
    """A key that sorts nvme10n1 behind nvme9n1."""
    return [
        (int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)
    ]
