"""Which bytes a fio job covers."""

from blockyard.formats.fio import values
from blockyard.formats.fio.findings import Given


def region(given: Given, whole: int | None, processes: int, random: int) -> int:
    """Return the number of bytes that all processes cover together."""
    if given.has("filesize"):
        whole = given.number("filesize", given.size, 0)
    start = _part(given, "offset", whole) if given.has("offset") else 0
    if given.has("size") and not given.has("filesize"):
        covered = _part(given, "size", whole)
    elif whole is not None:
        covered = whole - start
    else:
        raise given.wrong("size", "expected one; what fio would take is given with --size")
    if start:
        given.findings.differs("files lie one after another on their device, not at fio's offset")
    if given.has("io_size") and random < 1000 and _part(given, "io_size", whole) < covered:
        given.cannot("io_size", "starts over before the end of the file")
    several = given.number("nrfiles", values.whole, 1) > 1
    if several or ":" in given.text("filename", "").replace("\\:", ""):
        given.cannot("nrfiles" if several else "filename", "several files; a job has one")
    if processes == 1:
        return covered
    step = _part(given, "offset_increment", whole) if given.has("offset_increment") else 0
    if step == covered or not given.has("filename"):
        given.findings.differs("processes with parts of their own share the whole of them here")
        return covered * processes
    if step:
        given.cannot("offset_increment", "expected none, or as much as `size`")
    elif random == 0:
        given.cannot("numjobs", "processes begin at one place; here they spread over the file")
    return covered


def _part(given: Given, name: str, whole: int | None) -> int:
    """Return a size, or a percentage of the file."""
    text = given.text(name, "")
    if not text.endswith("%"):
        return given.number(name, given.size, 0)
    if whole is None:
        raise given.wrong(name, "a share of what only the machine knows; give that with --size")
    return whole * given.number(name, lambda part: values.percent(part.removesuffix("%")), 0) // 100
