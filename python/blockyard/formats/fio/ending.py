"""When a fio job ends. A scenario's jobs end by time."""

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
            expected = "expected one, as with --runtime 60s: a scenario ends by time, not by size"
            given.wrong("runtime", expected)
    if not given.flag("time_based"):
        given.findings.differs("without time_based fio may end a job earlier, by its size")
    for name, when in _EARLIER.items():
        if given.has(name) and given.name_of(name, "1") not in ("", "0"):
            given.assume(name, f"may end the job {when}", "the job runs for its runtime")
    return time
