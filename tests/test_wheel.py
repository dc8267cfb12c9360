"""The wheel works where there is neither this checkout nor a Rust toolchain."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT, Finished, one_line

pytestmark = pytest.mark.slow

#: The installed package finds no programs: no toolchain, nothing from this checkout.
BARE = {"PATH": "/nonexistent", "HOME": "/nonexistent"}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel's command, in an environment that was empty."""
    folder = tmp_path_factory.mktemp("wheel")
    # In the profile that `make test` has just built.
    build = ["build", "--profile", "ci", "--locked", "--quiet", "--out", str(folder)]
    call(str(Path(sys.executable).with_name("maturin")), *build, environment=dict(os.environ))
    (wheel,) = folder.glob("blockyard-*-cp311-abi3-*.whl")
    environment = folder / "environment"
    # Without a pip of its own, and compiling only what is imported: seconds of a processor.
    call(sys.executable, "-m", "venv", "--without-pip", str(environment))
    python = str(environment / "bin/python")
    requirements = str(ROOT / "requirements/runtime.txt")
    install = [str(ROOT / "scripts/install.sh"), requirements, python]
    call(*install, environment=dict(os.environ))
    # The wheel contains everything that it needs, or this fails.
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--no-compile", "--quiet"]
    call(*pip, "--disable-pip-version-check", "--no-index", str(wheel))
    return environment / "bin/blockyard"


def run(*command: str, environment: dict[str, str] | None = None) -> Finished:
    """Run a command of the environment."""
    return subprocess.run(
        command,
        cwd=ROOT,
        env=environment or BARE,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def call(*command: str, environment: dict[str, str] | None = None) -> str:
    """The output of a command that must succeed."""
    done = run(*command, environment=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def simulate(blockyard: Path, out: Path) -> str:
    """The output of a simulation."""
    short = ["--set", "duration=6s", "--out", str(out)]
    return call(str(blockyard), "simulate", "scenarios/examples/gp3.yaml", *short)


def test_it_simulates_and_reports(installed: Path, tmp_path: Path) -> None:
    out, page = tmp_path / "run", tmp_path / "report.html"
    assert "readers read" in simulate(installed, out)
    call(str(installed), "report", str(out), "-o", str(page))
    assert "<script" in page.read_text(), "the page has no script"


def test_it_has_the_catalog(installed: Path) -> None:
    assert "gp3" in call(str(installed), "catalog", "volumes")


def test_it_says_what_pictures_need(installed: Path, tmp_path: Path) -> None:
    """It has none of the extras."""
    out, pictures = tmp_path / "run", tmp_path / "pictures"
    simulate(installed, out)
    refused = run(str(installed), "report", str(out), "--png", str(pictures))
    assert refused.returncode != 0
    assert "blockyard[plots]" in one_line(refused)
