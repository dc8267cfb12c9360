"""Whether the simulated tables and pictures of the documentation can have become stale.

They come from some hundred simulations, which take minutes, and a simulation gives the same bytes
each time. So where neither they nor anything that they are made from has changed since `make drift`
last found them fresh, they are fresh.

    python scripts/simulated.py           fails if something has changed
    python scripts/simulated.py --note    keeps what is there now as what is fresh
"""

import re
import sys
from collections.abc import Iterator

from kept import ROOT, files, hashed, is_noted

# The hash of what was there when all was fresh.
NOTE = ROOT / "scripts" / "simulated-from"

# What a simulation depends on, and what makes tables and pictures of it; no crate that only
# another command uses.
SIMULATING = (
    "catalog", "cost", "experiment", "explain", "model", "python", "record", "report", "scenario",
    "simulate", "text", "trace",
)  # fmt: skip
MADE_FROM = (
    "Cargo.lock",
    "Cargo.toml",
    "catalog/*.csv",
    "catalog/*.yaml",
    "docs/howto/replay.md",
    "measurements",
    "python/blockyard",
    "requirements/dev.txt",
    "scenarios",
    "scripts/gallery.py",
    "scripts/marked.py",
    "scripts/validation",
    *(f"crates/{crate}" for crate in SIMULATING),
)
# Tests, and the command itself: tables and pictures are made without it.
NOT_FROM = re.compile(r"/(tests|benches|cli)/|/tests\.rs$")

PICTURES = "docs/pictures/gallery"
PAGES = tuple(f"docs/validation{of}.md" for of in ("", "-infoscale", "-percona", "-cost"))
# The page that names rows which rules of the model rest on.
MODEL = "docs/model.md"
_NAMED = re.compile(r"[a-z0-9]+-\d{3}\b(?:(?:,| and| to) \d{3}\b)*")
_PART = re.compile(r"<!-- begin: .*?<!-- end: .*? -->", re.DOTALL)


def contents() -> Iterator[tuple[str, bytes]]:
    """All that decides whether a table or picture is fresh, by name."""
    for name in files(*MADE_FROM, PICTURES):
        if not NOT_FROM.search(name):
            yield name, (ROOT / name).read_bytes()
    # Of pages only what is filled in: the words around it are not made from anything.
    for name in PAGES:
        yield name, "\n".join(_PART.findall((ROOT / name).read_text())).encode()
    yield MODEL, "\n".join(_NAMED.findall((ROOT / MODEL).read_text())).encode()


def main() -> int:
    """Compare, or note."""
    if "--note" in sys.argv[1:]:
        NOTE.write_text(hashed(contents()) + "\n")
        return 0
    return int(not is_noted(NOTE, hashed(contents())))


if __name__ == "__main__":
    sys.exit(main())
