"""When a fio job waits until what it wrote is durable."""

from blockyard.formats.fio import values
from blockyard.formats.fio.findings import Given


def fsync_every(given: Given, depth: int, rate: int | None) -> int | None:
    """Return the writes after which a process with `depth` IOs in flight waits for an fsync."""
    if given.name_of("sync", "0") not in ("0", "none"):
        given.assume(
            "sync",
            "each write is durable when it ends",
            "so is every write that a volume acknowledges",
        )
    every = {name: given.number(name, values.whole, 0) for name in ("fdatasync", "fsync")}
    asked = {name: writes for name, writes in every.items() if writes}
    if not asked:
        return None
    name, writes = next(iter(asked.items()))
    if len(asked) > 1:
        given.cannot(name, "beside fsync; a job has one of them")
    if rate is not None:
        given.cannot(name, "at a rate; an open loop here has no fsyncs")
    elif depth > 1:
        given.cannot(name, "fio goes on while it waits, with iodepth above 1; a process here rests")
    if name == "fsync":
        given.findings.differs(
            "an fsync flushes the device; with `file_system: ext4` or `xfs` it writes that "
            "file system's journal too"
        )
    return writes
