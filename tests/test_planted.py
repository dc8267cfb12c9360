"""The planted bugs: each still fits the tree, so that `make planted` can try it."""

import shutil
import subprocess
from pathlib import Path

import pytest

from conftest import ROOT

PATCHES = sorted((ROOT / "tests" / "planted").glob("*.patch"))


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
def test_each_applies() -> None:
    assert len(PATCHES) > 150
    assert {patch.name: said for patch in PATCHES if (said := refused(patch))} == {}


def refused(patch: Path) -> str:
    """Why git does not apply a patch, if it does not."""
    command = ["git", "apply", "--check", str(patch)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stderr
