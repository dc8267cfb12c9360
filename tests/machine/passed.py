"""Whether what only the virtual machine tests can have changed since it passed there.

The machine takes minutes, emulated as its processor is. What it tests is how the kernel gets along
with devices that are served, written to and provisioned: neither the model nor reports.

    make machine     tries all of it, and keeps what is there now as what passed
"""

import re
from collections.abc import Iterator
from pathlib import Path

from kept import ROOT, files, hashed, is_noted

# The hash of what was there when all passed.
NOTE = Path(__file__).with_name("passed-at")

TESTED = (
    "benchmarks/mirrors/mirror.yaml",
    "crates/bench/src",
    "crates/emulate/src",
    "crates/machine/src",
    "crates/observe/src/events",
    "crates/observe/src/ios",
    "crates/provision/src",
    "crates/sys/src",
    "crates/trace/src/block",
    "python/blockyard/cli/bench*.py",
    "python/blockyard/cli/emulate*.py",
    "tests/forked.py",
    "tests/machine",
    "tests/test_machine.py",
)
UNIT_TESTS = re.compile("^crates/.*/tests(/|[.]rs$)")


def contents() -> Iterator[tuple[str, bytes]]:
    """All that decides whether the tests pass, by name."""
    for name in files(*TESTED):
        if ROOT / name != NOTE and not UNIT_TESTS.search(name):
            yield name, (ROOT / name).read_bytes()


def is_as_it_was() -> bool:
    """Whether nothing has changed since all passed."""
    return is_noted(NOTE, hashed(contents()))


if __name__ == "__main__":
    NOTE.write_text(hashed(contents()) + "\n")
