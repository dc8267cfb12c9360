"""The disks that layouts lie on, found by what both moved."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from blockyard.formats.foreign.chosen import Chosen, listed
from blockyard.formats.foreign.device_names import plain
from blockyard.formats.foreign.traffic import Traffic

# Disks that moved at least this share of what layouts moved may be below them.
_COVERS = 0.9
# From this number of intervals on, layouts that moved the same are not so by chance.
_TELLING = 5
# Most layouts that are added up to see whether they share disks.
_MANY = 6


def place(layouts: Sequence[str], disks: Sequence[str], traffic: Traffic, found: Chosen) -> None:
    """Find the disks that layouts lie on: those that moved, over time, what the layouts moved."""
    search = _Search(traffic, found, list(layouts), list(disks))
    few = len(layouts) <= _MANY
    for size in range(1, len(layouts) + 1) if few else [1]:
        for tops in combinations(layouts, size):
            search.place(tops)
    # All that share disks, where they are too many to try each group.
    search.place(tuple(search.layouts))
    if traffic.times >= _TELLING:
        for name in list(search.layouts):
            search.place_on_layouts(name)
    rest, free = search.layouts, search.disks
    moved = traffic.total(rest)
    if moved and traffic.total(free) >= _COVERS * moved:
        found.left_out(rest, f"layouts on {listed(free)}, whose IO has theirs")
    else:
        found.devices += rest
        if rest and free:
            found.notes.append(
                f"{listed(rest)} moved more than {listed(free)}: on which disks they lie is not "
                "known; if on these, IOs count twice: --lsblk or --device tells"
            )
    found.devices += free


@dataclass
class _Search:
    """Layouts and disks that are not placed yet."""

    traffic: Traffic
    found: Chosen
    layouts: list[str]
    disks: list[str]

    def place(self, tops: Sequence[str]) -> None:
        """Place layouts on the disks that moved the same, if there are such."""
        if not tops or not {*tops} <= {*self.layouts}:
            return
        below = self.traffic.lies_on(tops, self.disks)
        if below is None:
            return
        self.layouts = [name for name in self.layouts if name not in tops]
        self.disks = [name for name in self.disks if name not in below]
        if len(below) == 1 and not has_role(tops):
            self.found.devices += below
            self.found.left_out(tops, f"on {below[0]}, with the same IO")
            tops = below
        else:
            self.found.devices += tops
            self.found.left_out(below, f"whose sum is {' + '.join(tops)} above")
        # Layers on layers, such as encryption.
        same = [name for name in self.layouts if self.traffic.lies_on([name], tops)]
        self.layouts = [name for name in self.layouts if name not in same]
        self.found.left_out(same, f"with the same IO as {' + '.join(tops)}")

    def place_on_layouts(self, name: str) -> None:
        """Place a layout on others, whose disks the file does not list."""
        others = [other for other in self.layouts if other != name]
        if name in self.layouts and (below := self.traffic.lies_on([name], others)):
            self.layouts = [other for other in self.layouts if other not in below]
            self.found.left_out(below, f"whose sum is {name}")


def has_role(names: Iterable[str]) -> bool:
    """Whether a name says what is on the device, as yaspe's database does."""
    return any(plain(name) != name for name in names)
