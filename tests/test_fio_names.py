"""The names of fio's options, of which `import fio` knows those that fio itself has."""

import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from blockyard.formats.fio.options import ALIASES, CHANGING, CHANGING_WRITES, HARMLESS, READ


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("fio"), reason="fio is not installed")
def test_every_other_name_of_an_option_is_known() -> None:
    def help_of(name: str) -> tuple[str, str]:
        command = ["fio", f"--cmdhelp={name}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return name, done.stdout

    # Each start of fio sleeps for a moment.
    with ThreadPoolExecutor(16) as pool:
        told = list(pool.map(help_of, sorted({*READ, *HARMLESS, *CHANGING, *CHANGING_WRITES})))
    assert len(told) > 100
    for name, said in told:
        # An engine's own option is not in this list, and fio shows the nearest.
        if found := re.search(rf"(?m)^\s*{name}: .*\n\s*alias: (\S+)", said):
            assert ALIASES[found[1]] == name
