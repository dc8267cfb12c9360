"""A shell script that makes file systems of a host's volumes: LVM, XFS, fstab."""

from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from blockyard.formats.provisioning.geometry import EXTENT, Segment, segments, size, xfs_options
from blockyard.formats.provisioning.layout import Device, Layout, Mirror, Tree, Volume, volumes_of
from blockyard.formats.provisioning.text import comment

#: What the script does with a layout, in this order; the same in every script.
_SHELL = Path(__file__).with_name("shell")
_BEFORE = "usage"
_PARTS = (
    "said",
    "table",
    "ebs",
    "contents",
    "devices",
    "reading",
    "timeout",
    "groups",
    "file_systems",
    "main",
)

_TABLE = """\
# Bytes a second that all volumes sustain together; volumes by name: bytes, where EC2 attaches them
# on Xen, bytes a second. Then what is made of them.
"""

#: Types that need large reads: AWS recommends 1 MiB for them ("Optimize st1 and sc1 volumes").
_DISKS = {"st1", "sc1"}
_DISKS_KIB = 1024

#: What jobs read at random. LVM's own choice is two whole stripes, 40 MiB for five of 4 MiB, most
#: of which such a reader throws away: two blocks of 8 KiB, or one of 16 KiB, are left.
_RANDOM = {"database", "data"}
_RANDOM_KIB = 16

#: dm names its devices VG-LV, each `-` in them twice, with at most 127 characters.
_MOST = 40


def written(layout: Layout, host: str, mounts: str) -> str:
    """Write the script for one host. Raises ScenarioError for what LVM has no form for."""
    devices = list(_devices(layout, host))
    if not devices:
        layout.refuse(f"hosts.{host}", "no device lies on it")
    parts = [part for device in devices for part in _parts(layout, device, mounts)]
    volumes = [volume for _, tree in devices for volume in volumes_of(tree)]
    names = layout.attached_as(host)
    lines = [_volume(volume, names.get(volume.name)) for volume in volumes]
    body = "".join(shell(part) for part in _PARTS)
    head, _, usage = shell(_BEFORE).partition("\n\n")
    sustained = next(it.sustained for it in layout.hosts if it.name == host)
    about = comment(
        f"{layout.name}: the file systems of {_shown(layout, host)}.",
        "Made by `blockyard provision --format lvm`; a second run changes nothing. See --help.",
    )
    table = "".join(f"    {line}\n" for line in [f"host {sustained or 0}", *lines, *parts])
    return f"{head}\n{about}\n{_TABLE}layout() {{\n{table}}}\n\n{usage}\n{body}"


def shell(part: str) -> str:
    """Give a part of a script that is the same for every layout."""
    return (_SHELL / f"{part}.sh").read_text(encoding="utf-8")


def _shown(layout: Layout, host: str) -> str:
    found = next(it for it in layout.hosts if it.name == host)
    of = "a host" if len(layout.hosts) == 1 else f"host {host}"
    return f"{of}, {found.instance}" if found.instance else of


def _devices(layout: Layout, host: str) -> Iterator[tuple[Device, Tree]]:
    """The devices on a host, each with its tree there: of a mirror over two hosts, the leg."""
    for device in layout.devices:
        path = f"storage.{device.name}"
        cluster = layout.cluster(device.name)
        if host not in (cluster.nodes if cluster else device.hosts):
            continue
        if cluster:
            layout.refuse(
                path,
                f"the cluster {cluster.name} activates and mounts it on one node at a time; a "
                "script for one host must not",
            )
        if len(device.name) > _MOST:
            layout.refuse(path, f"a name of more than {_MOST} characters, too long for LVM")
        if not isinstance(device.tree, Mirror):
            yield device, device.tree
            continue
        legs = [tree for _, tree in device.tree.legs if _on(tree, host)]
        if len(legs) > 1:
            layout.refuse(
                f"{path}.mirror",
                "both legs are on one host; expected legs on two hosts, which are what the script "
                "prepares",
            )
        yield device, legs[0]


def _on(tree: Tree, host: str) -> bool:
    return any(volume.host == host for volume in volumes_of(tree))


def _volume(volume: Volume, name: str | None) -> str:
    where = "local" if volume.local else name or "-"
    return f"volume {volume.name} {volume.size} {where} {volume.sustained or 0}"


def _parts(layout: Layout, of: tuple[Device, Tree], mounts: str) -> Iterator[str]:
    """The lines that say what is made of a device's volumes."""
    device, tree = of
    found = segments(layout, device.name, tree)
    if isinstance(device.tree, Mirror):
        yield f"leg {device.name}"
    else:
        options = xfs_options(found)
        yield " ".join(["filesystem", device.name, quote(f"{mounts}/{device.name}"), *options])
    largest = max(segment.chunk for segment in found)
    if largest > EXTENT:
        yield f"extent {size(largest)}"
    if ahead := _read_ahead(layout, device.name, found):
        yield f"read_ahead {ahead}"
    for segment in found:
        names = " ".join(volume.name for volume in segment.volumes)
        chunk = size(segment.chunk)
        yield f"stripe {chunk} {names}" if segment.chunk else f"linear {names}"


def _read_ahead(layout: Layout, device: str, found: list[Segment]) -> int | None:
    """KiB that are read ahead; None leaves it to LVM and Linux."""
    if any(volume.type in _DISKS for segment in found for volume in segment.volumes):
        return _DISKS_KIB
    on = {role for files in layout.files for role, at in files.on.items() if at == device}
    return _RANDOM_KIB if on & _RANDOM else None
