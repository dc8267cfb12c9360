"""The documentation: its links lead somewhere, and it shows what is so."""

import re
import shlex
from pathlib import Path

import pytest

from blockyard._core import Scenario
from blockyard.tables import INTERVALS, VOLUMES
from conftest import ROOT, Blockyard

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/*/*.md")])
REFERENCE = ROOT / "docs" / "reference"


def blocks(page: Path, language: str) -> list[str]:
    """The page's code blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """What links can name on a page: its headings, as GitHub makes anchors of them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def pages_with(language: str) -> list[Path]:
    """The pages that have code blocks of a language."""
    return [page for page in PAGES if blocks(page, language)]


def name_of(page: Path) -> str:
    """How a test names a page."""
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_relative_links_lead_to_files_and_headings(page: Path) -> None:
    for link in re.findall(r"\]\(([^)]+)\)", page.read_text()):
        if "://" not in link:
            path, _, anchor = link.partition("#")
            target = page.parent / path if path else page
            assert target.exists(), link
            assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("page", pages_with("console"), ids=name_of)
def test_console_blocks_show_what_their_commands_print(
    page: Path, blockyard: Blockyard, tmp_path: Path
) -> None:
    (tmp_path / "scenarios").symlink_to(ROOT / "scenarios")
    for block in blocks(page, "console"):
        for part in block.split("$ ")[1:]:
            command, _, output = part.partition("\n")
            program, *arguments = shlex.split(command)
            assert program == "blockyard"
            done = blockyard(*arguments)
            assert done.returncode == 0, done.stderr
            if output:
                assert done.stdout.strip() == output.strip()


@pytest.mark.parametrize("page", pages_with("yaml"), ids=name_of)
def test_yaml_blocks_are_scenarios(page: Path) -> None:
    for block in blocks(page, "yaml"):
        Scenario.load(block, name_of(page), [])


def test_results_page_has_every_column() -> None:
    page = (REFERENCE / "results.md").read_text()
    for name, schema in (("intervals", INTERVALS), ("volumes", VOLUMES)):
        _, _, rest = page.partition(f"## {name}.parquet")
        first_cells = re.findall(r"^\| (`.*?) \|", rest.partition("\n## ")[0], re.MULTILINE)
        assert re.findall(r"`(\w+)`", " ".join(first_cells)) == list(schema.names)


@pytest.mark.parametrize(
    "command",
    [
        "simulate",
        "bench",
        "emulate",
        "catalog volumes",
        "catalog instances",
        "schema",
        "import fio",
        "export fio",
    ],
)
def test_command_line_page_has_every_option(command: str, blockyard: Blockyard) -> None:
    page = (REFERENCE / "command-line.md").read_text()
    _, _, rest = page.partition(f"## blockyard {command.split()[0]}")
    shown = set(re.findall(r"^\| `(--[\w-]+)", rest.partition("\n## ")[0], re.MULTILINE))
    offered = set(re.findall(r"^ +(--[\w-]+)", blockyard(*command.split(), "--help").stdout, re.M))
    assert shown == offered
