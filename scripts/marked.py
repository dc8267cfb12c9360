"""Pages with generated parts between `<!-- begin: NAME -->` and `<!-- end: NAME -->`.

Programs that fill them only compare if they are called with `--check`.
"""

import sys
from pathlib import Path


def fill(page: str, name: str, text: str) -> str:
    """The page with `text` as its part `name`. Raises ValueError if it has no such part."""
    begin, end = f"<!-- begin: {name} -->", f"<!-- end: {name} -->"
    before, _, rest = page.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise ValueError(f"no place for `{name}`")
    return f"{before}{begin}\n\n{text}\n\n{end}{after}"


def settled(page: Path, fresh: str, command: str) -> bool:
    """Write the fresh text, or with `--check` say whether the page already has it.

    `command` is the command that makes it anew.
    """
    if "--check" not in sys.argv[1:]:
        page.write_text(fresh)
    elif not page.exists() or fresh != page.read_text():
        print(f"drift: {page} is stale; run: {command}", file=sys.stderr)
        return False
    return True
