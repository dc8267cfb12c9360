"""Which files bench refuses to write to, and how the user insists.

Each reason for which a device is refused is tested beside the code, on loop devices, and in
the test machine.
"""

from pathlib import Path

import pytest

from conftest import Blockyard, folder, one_line

WRITES = """\
name: writes
duration: 1s
storage:
  data: {type: gp3, size: 1GiB}
workload:
  writers:
    kind: access_spec
    on: data
    file_size: 1MiB
    pattern: {size: 4KiB, read: 0%, random: 100%}
    outstanding: 1
    processes: 1
"""


@pytest.fixture
def precious(tmp_path: Path) -> Path:
    """A file that was not made here, and a scenario that would write to it."""
    (tmp_path / "writes.yaml").write_text(WRITES)
    file = tmp_path / "disk/data.dat"
    file.parent.mkdir()
    file.write_text("precious")
    return file


@pytest.mark.parametrize("target", ["disk/data.dat", "disk"])
def test_a_foreign_file_is_kept(blockyard: Blockyard, precious: Path, target: str) -> None:
    finished = blockyard("bench", "writes.yaml", "--map", f"data={target}", "--out", "run")
    assert finished.returncode == 2
    assert one_line(finished) == (
        "blockyard: disk/data.dat is not empty and was not made by blockyard; "
        "to write over it all the same: --overwrite 'disk/data.dat'"
    )
    assert precious.read_text() == "precious"
    assert folder(precious.parent.parent) == ["disk", "gp3.yaml", "writes.yaml"]


def test_a_file_named_by_overwrite_is_written_to(blockyard: Blockyard, precious: Path) -> None:
    arguments = ["bench", "writes.yaml", "--map", "data=disk", "--out"]
    named = blockyard(*arguments, "run", "--overwrite", precious)
    assert named.returncode == 0, named.stderr
    assert precious.stat().st_size == 1 << 20
    # From now on it is one that was made here.
    assert blockyard(*arguments, "again").returncode == 0


def test_an_override_must_name_a_target(blockyard: Blockyard, precious: Path) -> None:
    precious.unlink()
    finished = blockyard(
        "bench", "writes.yaml", "--map", "data=disk", "--out", "run", "--overwrite", "gp3.yaml"
    )
    assert finished.returncode == 2
    assert one_line(finished) == (
        "blockyard: --overwrite: gp3.yaml is not a target of this run; "
        "expected the file or block device that --map leads to"
    )
