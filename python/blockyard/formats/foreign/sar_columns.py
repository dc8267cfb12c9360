"""What `sar -d` says about disks, in the columns of iostat.

sar counts reads, writes and discards together, and has one latency for all.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from blockyard.formats.foreign.disks import Disks
from blockyard.formats.foreign.error import ForeignError

# Names of the figures needed, and the bytes of a unit, in sar's text and CSV and in sadf's JSON.
_READ = {"rkB/s": 1024, "rkB": 1024, "rd_sec/s": 512, "rd_sec": 512}
_WRITTEN = {"wkB/s": 1024, "wkB": 1024, "wr_sec/s": 512, "wr_sec": 512}
_DISCARDED = ("dkB/s", "dkB", "dc_sec/s", "dc_sec")
_QUEUES = ("aqu-sz", "avgqu-sz")
_NEEDED = "tps, rkB/s, wkB/s, aqu-sz and await of `sar -d`"
_KIB = 1024

_SPLIT = (
    "of reads and writes sar has one count and one latency: they are told apart by their bytes, as "
    "if of one size"
)
_TRIMS = "some of these IOs were discards, which sar counts too"


@dataclass(frozen=True)
class SarColumns:
    """Where the figures are; each name with the bytes of its unit."""

    read: tuple[str, int]
    written: tuple[str, int]
    queue: str
    # None before sysstat 12.
    discarded: str | None

    @classmethod
    def of(cls, names: Sequence[str], place: object) -> "SarColumns":
        """Find them. Raises ForeignError at `place` if they are not sar's."""
        read = next(((name, unit) for name, unit in _READ.items() if name in names), None)
        written = next(((name, unit) for name, unit in _WRITTEN.items() if name in names), None)
        queue = next((name for name in _QUEUES if name in names), None)
        if read is None or written is None or queue is None or {"tps", "await"} - {*names}:
            found = ", ".join(names)[:80]
            raise ForeignError(place, f"columns {found}; expected {_NEEDED}")
        discarded = next((name for name in _DISCARDED if name in names), None)
        return cls(read, written, queue, discarded)

    def needed(self) -> list[str]:
        """The columns that `samples` needs."""
        names = ["tps", self.read[0], self.written[0], self.queue, "await"]
        return [*names, self.discarded] if self.discarded else names

    def disks(self) -> Disks:
        """The columns that `samples` makes."""
        return Disks(["r/s", "w/s", "rkB/s", "wkB/s", "await", "aqu-sz"], "sar")

    def samples(
        self, times: Sequence[float], devices: Sequence[str], figures: dict[str, pa.Array]
    ) -> tuple[pa.Table, list[str]]:
        """Make samples of reads and writes, in order of time, and say what is not known."""
        read = pc.multiply(figures[self.read[0]], self.read[1] / _KIB)
        written = pc.multiply(figures[self.written[0]], self.written[1] / _KIB)
        moved = pc.add(read, written)
        share = pc.if_else(pc.greater(moved, 0.0), pc.divide(read, moved), 0.0)
        # Where nothing was moved, all IOs were discards or flushes.
        ios = pc.if_else(pc.greater(moved, 0.0), figures["tps"], 0.0)
        reads = pc.multiply(ios, share)
        table = pa.table(
            {
                "t_s": pa.array(times, pa.float64()),
                "device": pa.array(devices, pa.string()),
                "r/s": reads,
                "w/s": pc.subtract(ios, reads),
                "rkB/s": read,
                "wkB/s": written,
                "await": figures["await"],
                "aqu-sz": figures[self.queue],
            }
        )
        discards = self.discarded and pc.any(pc.greater(figures[self.discarded], 0.0)).as_py()
        return table.sort_by("t_s"), [_SPLIT, *([_TRIMS] if discards else [])]
