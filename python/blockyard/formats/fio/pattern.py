"""Which IOs a fio job issues: their size, direction and places."""

import re
from dataclasses import dataclass

from blockyard.formats.fio import values
from blockyard.formats.fio.blocks import block_of
from blockyard.formats.fio.findings import Given

# rw: whether it is random, and the share of reads in 1/1000 (None: given by rwmixread).
PATTERNS: dict[str, tuple[bool, int | None]] = {
    "read": (False, 1000),
    "write": (False, 0),
    "rw": (False, None),
    "readwrite": (False, None),
    "randread": (True, 1000),
    "randwrite": (True, 0),
    "randrw": (True, None),
}


@dataclass(frozen=True)
class Pattern:
    """What every IO of a job is drawn from. Shares are in 1/1000."""

    # In bytes.
    block: int
    read: int
    random: int
    # The skew of random places, in a scenario's words.
    skew: str | None


def pattern_of(given: Given, processes: int) -> Pattern:
    """Return the pattern of a job with this many processes."""
    name, _, every = given.text("rw", "read").partition(":")
    if name not in PATTERNS:
        given.wrong("rw", "expected read, write, rw or one of these with rand before it")
        name = "read"
    # An offset after each IO is that of the next block.
    if every not in ("", "1"):
        given.cannot("rw", "an offset for several IOs")
    is_random, read = PATTERNS[name]
    if read is None:
        read = _mix(given)
    random = _random_share(given, read) if is_random else 0
    if 0 < read < 1000 and random < 1000:
        given.cannot("rw", "reads and writes each continue their own run; here both share one")
    return Pattern(
        block=block_of(given, read),
        read=read,
        random=random,
        skew=_skew(given, processes) if random else None,
    )


def _mix(given: Given) -> int:
    """Return the share of reads of a mixed job: the later of two options decides."""
    stated = [name for name in given.job.options if name in ("rwmixread", "rwmixwrite")]
    last = stated[-1] if stated else "rwmixread"
    share = 10 * given.number(last, values.percent, 50)
    return share if last == "rwmixread" else 1000 - share


def _random_share(given: Given, read: int) -> int:
    reads, writes = given.pair("percentage_random", values.percent, 100)
    if 0 < read < 1000 and reads != writes:
        given.cannot("percentage_random", "differs between reads and writes")
    return 10 * (reads if read else writes)


def _skew(given: Given, processes: int) -> str | None:
    """Return the skew of random places, in a scenario's words."""
    kind, _, rest = given.text("random_distribution", "random").partition(":")
    if kind == "random":
        return None
    if kind == "zipf" and re.fullmatch(r"\d+(\.\d{1,3})?", rest):
        if processes > 1:
            given.cannot("random_distribution", "each process prefers other blocks; here the same")
        return f"{{zipf: {rest}}}"
    zones = re.fullmatch(r"(\d+)/(\d+):(\d+)/(\d+)", rest)
    if kind == "zoned" and zones:
        ios, blocks, other_ios, other_blocks = map(int, zones.groups())
        if ios + other_ios == blocks + other_blocks == 100:
            return f"{{hot: {{ios: {ios}%, blocks: {blocks}%}}, scatter: false}}"
    given.cannot(
        "random_distribution", "expected random, zipf:EXPONENT or two zones of 100% in all"
    )
    return None
