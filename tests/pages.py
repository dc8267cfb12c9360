"""The documentation's pages, and the blocks of code on them."""

import re
from dataclasses import dataclass
from pathlib import Path

from conftest import ROOT

PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("benchmarks/*/*.md"),
        *ROOT.glob("*/README.md"),
    ]
)

# Pages whose commands need root and databases; tests/test_howto.py runs them from first to last
# in one shell.
WITH_DATABASES = ("postgresql", "mariadb", "crash-test", "galera")

# The folders that commands on pages find beside them.
SHARED = ("scenarios", "catalog")

_BLOCK = re.compile(r"^```(\S*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# What readers are to save as files, whose names stand in the words before: as `NAME.yaml`.
SAVED = ("yaml", "csv")
_NAMED = re.compile(r"as `([\w-]+\.(?:yaml|csv))`[^`]*\Z")


@dataclass(frozen=True)
class Block:
    """A block of code."""

    language: str
    text: str
    # The file in which readers are to save it, if any.
    file: str | None
    # Whether there are no words between it and the block before.
    follows: bool

    @property
    def opening(self) -> str:
        """Its first line, by which tests name it."""
        return self.text.partition("\n")[0]


def blocks(page: Path, *languages: str) -> list[Block]:
    """The page's blocks in order; of certain languages only, if they are given."""
    text = page.read_text()
    found = []
    end = 0
    for match in _BLOCK.finditer(text):
        before = text[end : match.start()]
        named = _NAMED.search(before)
        found.append(Block(match[1], match[2], named[1] if named else None, not before.strip()))
        end = match.end()
    return [block for block in found if not languages or block.language in languages]


def prose(page: Path) -> str:
    """The page without its blocks."""
    return _BLOCK.sub("", page.read_text())


def name_of(page: Path) -> str:
    """The name of a page in tests."""
    return str(page.relative_to(ROOT))
