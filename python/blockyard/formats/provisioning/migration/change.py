"""What must be done to each device of a host so that it becomes that of another layout."""

from collections.abc import Iterator
from dataclasses import dataclass
from shlex import quote

from blockyard.formats.provisioning.geometry import (
    EXTENT,
    Segment,
    segments,
    size,
    xfs_options,
)
from blockyard.formats.provisioning.layout import (
    GIB,
    MIB,
    Device,
    Layout,
    Mirror,
    Tree,
    Volume,
    volumes_of,
)
from blockyard.formats.provisioning.migration.steps import Step
from blockyard.formats.provisioning.text import counted

# Types that EBS modifies into no other ("Requirements for EBS volume modifications" in its guide).
_UNMODIFIABLE = {"standard"}


@dataclass(frozen=True)
class _Part:
    """A device on the host, before and after."""

    name: str
    old: list[Segment]
    new: list[Segment]
    # Whether it has a file system of its own: the leg of a mirror has none.
    formatted: bool
    # Bytes a second that the host sustains; None where nothing limits it.
    host_rate: int | None

    @property
    def before(self) -> list[Volume]:
        """Its volumes in the old layout."""
        return [volume for segment in self.old for volume in segment.volumes]

    @property
    def after(self) -> list[Volume]:
        """Its volumes in the new layout."""
        return [volume for segment in self.new for volume in segment.volumes]

    @property
    def pairs(self) -> list[tuple[Volume, Volume]]:
        """The volumes that stand in the same place, old and new."""
        return list(zip(self.before, self.after, strict=False))

    @property
    def stays(self) -> bool:
        """Whether its segments stay as they are, with more at most at the end.

        No volume can shrink, and only the last segment can grow, if none is to follow it.
        """
        old, new = ([(it.chunk, len(it.volumes)) for it in found] for found in (self.old, self.new))
        grown = [
            index
            for index, (of, to) in enumerate(zip(self.old, self.new, strict=False))
            if of.volumes[0].size != to.volumes[0].size
        ]
        at_end = not grown or grown == [len(old) - 1] == [len(new) - 1]
        shrinks = any(to.size < of.size for of, to in self.pairs)
        return new[: len(old)] == old and at_end and not shrinks

    @property
    def keys(self) -> dict[str, str]:
        """What the script calls each volume of the new layout: `new/NAME` if it makes it."""
        found = {volume.name: f"new/{volume.name}" for volume in self.after}
        if self.stays:
            found |= {to.name: of.name for of, to in self.pairs if not _is_replaced(of, to)}
        return found


def _is_replaced(old: Volume, new: Volume) -> bool:
    """Whether EBS cannot modify the one into the other."""
    return _terms(old) != _terms(new) and bool({old.type, new.type} & _UNMODIFIABLE)


def changes(old: Layout, new: Layout, host: str) -> tuple[list[Step], dict[str, str]]:
    """Give the steps from one layout to another, devices in the new one's order.

    With them what the script calls each volume of the new layout. Raises ScenarioError for what
    cannot be done, or if there is nothing to do.
    """
    parts = list(_parts(old, new, host))
    if not parts:
        names = ", ".join(device.name for device in old.devices)
        new.refuse("storage", f"no device of {old.file} is here; expected one of {names}")
    steps = [step for part in parts for step in _steps(new, part)]
    if not steps:
        new.refuse("storage", f"nothing to change: the volumes of {old.file} are the same")
    _check_attachments(old, new, host, steps)
    return steps, {name: key for part in parts for name, key in part.keys.items()}


def _parts(old: Layout, new: Layout, host: str) -> Iterator[_Part]:
    before = {device.name: device for device in old.devices}
    machine = next(it for it in new.hosts if it.name == host)
    # What is not sold, or is more than the instance takes, is refused before anything is bought.
    if any(volume.host == host and not volume.local for volume in new.volumes):
        new.bought(host)
    for device in new.devices:
        if host not in device.hosts or device.name not in before:
            continue
        for layout in (old, new):
            if layout.cluster(device.name):
                layout.refuse(f"storage.{device.name}", "a cluster shares it; migrate it there")
        found = [_tree(it, host) for it in (before[device.name], device)]
        yield _Part(
            name=device.name,
            old=segments(old, device.name, found[0]),
            new=segments(new, device.name, found[1]),
            formatted=not isinstance(device.tree, Mirror),
            host_rate=machine.sustained,
        )


def _tree(device: Device, host: str) -> Tree:
    """The tree of a device, or of its leg on the host."""
    if not isinstance(device.tree, Mirror):
        return device.tree
    legs = [leg for _, leg in device.tree.legs if host in {it.host for it in volumes_of(leg)}]
    return legs[0] if len(legs) == 1 else device.tree


def _steps(new: Layout, part: _Part) -> Iterator[Step]:
    """In place where the segments stay as they are, or only more follow; else by a copy."""
    if any(volume.local for volume in part.before + part.after):
        if list(map(_terms, part.before)) != list(map(_terms, part.after)):
            new.refuse(f"storage.{part.name}", "disks of an instance change only with the instance")
    elif part.stays:
        yield from _in_place(part)
    else:
        yield from _copied(new, part)


