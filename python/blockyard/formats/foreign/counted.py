"""Which devices of a file count, so that no IO counts twice.

The kernel counts an IO to a logical volume on the volume and again on each disk below. Of a layout
over several disks its top counts, of one disk the disk, unless the file says what the top is for.
"""

from collections.abc import Sequence

from blockyard.formats.foreign import lsblk, placed_by_sums
from blockyard.formats.foreign.chosen import Chosen, listed
from blockyard.formats.foreign.device_names import Kind, disk_of, kind, order, plain
from blockyard.formats.foreign.error import ForeignError
from blockyard.formats.foreign.placed_by_sums import has_role
from blockyard.formats.foreign.reading import Reading
from blockyard.formats.foreign.traffic import Traffic

# The first disk of a machine with several is taken for the one with the system if it moved no more
# than this share of all.
_SYSTEM = 0.05
_FIRST = ("nvme0n1", "xvda", "sda", "vda", "dev8-0")


def chosen(traffic: Traffic, reading: Reading, place: object) -> Chosen:
    """Choose the devices that count; those of `reading`, if it names any.

    Raises ForeignError at `place` if it has none of these, or lsblk's file cannot be read.
    """
    names = sorted(traffic.moved, key=order)
    if reading.devices:
        return _asked(names, reading.devices, place)
    active = [name for name in names if traffic.moved[name].total]
    found = Chosen()
    if reading.lsblk is not None:
        rest = _by_layers(active, lsblk.read(reading.lsblk), found)
    else:
        rest = active
    _by_names(rest, traffic, found)
    if reading.lsblk is None:
        _without_system(traffic, found)
    # Idle devices move nothing, so they change no sum.
    found.devices.sort(key=order)
    return found


def _asked(names: Sequence[str], wanted: Sequence[str], place: object) -> Chosen:
    by_name = {plain(name): name for name in names} | {name: name for name in names}
    kept = [by_name[name] for name in dict.fromkeys(wanted) if name in by_name]
    if not kept:
        said = " or ".join(f"`{name}`" for name in wanted)
        has = listed(names) or "none"
        raise ForeignError(place, f"--device {said}: not in this file; it has {has}")
    missing = [name for name in wanted if name not in by_name]
    return Chosen(kept, [f"no device {', '.join(missing)} in it"] if missing else [])


def _by_layers(active: Sequence[str], layers: lsblk.Layers, found: Chosen) -> list[str]:
    """Choose by what lsblk says; give the devices that it does not know."""
    known = {name: own for name in active if (own := layers.known(plain(name)))}
    groups: list[tuple[set[str], list[str]]] = []
    for name, device in known.items():
        disks, members = set(layers.disks(device)), [name]
        for group in [group for group in groups if group[0] & disks]:
            groups.remove(group)
            disks, members = disks | group[0], [*group[1], *members]
        groups.append((disks, members))
    systems = [disks for disks, _ in groups if layers.is_system(disks)]
    for disks, members in groups:
        if disks in systems and len(systems) < len(groups):
            found.left_out(members, "with the system (/), by lsblk")
        elif (
            len(disks) == 1
            and not has_role(members)
            and (disk := [name for name in members if known[name] in disks])
        ):
            found.devices += disk
            found.left_out({*members} - {*disk}, f"on {disk[0]}, by lsblk")
        else:
            above = {name: layers.above(known[name]) for name in members}
            tops = [name for name in members if not above[name] & {*known.values()}]
            found.devices += tops
            below = f"below {', '.join(sorted(tops, key=order))}, by lsblk"
            found.left_out({*members} - {*tops}, below)
    return [name for name in active if name not in known]


def _by_names(active: Sequence[str], traffic: Traffic, found: Chosen) -> None:
    """Choose by names, and where these do not tell, by sums."""
    kinds = {name: kind(plain(name)) for name in active}
    aside = [name for name in active if kinds[name] is Kind.NO_STORAGE]
    parts = [
        name
        for name in active
        if kinds[name] is Kind.PARTITION and disk_of(plain(name)) in {*map(plain, active)}
    ]
    rest = [name for name in active if name not in {*aside, *parts}]
    if not rest:
        found.devices += aside
        return
    found.left_out(aside, "memory, or files on other devices")
    found.left_out(parts, "partitions of disks that count")
    layouts = [name for name in rest if kinds[name] in (Kind.MAPPED, Kind.UNKNOWN)]
    if len(layouts) == len(rest):
        # Virtual disks, where nothing else is there that they could lie on.
        layouts = [name for name in rest if kinds[name] is Kind.MAPPED]
    disks = [name for name in rest if name not in layouts]
    numbered = [name for name in disks if kinds[name] in (Kind.PART_OR_DISK, Kind.UNKNOWN)]
    for name in numbered:
        later = [other for other in numbered if order(other) > order(name) and other in disks]
        if name in disks and (inside := traffic.lies_on([name], later)):
            disks = [other for other in disks if other not in inside]
            found.left_out(inside, f"with the same IO as {name}")
    placed_by_sums.place(layouts, disks, traffic, found)


def _without_system(traffic: Traffic, found: Chosen) -> None:
    """Leave out the first disk if it looks like the system's."""
    first = next((name for name in _FIRST if name in found.devices), None)
    if first is None or len(found.devices) == 1:
        return
    share = traffic.moved[first].total / traffic.total(found.devices)
    if share <= _SYSTEM:
        found.devices.remove(first)
        found.left_out(
            [first],
            f"taken for the system's disk, with {share:.1%} of what was moved; --device counts it",
        )
