"""How large the IOs of a fio job are."""

from fractions import Fraction

from blockyard.formats.fio import values
from blockyard.formats.fio.findings import Given

# Sizes in bytes, with the share of IOs that has each.
Sizes = dict[int, Fraction]

# Blocks are whole sectors.
SECTOR = 512
# fio's own.
DEFAULT = 4096


def block_of(given: Given, read: int) -> int:
    """Return the size of every IO of a job with this share of reads, in 1/1000.

    A scenario's job has one size; several are a problem.
    """
    name, (reads, writes) = _sizes(given)
    share = Fraction(read, 1000)
    drawn = {size: share * part for size, part in reads.items()}
    for size, part in writes.items():
        drawn[size] = drawn.get(size, Fraction(0)) + (1 - share) * part
    used = {size: part for size, part in drawn.items() if part}
    if not used:
        given.wrong(name, "expected a size that some IOs have")
        return DEFAULT
    block = max(used, key=lambda size: used[size])
    if len(used) > 1:
        given.cannot(name, "IOs of several sizes; a job here has one")
    elif block % SECTOR or not block:
        wanted = f"expected a multiple of {SECTOR}; of a file system its pages, with --set bs=4k"
        given.wrong(name, f"IOs of {block:,} bytes; {wanted}")
        return DEFAULT
    if given.has("ba") and given.pair("ba", given.size, block)[0 if read else 1] != block:
        given.cannot("ba", "IOs are aligned to their size")
    return block


def _sizes(given: Given) -> tuple[str, tuple[Sizes, Sizes]]:
    """Return the option that decides in fio, and the sizes of reads and of writes."""
    one = {DEFAULT: Fraction(1)}
    if given.has("bssplit"):
        return "bssplit", given.pair("bssplit", lambda text: _split(given, text), one)
    if given.has("bsrange"):
        return "bsrange", given.pair("bsrange", lambda text: _range(given, text), one)
    return "bs", given.pair("bs", lambda text: {given.size(text): Fraction(1)}, one)


def _split(given: Given, text: str) -> Sizes:
    """Read `8k/50:64k/50`; sizes without a percentage share what is left."""
    parts = [part.partition("/") for part in text.split(":")]
    stated = [values.percent(share) for _, _, share in parts if share]
    if sum(stated) > 100:
        raise ValueError("expected percentages of at most 100 in all")
    rest = Fraction(100 - sum(stated), max(1, len(parts) - len(stated)))
    sizes: Sizes = {}
    for size, _, share in parts:
        weight = Fraction(values.percent(share)) if share else rest
        bytes_ = given.size(size)
        sizes[bytes_] = sizes.get(bytes_, Fraction(0)) + weight / 100
    return sizes


def _range(given: Given, text: str) -> Sizes:
    """Read `1k-4k`: multiples of the smallest, all as often."""
    low, dash, high = text.partition("-")
    least, most = given.size(low), given.size(high if dash else low)
    if not 0 < least <= most:
        raise ValueError("expected a range such as 4k-16k")
    # The first and the last stand for all.
    last = most // least * least
    return {least: Fraction(1)} if last == least else {least: Fraction(1, 2), last: Fraction(1, 2)}
