"""A shell script that makes file systems of a host's volumes: LVM, XFS, fstab."""

from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from blockyard.formats.provisioning.geometry import EXTENT, segments, size, xfs_options
from blockyard.formats.provisioning.layout import Device, Layout, Mirror, Tree, Volume, volumes_of
from blockyard.formats.provisioning.order import attached_as
from blockyard.formats.provisioning.text import comment

#: What the script does with a layout; the same in every script.
_BODY = Path(__file__).with_name("lvm.sh")

_TABLE = """\
# Volumes by name: bytes, and where EC2 attaches them on Xen. Then what is made of them.
"""

#: dm names its devices VG-LV, each `-` in them twice, with at most 127 characters.
_MOST = 40


def written(layout: Layout, host: str, mounts: str) -> str:
    """Write the script for one host. Raises ScenarioError for what LVM has no form for."""
    devices = list(_devices(layout, host))
    if not devices:
        layout.refuse(f"hosts.{host}", "no device lies on it")
    parts = [part for device in devices for part in _parts(layout, device, mounts)]
    volumes = [volume for _, tree in devices for volume in volumes_of(tree)]
    names = attached_as(layout, host)
    lines = [_volume(volume, names.get(volume.name)) for volume in volumes]
    head, _, body = _BODY.read_text(encoding="utf-8").partition("\n\n")
    about = comment(
        f"{layout.name}: the file systems of {_shown(layout, host)}.",
        "Made by `blockyard provision --format lvm`; a second run changes nothing. See --help.",
    )
    table = "".join(f"    {line}\n" for line in [*lines, *parts])
    return f"{head}\n{about}\n{_TABLE}layout() {{\n{table}}}\n\n{body}"


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
    return f"volume {volume.name} {volume.size} {where}"


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
    for segment in found:
        names = " ".join(volume.name for volume in segment.volumes)
        chunk = size(segment.chunk)
        yield f"stripe {chunk} {names}" if segment.chunk else f"linear {names}"
