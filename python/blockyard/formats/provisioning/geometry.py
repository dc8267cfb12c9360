"""What LVM makes of a device's volumes: segments, one after another."""

from dataclasses import dataclass

from blockyard.formats.provisioning.layout import Layout, Linear, Mirror, Tree, Volume

KIB = 1 << 10
MIB = 1 << 20

#: LVM's default extent, which no chunk may be larger than.
EXTENT = 4 * MIB

#: The largest stripe unit of XFS's log; mkfs.xfs warns of a larger one and takes 32k.
LOG_UNIT = 256 * KIB


@dataclass(frozen=True)
class Segment:
    """Part of a logical volume: a stripe over several volumes, or one volume."""

    # Bytes; 0 for one volume.
    chunk: int
    volumes: tuple[Volume, ...]


def segments(layout: Layout, device: str, tree: Tree) -> list[Segment]:
    """Give the segments of a device, or of a mirror's leg.

    Raises ScenarioError for what LVM cannot stack.
    """
    if isinstance(tree, Volume):
        return [Segment(0, (tree,))]
    if isinstance(tree, Mirror):
        layout.refuse(f"storage.{device}.mirror", "a mirror is more than one logical volume")
    parts = [segments(layout, device, part) for part in tree.parts]
    if isinstance(tree, Linear):
        return [segment for part in parts for segment in part]
    return _striped(layout, device, tree.chunk, parts)


def _striped(layout: Layout, device: str, chunk: int, parts: list[list[Segment]]) -> list[Segment]:
    """A stripe of linear devices is linear, of stripes over the first, the second, … of each."""
    if len(parts) == 1:
        return parts[0]
    if any(segment.chunk for part in parts for segment in part):
        layout.refuse(
            f"storage.{device}",
            "a stripe of stripes; LVM stripes over volumes, not over logical volumes",
        )
    if len(parts[0]) > 1 and any(segment.volumes[0].size % chunk for segment in parts[0]):
        layout.refuse(
            f"storage.{device}",
            "a stripe of linear devices whose volumes are no whole chunks; LVM has no form for it",
        )
    return [
        Segment(chunk, tuple(segment.volumes[0] for segment in row))
        for row in zip(*parts, strict=True)
    ]


def size(of: int) -> str:
    """Bytes as LVM and XFS take them: `4m`, `64k`."""
    return f"{of // MIB}m" if of % MIB == 0 else f"{of // KIB}k"


def xfs_options(found: list[Segment]) -> list[str]:
    """The options that give XFS a stripe's geometry, if all segments share one."""
    shapes = {(segment.chunk, len(segment.volumes)) for segment in found}
    if len(shapes) > 1:
        return []
    ((chunk, width),) = shapes
    if not chunk:
        return []
    log = ["-l", "su=32k"] if chunk > LOG_UNIT else []
    return ["-d", f"su={size(chunk)},sw={width}", *log]
