"""The load of one fio job, in the terms of a scenario."""

from dataclasses import dataclass, replace

from blockyard.formats.fio import durability, ending, values
from blockyard.formats.fio.engines import ASYNCHRONOUS, NO_BLOCK_IO, SYNCHRONOUS
from blockyard.formats.fio.findings import Findings, Given
from blockyard.formats.fio.jobfile import Job
from blockyard.formats.fio.options import HARMLESS, problem_with
from blockyard.formats.fio.page_cache import cache_of
from blockyard.formats.fio.pattern import Pattern, pattern_of
from blockyard.formats.fio.region import region


@dataclass(frozen=True)
class Missing:
    """What jobs get that state none: the bytes of a file, and a runtime in nanoseconds."""

    size: int | None = None
    runtime: int | None = None


NOTHING = Missing()


@dataclass(frozen=True)
class Stream:
    """Which IOs go where: the same in all load steps of a scenario's job."""

    # fio's name for the file, and how much of it is covered, in bytes.
    device: str
    size: int
    pattern: Pattern
    # IOs in flight: in a closed loop of each process, in an open loop of the whole job.
    in_flight: int
    # Open loop: how gaps are drawn; None in a closed loop.
    arrivals: str | None
    # Writes after which a process waits for an fsync; None if it never does.
    fsync_every: int | None
    # Bytes that the kernel reads ahead; None if it reads what it is asked for.
    read_ahead: int | None


@dataclass(frozen=True)
class Load:
    """A stream, how much of it, and when. Times are in nanoseconds."""

    name: str
    stream: Stream
    # Processes, or IOs a second in an open loop.
    amount: int
    after_others: bool
    # The job for whose end it waits.
    after: str | None
    # Bytes after which it is done, of all processes together; None if only time ends it.
    done_after: int | None
    delay: int
    ramp: int
    run: int
    given: Given


def load_of(job: Job, missing: Missing, findings: Findings) -> Load | None:
    """Read what `job` does; None if it does no block IO."""
    given = Given(job, findings)
    engine = _engine(given)
    if engine in NO_BLOCK_IO:
        does = f"no block IO: the engine {NO_BLOCK_IO[engine]}"
        given.assume("ioengine", does, f"[{job.name}] is left out")
        return None
    if given.text("rw", "read").startswith(("trim", "randtrim")):
        given.cannot("rw", "trims; a job reads and writes")
        return None
    processes = given.number("numjobs", values.whole, 1)
    pattern = pattern_of(given, processes)
    writes = pattern.read < 1000
    _check(given, writes=writes)
    if pattern.random and not given.flag("norandommap"):
        given.findings.differs(
            "without norandommap fio visits every block before any a second time; here each "
            "place is drawn anew"
        )
    depth = _depth(given, engine)
    rate, pattern = _rate(given, pattern)
    cache = cache_of(given, engine, pattern, closed=rate is None)
    depth = 1 if cache.waits else depth
    covered = region(given, missing.size, processes, pattern.random)
    done_after = ending.amount(given, covered.each)
    stream = Stream(
        device=given.name_of("filename", given.name_of("directory", "")),
        size=covered.size,
        pattern=pattern,
        in_flight=depth if rate is None else depth * processes,
        arrivals=None if rate is None else _arrivals(given),
        fsync_every=durability.fsync_every(given, depth, rate) if writes else None,
        read_ahead=cache.read_ahead,
    )
    return Load(
        name=given.name_of("name", job.name),
        stream=stream,
        amount=processes if rate is None else rate * processes,
        after_others=given.flag("stonewall"),
        after=given.name_of("wait_for", "") or None,
        done_after=done_after and done_after * processes,
        delay=given.number("startdelay", values.time, 0),
        ramp=given.number("ramp_time", values.time, 0),
        run=ending.runtime(given, missing.runtime),
        given=given,
    )


def _engine(given: Given) -> str:
    # A name in two parts says where the engine's program lies: `external:engine.o`.
    return given.text("ioengine", "psync").strip('"')


def _check(given: Given, *, writes: bool) -> None:
    """Check the options that a scenario cannot express."""
    for name, option in given.job.options.items():
        if problem := problem_with(name, option.value, writes=writes):
            given.cannot(name, problem)
        elif name in HARMLESS:
            given.findings.ignored(option)
    if writes and given.name_of("verify", "0") not in ("0", "none", "null"):
        if given.has("verify_backlog"):
            given.cannot("verify_backlog", "reads back what it wrote, in between")
        elif not given.has("do_verify") or given.flag("do_verify"):
            given.assume("verify", "reads back what it wrote, once all is", "the job only writes")


def _depth(given: Given, engine: str) -> int:
    """Return the IOs in flight of a process."""
    depth = given.number("iodepth", values.whole, 1)
    if not depth:
        given.wrong("iodepth", "expected at least 1")
    if engine in SYNCHRONOUS:
        if depth > 1:
            given.findings.differs(f"ioengine={engine} keeps one IO in flight, whatever iodepth is")
        return 1
    if engine not in ASYNCHRONOUS:
        given.assume("ioengine", "not one of fio's own engines", "it keeps iodepth IOs in flight")
    return depth


def _rate(given: Given, pattern: Pattern) -> tuple[int | None, Pattern]:
    """Return the IOs a second of a process, and the pattern with the mix that results.

    A rate applies to each direction separately, and so decides the mix.
    """
    name = "rate_iops" if given.has("rate_iops") else "rate"
    if not given.has(name):
        return None, pattern
    reads, writes = given.pair(name, given.size, 0)
    if not (reads or writes):
        return None, pattern
    if name == "rate":
        reads, writes = reads // pattern.block, writes // pattern.block
    used = [reads] * (pattern.read > 0) + [writes] * (pattern.read < 1000)
    if 0 in used:
        given.cannot(name, "less than one IO a second, or a rate for only one direction")
        return None, pattern
    given.findings.differs(
        "with a rate fio counts latency from an IO's submission; here it counts from when the "
        "IO was due"
    )
    if len(used) == 1:
        return used[0], pattern
    return reads + writes, replace(pattern, read=round(1000 * reads / (reads + writes)))


def _arrivals(given: Given) -> str:
    process = given.text("rate_process", "linear")
    if process not in ("linear", "poisson"):
        given.wrong("rate_process", "expected linear or poisson")
    return "poisson" if process == "poisson" else "even"
