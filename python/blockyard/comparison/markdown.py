"""A comparison as GitHub's Markdown, for a comment on a pull request."""

import re
from collections.abc import Iterator, Sequence

from blockyard.comparison import side_costs, tables
from blockyard.comparison.sides import Comparison
from blockyard.text.table import Table

# What would be markup, or call a person, outside code.
_MARKUP = str.maketrans(
    {
        "&": "&amp;",
        "<": "&lt;",
        ">": "&gt;",
        "@": "&#64;",
        "|": "\\|",
        "*": "\\*",
        "_": "\\_",
        "[": "\\[",
        "]": "\\]",
        "#": "\\#",
        "~": "\\~",
        "\n": " ",
    }
)


def markdown(comparison: Comparison) -> str:
    """Return the verdict, the conditions, a table for each side, and the rest folded away."""
    blocks = [*_verdict(comparison), *_conditions(comparison)]
    for differing in comparison["differing"]:
        blocks += _side(comparison, differing["side"])
    return "\n\n".join([*blocks, *_details(comparison)]) + "\n"


def _verdict(comparison: Comparison) -> Iterator[str]:
    for concluded in comparison["conclusions"]:
        yield f"**{_sentence(concluded['sentence'])}**"


def _conditions(comparison: Comparison) -> Iterator[str]:
    """Each condition of `--fail-if`: whether the check fails."""
    names = comparison["sides"]
    rows = [
        [
            "fails" if one["holds"] else "passes",
            one["condition"],
            *([names[one["side"]]] if len(names) > 2 else []),
            one["measured"],
        ]
        for one in comparison["conditions"]
    ]
    if rows:
        side = ["side"] if len(names) > 2 else []
        yield _table(["check", "fails if", *side, "measured"], rows, words=4)


def _side(comparison: Comparison, side: int) -> Iterator[str]:
    """How a side differs from the first, without columns that are empty."""
    names = comparison["sides"]
    if len(names) > 2:
        yield f"### {_text(names[side])} against {_text(names[0])}"
    lines = tables.against(comparison, side)
    table = Table(
        "",
        ["", names[0], names[side], "change", "95% interval", "verdict"],
        [
            [line.figure, line.first, line.other, line.change, line.interval, line.verdict]
            for line in lines
        ],
    ).without_empty()
    yield _table(table.columns, table.rows)


def _details(comparison: Comparison) -> Iterator[str]:
    """What explains the figures: changes, load steps, the bill, notes."""
    names = comparison["sides"]
    changes = [line for one in comparison["differing"] for line in one["lines"]]
    parts = ["\n".join(f"- {_text(line)}" for line in changes)] if changes else []
    for differing in comparison["differing"]:
        parts += _steps(comparison, differing["side"])
    costs = side_costs.table(names, comparison["costs"])
    if costs is not None:
        parts += [f"{_text(costs.caption)}:", _table(costs.columns, costs.rows)]
    notes = [*tables.bases(comparison), *comparison["notes"]]
    parts += ["\n".join(f"- {_sentence(line)}" for line in notes)] if notes else []
    if parts:
        inner = "\n\n".join(parts)
        yield f"<details>\n<summary>Changes, cost and notes</summary>\n\n{inner}\n\n</details>"


def _steps(comparison: Comparison, side: int) -> Iterator[str]:
    """Each load step: IOPS or TPS, and p99 beside it."""
    names = comparison["sides"]
    both = (names[0], names[side])
    rows = []
    for step in tables.by_step(comparison, side):
        p99 = [step.p99.first, step.p99.other, step.p99.brief] if step.p99 else ["", "", ""]
        rate = [step.rate.first, step.rate.other, step.rate.brief]
        rows.append([f"{step.name} {step.load}", *rate, *p99])
    if rows:
        columns = [*(f"rate, {name}" for name in both), "change"]
        columns += [*(f"p99, {name}" for name in both), "change"]
        yield _table(["load step", *columns], rows)


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]], words: int = 1) -> str:
    """A table whose columns after the first `words` are figures, up to a verdict in words."""
    figures = [
        "---" if at < words or name == "verdict" else "---:" for at, name in enumerate(columns)
    ]
    lines = [columns, *rows]
    cells = [" | ".join(_text(cell) for cell in line) for line in lines]
    return "\n".join(f"| {line} |" for line in [cells[0], " | ".join(figures), *cells[1:]])


def _text(text: str) -> str:
    return text.replace("\\", "\\\\").translate(_MARKUP).replace("`", "\\`")


def _sentence(text: str) -> str:
    """A sentence, whose names in backticks are code."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else _text(part) for part in parts)
