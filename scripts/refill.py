"""Puts the current output of commands into the `console` blocks of pages.

    python scripts/refill.py docs/tutorial.md

A block whose commands show no output is left as it is.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import pages  # noqa: E402 - the tests' parser of pages


def main() -> int:
    """Refill each page in a folder of its own, its commands in their order."""
    for name in sys.argv[1:]:
        page = ROOT / name
        text = page.read_text()
        with tempfile.TemporaryDirectory() as folder:
            for name in pages.SHARED:
                (Path(folder) / name).symlink_to(ROOT / name)
            for block in pages.blocks(page):
                if block.language in pages.SAVED and block.file:
                    (Path(folder) / block.file).write_text(block.text)
                if block.language == "console":
                    text = text.replace(block.text, refilled(block.text, folder))
        page.write_text(text)
    return 0


def refilled(text: str, folder: str) -> str:
    """A console block with fresh output."""
    parts = []
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        done = subprocess.run(  # noqa: S603 - the project's own pages
            shlex.split(command),
            cwd=folder,
            env=os.environ | {"PATH": f"{ROOT / '.venv' / 'bin'}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            print(f"{command}: {done.stderr}", file=sys.stderr)
        output = re.sub(r" +\n", "\n", done.stdout).rstrip() + "\n"
        parts.append(f"$ {command}\n{output if shown.strip() else ''}")
    return "".join(parts)


if __name__ == "__main__":
    sys.exit(main())
