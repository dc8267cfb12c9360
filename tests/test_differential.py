"""Emulated files and devices compared with plain ones; `differential.py` does longer runs."""

import os
from pathlib import Path

import pytest

import differential

pytestmark = pytest.mark.slow


@pytest.mark.skipif(not os.access("/dev/fuse", os.R_OK | os.W_OK), reason="no FUSE here")
@pytest.mark.parametrize("front", ["fuse", "block"])
def test_the_same_operations_give_the_same(tmp_path: Path, front: str) -> None:
    if front == "block" and (os.geteuid() != 0 or not Path("/dev/loop-control").exists()):
        pytest.skip("no loop devices here")
    differential.run(front, seed=1, number=1000, folder=tmp_path)


def test_a_difference_is_found_and_named(tmp_path: Path) -> None:
    ours, plain = tmp_path / "ours", tmp_path / "plain"
    for path, first in [(ours, b"\1"), (plain, b"\0")]:
        with path.open("wb") as file:
            file.write(first)
            file.truncate(differential.SIZE)
    with pytest.raises(AssertionError, match="seed 7"):
        differential.compare(7, 20, ours, plain)