def _in_place(part: _Part) -> Iterator[Step]:
    pairs = part.pairs
    changed = [(of, to) for of, to in pairs if _terms(of) != _terms(to)]
    modified = [pair for pair in changed if not _is_replaced(*pair)]
    moved = [pair for pair in changed if _is_replaced(*pair)]
    if modified:
        alike: dict[str, list[Volume]] = {}
        for of, to in modified:
            alike.setdefault(f"from {_words(of)} to {_words(to)}", []).append(of)
        what = "; ".join(f"{_counted(volumes)}, {words}" for words, volumes in alike.items())
        yield Step(
            f"{part.name}: modify {what}; optimised",
            tuple(f"modify {of.name} {_terms(of)} {_terms(to)}" for of, to in modified),
            max(to.optimising_s for _, to in modified),
        )
    for of, to in moved:
        key = part.keys[to.name]
        yield _bought(part, [to])
        yield Step(
            f"{part.name}: pvmove {of.size // GIB} GiB from {of.name}, which EBS cannot modify, "
            "and detach it",
            (
                f"join {part.name} {key}",
                f"move {part.name} {of.name} {key}",
                f"detach {of.name}",
            ),
            _seconds(of.size, [of], [to], part.host_rate),
        )
    last = part.new[len(part.old) - 1]
    if any(of.size != to.size for of, to in pairs):
        count = len(last.volumes)
        keys = " ".join(part.keys[to.name] for _, to in pairs[-count:])
        yield Step(
            f"{part.name}: grow the logical volume",
            (f"grow {part.name} {_shape(last)} {keys}",),
        )
    added = part.new[len(part.old) :]
    for segment in added:
        keys = " ".join(f"new/{volume.name}" for volume in segment.volumes)
        yield _bought(part, list(segment.volumes))
        yield Step(
            f"{part.name}: append {counted(len(segment.volumes), 'volume')}",
            (f"join {part.name} {keys}", f"append {part.name} {_shape(segment)} {keys}"),
        )
    grows = added or any(of.size != to.size for of, to in pairs)
    if grows and part.formatted:
        yield Step(f"{part.name}: grow the file system", (f"grow_file_system {part.name}",))


def _copied(new: Layout, part: _Part) -> Iterator[Step]:
    """A new logical volume and a copy: LVM does not change the stripes of one that has data."""
    path = f"storage.{part.name}"
    before, after = part.before, part.after
    if not part.formatted:
        new.refuse(path, "the leg of a mirror would be copied; make a new leg and have it resynced")
    if len(part.new) > 1:
        new.refuse(path, "segments one after another in place of others; expected one stripe")
    taken = {device.name for device in new.devices}
    if taken & {f"{part.name}_new", f"{part.name}_old"}:
        new.refuse(path, f"`{part.name}_new` and `{part.name}_old` are needed for the copy")
    (segment,) = part.new
    extent = size(max(EXTENT, segment.chunk))
    options = quote(" ".join(xfs_options(part.new)))
    keys = " ".join(f"new/{volume.name}" for volume in after)
    held = min(sum(it.size for it in before), sum(it.size for it in after))
    olds = " ".join(volume.name for volume in before)
    yield _bought(part, after)
    yield Step(
        f"{part.name}: copy up to {held // GIB} GiB to {_stripe(segment)} in place of "
        f"{', then '.join(map(_stripe, part.old))} (pvmove would keep the old stripes)",
        (
            f"restripe {part.name} {_shape(segment)} {extent} {options} {keys}",
            f"retire {part.name} {olds}",
        ),
        _seconds(held, before, after, part.host_rate),
        stops=True,
    )


def _bought(part: _Part, volumes: list[Volume]) -> Step:
    return Step(
        f"{part.name}: create and attach {_counted(volumes)}: {_words(volumes[0])}",
        tuple(f"create {volume.name} {_terms(volume)} {part.name}" for volume in volumes),
    )


def _counted(volumes: list[Volume]) -> str:
    if len(volumes) == 1:
        return volumes[0].name
    return f"{counted(len(volumes), 'volume')}, {volumes[0].name} to {volumes[-1].name}"


def _seconds(held: int, old: list[Volume], new: list[Volume], host: int | None) -> float | None:
    """How long a copy takes by the lower of both sides' rates. The host carries it twice."""
    rates = [sum(it.sustained for it in side if it.sustained) for side in (old, new)]
    rates = [rate for rate in (*rates, (host or 0) // 2) if rate]
    return held / min(rates) if rates else None


def _terms(volume: Volume) -> str:
    """A volume as the script has it: type, GiB, IOPS and MiB/s, `-` where none are provisioned."""
    iops = "-" if volume.iops is None else volume.iops
    throughput = "-" if volume.throughput is None else volume.throughput // MIB
    return f"{volume.type} {volume.size // GIB} {iops} {throughput}"


def _words(volume: Volume) -> str:
    iops = "" if volume.iops is None else f", {volume.iops:,} IOPS"
    rate = "" if volume.throughput is None else f", {volume.throughput // MIB} MiB/s"
    return f"{volume.type} of {volume.size // GIB} GiB{iops}{rate}"


def _shape(segment: Segment) -> str:
    return f"{size(segment.chunk) if segment.chunk else 0} {len(segment.volumes)}"


def _stripe(segment: Segment) -> str:
    if not segment.chunk:
        return "one volume"
    return f"{len(segment.volumes)} stripes of {size(segment.chunk)}"


def _check_attachments(old: Layout, new: Layout, host: str, steps: list[Step]) -> None:
    """Old and new volumes are attached at once."""
    machine = next(it for it in new.hosts if it.name == host)
    made = sum(call.startswith("create ") for step in steps for call in step.calls)
    count = sum(volume.host == host and not volume.local for volume in old.volumes) + made
    if machine.attachments is not None and count > machine.attachments:
        new.refuse(
            "storage",
            f"{count} volumes at once while they are changed; {machine.instance} takes "
            f"{machine.attachments} beside its root volume",
        )
