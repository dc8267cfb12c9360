"""When a fio job ends: after its runtime, or once it has done its amount."""

from blockyard.formats.fio import values
from blockyard.formats.fio.findings import Given

# Options that may end a job before its runtime, with when.
_EARLIER = {
    "number_ios": "after as many IOs",
    "exitall": "when another job has ended",
    "exitall_on_error": "after an error",
    "max_latency": "after an IO that takes longer",
    "rate_min": "when it is slower",
    "rate_iops_min": "when it is slower",
    "steadystate": "once its figures are steady",
}


def runtime(given: Given, missing: int | None) -> int:
    """Return how long a job runs after its ramp, in nanoseconds; `missing` if it states nothing."""
    time = given.number("runtime", values.time, 0)
    if not time and not given.is_open("runtime"):
        time = missing or 0
        if not time:
            expected = "expected one, as with --runtime 60s; a job that ends by size ends before"
            given.wrong("runtime", expected)
    for name, when in _EARLIER.items():
        if given.has(name) and given.name_of(name, "1") not in ("", "0"):
            given.assume(name, f"may end the job {when}", "the job runs for its runtime")
    return time


def amount(given: Given, covered: int) -> int | None:
    """Return the bytes after which each process of a job is done; None if only time ends it.

    `covered` is what a process covers, which it reads or writes once if nothing else is stated.
    """
    if given.flag("time_based"):
        for name in ("io_size", "loops"):
            if given.has(name):
                given.findings.ignored(given.job.options[name])
        return None
    if given.name_of("io_size", "").endswith("%"):
        part = given.number("io_size", lambda text: values.percent(text.removesuffix("%")), 100)
        return covered * part // 100
    loops = given.number("loops", values.whole, 1)
    return given.number("io_size", given.size, 0) or covered * max(loops, 1)
