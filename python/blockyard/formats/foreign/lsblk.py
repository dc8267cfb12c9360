"""How a machine's block devices lie on each other, as `lsblk --json` says."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from blockyard.formats.foreign.error import ForeignError
from blockyard.formats.foreign.tree import Node
from blockyard.text import files

# Where a machine's own files are mounted, not a database's.
_SYSTEM = ("/", "[SWAP]")
_SYSTEM_FOLDERS = ("/boot", "/efi", "/usr", "/snap")
# Deeper than any layers of devices.
_DEEPEST = 32


@dataclass
class Device:
    """A device of the machine; it has several parents if it lies on several disks."""

    name: str
    parents: set[str] = field(default_factory=set)
    mounted: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Layers:
    """All devices, by name."""

    devices: dict[str, Device]
    # Other names of them: those of the kernel, of the device mapper and of sar.
    also: dict[str, str]

    def known(self, name: str) -> str | None:
        """The name in `devices` of what a file calls `name`."""
        return self.also.get(name)

    def disks(self, name: str) -> frozenset[str]:
        """The disks that a device lies on; a disk lies on itself."""
        below = {name}
        while further := {up for one in below for up in self.devices[one].parents} - below:
            below |= further
        return frozenset(one for one in below if not self.devices[one].parents)

    def above(self, name: str) -> set[str]:
        """All devices that lie on a device."""
        above = {name}
        while (
            further := {other for other, device in self.devices.items() if device.parents & above}
            - above
        ):
            above |= further
        return above - {name}

    def is_system(self, disks: Iterable[str]) -> bool:
        """Whether `/` is on these disks, and nothing but the machine's own files."""
        mounted = {
            place
            for disk in disks
            for name in {disk, *self.above(disk)}
            for place in self.devices[name].mounted
        }
        return "/" in mounted and all(
            place in _SYSTEM or place.startswith(_SYSTEM_FOLDERS) for place in mounted
        )


def read(path: Path) -> Layers:
    """Read the output of `lsblk --json`. Raises ForeignError if it is something else."""
    try:
        root = Node(json.loads(files.text(path, files.WRITTEN, errors="replace")), path)
    except (ValueError, RecursionError) as error:
        raise ForeignError(path, "no JSON; expected the output of `lsblk --json`") from error
    if not root.has("blockdevices"):
        raise ForeignError(path, "no blockdevices; expected the output of `lsblk --json`")
    layers = Layers({}, {})
    for node in root.get("blockdevices").items():
        _add(layers, node, None, 0)
    return layers


def _add(layers: Layers, node: Node, parent: str | None, depth: int) -> None:
    if depth > _DEEPEST:
        raise ForeignError(node.place, "devices in more layers than any machine has")
    name = node.get("name").text()
    device = layers.devices.setdefault(name, Device(name))
    if parent is not None:
        device.parents.add(parent)
    device.mounted.update(_mounted(node))
    for other in _names(node):
        layers.also.setdefault(other, name)
    if node.has("children"):
        for child in node.get("children").items():
            _add(layers, child, name, depth + 1)


def _mounted(node: Node) -> Iterator[str]:
    if node.has("mountpoint") and node.get("mountpoint").value:
        yield node.get("mountpoint").text()
    if node.has("mountpoints"):
        yield from (place.text() for place in node.get("mountpoints").items() if place.value)


def _names(node: Node) -> Iterator[str]:
    yield node.get("name").text()
    if node.has("kname") and node.get("kname").value:
        yield node.get("kname").text()
    if node.has("maj:min") and node.get("maj:min").value:
        major, _, minor = node.get("maj:min").text().strip().partition(":")
        yield f"dev{major}-{minor}"
        kind = node.get("type").value if node.has("type") else None
        if kind in ("lvm", "crypt", "mpath", "dm"):
            yield f"dm-{minor}"
