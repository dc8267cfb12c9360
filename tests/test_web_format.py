"""The page's figures, like Python's: close to the exact value, and without an exponent."""

import json
import shutil
import subprocess

import pytest

from blockyard.text import formatting
from conftest import ROOT
from test_formatting import parsed

_NODE = shutil.which("node", path=f"{ROOT}/.venv/bin") or shutil.which("node")

# From 1 ns to more than a year, in seconds.
_TIMES = [digit * 10**power for power in range(-9, 8) for digit in (1, 1.0049, 3.14159, 9.9951)]

_SCRIPT = """
import {{ clock, hours, number, quantity }} from "{format}";
const times = {times};
const of = (write) => times.map(write);
console.log(JSON.stringify({{
  s: of((s) => quantity(s, "s")),
  ms: of((s) => quantity(1000 * s, "ms")),
  number: of((s) => number(s)),
  clock: [5, 59.96, 3600, 20143, 86400].map(clock),
  hours: [0, 1800, 20143, 90000].map(hours),
}}));
"""


@pytest.mark.skipif(_NODE is None, reason="no node; it comes with make build")
def test_figures_of_the_page_read_back() -> None:
    script = _SCRIPT.format(format=ROOT / "web" / "src" / "format.ts", times=json.dumps(_TIMES))
    done = subprocess.run(
        [_NODE or "", "--input-type=module-typescript", "--eval", script],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    found = json.loads(done.stdout)
    assert found["s"] == found["ms"]
    for seconds, text, figure in zip(_TIMES, found["s"], found["number"], strict=True):
        read = parsed(text.replace("\u00a0", " "))
        assert abs(read - seconds) <= 0.00501 * seconds + 0.5e-9
        if seconds >= 120:
            assert text.replace("\u00a0", " ") == formatting.duration(seconds)
        assert "e" not in figure.lower()
    assert found["number"][-1] == "100 million"
    assert found["clock"] == ["0:05", "1:00", "1:00:00", "5:35:43", "24:00:00"]
    assert found["hours"] == ["0:00", "0:30", "5:36", "25:00"]
