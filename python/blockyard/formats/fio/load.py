"""The load of one fio job, in the terms of a scenario."""

from dataclasses import dataclass, replace

from blockyard.formats.fio import values
from blockyard.formats.fio.findings import Findings, Given
from blockyard.formats.fio.jobfile import Job
from blockyard.formats.fio.options import HARMLESS, problem_with
from blockyard.formats.fio.pattern import Pattern, pattern_of
from blockyard.formats.fio.region import region

SYNCHRONOUS = frozenset({"sync", "psync", "vsync", "pvsync", "pvsync2"})
ASYNCHRONOUS = frozenset({"io_uring", "libaio", "posixaio", "null"})


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


@dataclass(frozen=True)
class Load:
    """A stream, how much of it, and when. Times are in nanoseconds."""

    name: str
    stream: Stream
    # Processes, or IOs a second in an open loop.
    amount: int
    after_others: bool
    delay: int
    ramp: int
    run: int
    given: Given


def load_of(job: Job, whole_file: int | None, findings: Findings) -> Load | None:
    """Read what `job` does; None if nothing of it can be expressed.

    `whole_file` is the size of a job that states none. Raises JobFileError for a value that fio
    does not accept.
    """
    given = Given(job, findings)
    processes = given.number("numjobs", values.whole, 1)
    pattern = pattern_of(given, processes)
    engine = given.text("ioengine", "psync")
    if engine not in SYNCHRONOUS | ASYNCHRONOUS:
        given.cannot("ioengine", "an engine that does no direct IO; the job is left out")
        return None
    if pattern is None:
        return None
    _check(given, writes=pattern.read < 1000)
    depth = _depth(given, engine)
    rate, pattern = _rate(given, pattern)
    stream = Stream(
        device=given.text("filename", given.text("directory", "")),
        size=region(given, whole_file, processes, pattern.random),
        pattern=pattern,
        in_flight=depth if rate is None else depth * processes,
        arrivals=None if rate is None else _arrivals(given),
    )
    return Load(
        name=given.text("name", job.name),
        stream=stream,
        amount=processes if rate is None else rate * processes,
        after_others=given.flag("stonewall"),
        delay=given.number("startdelay", values.time, 0),
        ramp=given.number("ramp_time", values.time, 0),
        run=_runtime(given),
        given=given,
    )


def _check(given: Given, *, writes: bool) -> None:
    """Check the options that a scenario cannot express, and those that decide whether it can."""
    for name, option in given.job.options.items():
        if problem := problem_with(name, option.value, writes=writes):
            given.cannot(name, problem)
        elif name in HARMLESS:
            given.findings.ignored(option)
    buffered = given.flag("buffered") if given.has("buffered") else not given.flag("direct")
    if buffered and given.text("ioengine", "") != "null":
        given.cannot("direct", "IO goes through the page cache; expected direct=1")
    if not given.flag("norandommap"):
        given.findings.differs(
            "without norandommap fio visits every block before any a second time; here each "
            "place is drawn anew"
        )


def _depth(given: Given, engine: str) -> int:
    """Return the IOs in flight of a process."""
    depth = given.number("iodepth", values.whole, 1)
    if engine in SYNCHRONOUS and depth > 1:
        given.findings.differs(f"{given.at('iodepth')}: ioengine={engine} keeps one IO in flight")
        return 1
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
        raise given.wrong("rate_process", "expected linear or poisson")
    return "even" if process == "linear" else process


def _runtime(given: Given) -> int:
    """Return how long it runs after its ramp."""
    runtime = given.number("runtime", values.time, 0)
    if not runtime:
        raise given.wrong("runtime", "expected one; a scenario ends by time, not by size")
    if not given.flag("time_based"):
        given.cannot("time_based", "fio may end the job before its runtime, by its size; here not")
    return runtime
