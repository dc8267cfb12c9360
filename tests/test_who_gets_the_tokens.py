"""The measurement that shows a volume's discipline finds the one that is emulated.

An emulated volume takes all IO to a device as one submitter's, so a simulation
stands in for one with `per_submitter`.
"""

import json
import re
from pathlib import Path

import pytest

from conftest import ONCE, ROOT, Blockyard
from serving import serve

pytestmark = pytest.mark.slow

SCENARIO = ROOT / "scenarios" / "examples" / "who-gets-the-tokens.yaml"
DISCIPLINES = ("fifo", "per_direction", "per_submitter")
# Two seconds for each depth of the writer.
SHORT = ["--set", "duration=6s", "--set", "warmup=500ms", "--set", "interval=500ms"]
FIGURE = "beside-64.latency.mean"
# The disciplines are factors apart, and a busy machine holds the writer up.
WITHIN_A_QUARTER = ["--fail-if", f"{FIGURE} < -25%", "--fail-if", f"{FIGURE} > +25%"]


def simulate(blockyard: Blockyard, discipline: str, out: str) -> None:
    """Simulate the scenario under a discipline."""
    options = ["--set", f"storage.data.discipline={discipline}", "--out", out]
    done = blockyard("simulate", SCENARIO, *SHORT, *ONCE, *options)
    assert done.returncode == 0, done.stderr


def answers(blockyard: Blockyard) -> list[str]:
    """The disciplines under which a simulation agrees with the run `measured`."""
    for discipline in DISCIPLINES:
        simulate(blockyard, discipline, discipline)
    compared = {}
    for discipline in DISCIPLINES:
        done = blockyard("compare", discipline, "measured", *WITHIN_A_QUARTER)
        compared[discipline] = done.returncode
        # It ends in a sentence on real runs as well.
        assert re.search(r"`measured`\)? vs ", " ".join(done.stdout.split()))
    assert set(compared.values()) <= {0, 1}
    return [discipline for discipline, status in compared.items() if status == 0]


def reads(run: Path) -> list[float]:
    """The readers' IOPS beside each depth of the writer."""
    result = json.loads((run / "result.json").read_text())
    steps = [step for step in result["steps"] if step["job"].startswith("beside-")]
    return [step["iops"] for step in steps if step["processes"]]


@pytest.mark.realtime
@pytest.mark.skipif(not Path("/dev/fuse").exists(), reason="/dev/fuse is missing")
@pytest.mark.parametrize("discipline", ["fifo", "per_direction"])
def test_the_answer_is_what_is_emulated(
    discipline: str, blockyard: Blockyard, tmp_path: Path
) -> None:
    volume = tmp_path / "volume"
    volume.mkdir()
    options = ["--as", f"fuse={volume}", "--set", f"storage.data.discipline={discipline}"]
    with serve(SCENARIO.read_text(), *options, folder=tmp_path) as served:
        device = served.paths["data"]
        target = ["--map", f"data={device}", "--overwrite", device, "--out", "measured"]
        done = blockyard("bench", SCENARIO, *target, *SHORT)
        assert done.returncode == 0, done.stderr
    assert answers(blockyard) == [discipline], reads(tmp_path / "measured")


def test_each_discipline_has_its_own_figures(blockyard: Blockyard, tmp_path: Path) -> None:
    """Those of docs/howto/who-gets-the-tokens.md."""
    expected = {"fifo": [1500, 334, 91], "per_direction": [1500] * 3, "per_submitter": [2664] * 3}
    for discipline, figures in expected.items():
        simulate(blockyard, discipline, "measured")
        assert reads(tmp_path / "measured") == pytest.approx(figures, rel=0.06)
        (tmp_path / "measured").rename(tmp_path / f"measured-{discipline}")
    (tmp_path / "measured-per_submitter").rename(tmp_path / "measured")
    assert answers(blockyard) == ["per_submitter"]
