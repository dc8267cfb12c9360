"""The documentation: its links lead somewhere, and its commands do what it shows."""

import re
import shlex
from pathlib import Path

import pytest

from conftest import ROOT, Blockyard

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/**/*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_relative_links_lead_to_files(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
        if "://" not in link:
            assert (page.parent / link).exists(), link


def shown() -> list[tuple[str, str]]:
    """Commands in the README's console blocks, with the output that is shown."""
    found = []
    for block in re.findall(r"```console\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL):
        for part in block.split("$ ")[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def test_the_readme_shows_what_its_commands_print(blockyard: Blockyard, tmp_path: Path) -> None:
    (tmp_path / "scenarios").symlink_to(ROOT / "scenarios")
    commands = shown()
    assert commands
    for command, output in commands:
        program, *arguments = shlex.split(command)
        assert program == "blockyard"
        done = blockyard(*arguments)
        assert done.returncode == 0, done.stderr
        if output:
            assert done.stdout.strip() == output.strip()
