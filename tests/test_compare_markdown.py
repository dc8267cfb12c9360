"""`compare --format markdown`: what GitHub shows of it, by a Markdown parser."""

import re
from html import unescape
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from blockyard.comparison import markdown
from conftest import Blockyard

SCENARIO = """\
name: readers
duration: 2s
storage: {data: {type: gp3, size: 100GiB, iops: 3000}}
workload:
  readers: {kind: ranread, on: data, file_size: 50GiB, processes: [2, 4]}
"""


@pytest.fixture
def runs(blockyard: Blockyard, tmp_path: Path) -> Blockyard:
    (tmp_path / "s.yaml").write_text(SCENARIO)
    for out, iops in (("old", "3000"), ("new|<b>@me", "4000")):
        done = blockyard(
            *("simulate", "s.yaml", "--out", out, "--seeds", "1"),
            *("--set", f"storage.data.iops={iops}"),
        )
        assert done.returncode == 0, done.stderr
    return blockyard


def rendered(text: str) -> str:
    return str(MarkdownIt("commonmark").enable("table").render(text))


def cells(html: str) -> list[list[str]]:
    rows = re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)
    found = [re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]
    return [[unescape(cell) for cell in row] for row in found]


def test_tables_and_verdict_are_those_of_the_terminal(runs: Blockyard) -> None:
    gate = ("--fail-if", "readers.latency.p99 > +1%", "--fail-if", "readers.iops < 1")
    done = runs("compare", "old", "new|<b>@me", *gate, "--format", "markdown")
    assert (done.returncode, done.stderr) == (0, "")
    html = rendered(done.stdout)
    assert html.startswith("<p><strong>")
    assert "<b>" not in html
    assert "@" not in done.stdout.replace("`new|<b>@me`", "")
    rows = cells(html)
    assert rows[1][:2] == ["passes", "readers.latency.p99 > +1%"]
    assert rows[3][:3] == ["", "old", "new|<b>@me"]
    figures = {row[0]: row for row in rows}
    plain = runs("compare", "old", "new|<b>@me", *gate).stdout
    for line in plain.splitlines():
        if line.startswith("readers.read."):
            name, change = line.split()[0], line.split()[-2]
            assert name in figures
            assert change in figures[name] or change in " ".join(figures[name])


def test_a_condition_that_holds_is_the_exit_status(runs: Blockyard) -> None:
    gate = ("--fail-if", "readers.iops > 1")
    done = runs("compare", "old", "new|<b>@me", *gate, "--format", "markdown")
    assert done.returncode == 1
    assert "| fails | readers.iops &gt; 1 |" in done.stdout


def test_names_are_text_and_code_stays_code() -> None:
    sentence = markdown._sentence("`a_b` vs *c* <i>: 1_2 @you [x](y)")
    assert sentence == "`a_b` vs \\*c\\* &lt;i&gt;: 1\\_2 &#64;you \\[x\\](y)"
    assert rendered(sentence).count("<") == 4
