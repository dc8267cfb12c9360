"""IO that passes through the page cache, which is not modelled."""

from dataclasses import dataclass

from blockyard.formats.fio.engines import CACHED, UNCACHED
from blockyard.formats.fio.findings import Given
from blockyard.formats.fio.pattern import Pattern

# Linux's default of /sys/block/*/queue/read_ahead_kb.
READ_AHEAD = 128 << 10
PAGE = 4096


@dataclass(frozen=True)
class Cache:
    """What the page cache does to a job."""

    # Each call waits for its IO, also those of an asynchronous engine.
    waits: bool = False
    # Bytes of a window of read-ahead.
    read_ahead: int | None = None


def cache_of(given: Given, engine: str, pattern: Pattern, *, closed: bool) -> Cache:
    """Return what the page cache does to a job in a closed or open loop; nothing to direct IO."""
    buffered = given.flag("buffered") if given.has("buffered") else not given.flag("direct")
    if engine in UNCACHED or not (buffered or engine in CACHED):
        return Cache()
    option = "buffered" if given.has("buffered") else "direct"
    # Linux's asynchronous IO is only so without the cache.
    waits = engine == "libaio"
    if _each_write_is_flushed(given, pattern):
        given.findings.differs(
            "each write passes through the page cache, and its fsync sends it to the device"
        )
        return Cache(waits)
    why = "IO passes through the page cache, which is not modelled"
    in_order = pattern.read == 1000 and pattern.random == 0 and READ_AHEAD % pattern.block == 0
    if closed and in_order and engine != "io_uring":
        given.assume(option, why, "nothing is cached; Linux reads 128 KiB ahead")
        return Cache(waits, READ_AHEAD)
    alone = ", one at a time, as libaio waits without it" if waits else ""
    given.assume(option, why, f"every IO goes to the device, as with direct=1{alone}")
    return Cache(waits)


def _each_write_is_flushed(given: Given, pattern: Pattern) -> bool:
    flushed = "1" in (given.name_of("fsync", "0"), given.name_of("fdatasync", "0"))
    return flushed and pattern.read == 0 and pattern.block % PAGE == 0
