"""Which bytes a fio job covers."""

import re
from dataclasses import dataclass

from blockyard.formats.fio import values
from blockyard.formats.fio.findings import Given


@dataclass(frozen=True)
class Region:
    """The bytes that all processes cover together, and that each does; 0 if that is a problem."""

    size: int
    each: int


def region(given: Given, whole: int | None, processes: int, random: int) -> Region:
    """Return what a job covers; `whole` is the size of a file that states none."""
    if given.has("filesize"):
        whole = given.number("filesize", given.size, 0)
    start = _part(given, "offset", whole) if given.has("offset") else 0
    if start:
        given.findings.differs("files lie one after another on their device, not at fio's offset")
    covered = _covered(given, whole, start)
    _check_files(given, random)
    if processes == 1:
        return Region(covered, covered)
    return Region(_of_all(given, covered, whole, processes, random), covered)


def _covered(given: Given, whole: int | None, start: int) -> int:
    """Return the bytes that one process covers from `start` on."""
    if given.has("size") and not given.has("filesize"):
        size = _part(given, "size", whole)
        of_whole = given.name_of("size", "").endswith("%") or given.is_open("size")
        if not (size or of_whole):
            given.wrong("size", "expected one above 0")
        return size
    if whole is None:
        expected = "expected one, as with --size 400GiB; fio would take the whole device"
        given.wrong("size", expected)
        return 0
    if start >= whole:
        given.wrong("offset", f"behind the end of {whole:,} bytes")
        return 0
    return whole - start


def _check_files(given: Given, random: int) -> None:
    """Check that several files make no difference: IOs at random places of all of them do not."""
    names = len(re.findall(r"(?<!\\):", given.name_of("filename", ""))) + 1
    several = given.number("nrfiles", values.whole, 1) > 1
    if not (several or names > 1):
        return
    name = "nrfiles" if several else "filename"
    if random < 1000:
        given.cannot(name, "several files, each with its own run; a job here has one")
    else:
        given.findings.differs("several files of a job are one of their total size")


def _of_all(given: Given, covered: int, whole: int | None, processes: int, random: int) -> int:
    """Return what all processes cover together, if each covers as much."""
    step = _part(given, "offset_increment", whole) if given.has("offset_increment") else 0
    if step == covered or not given.has("filename"):
        given.findings.differs("processes with parts of their own share the whole of them here")
        return covered * processes
    if step:
        given.cannot("offset_increment", "expected none, or as much as `size`")
    elif random == 0:
        given.assume(
            "numjobs",
            "processes begin at one place, and follow each other",
            "they begin at places spread over the file",
        )
    return covered


def _part(given: Given, name: str, whole: int | None) -> int:
    """Return a size, or a percentage of the file."""
    if not given.name_of(name, "").endswith("%"):
        return given.number(name, given.size, 0)
    if whole is None:
        expected = "a share of what only the machine knows; give that as with --size 400GiB"
        given.wrong(name, expected)
        return 0
    return whole * given.number(name, lambda part: values.percent(part.removesuffix("%")), 0) // 100
