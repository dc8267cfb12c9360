"""A comparison as GitHub's Markdown, for a comment on a pull request."""

import re
from collections.abc import Iterator, Sequence

from blockyard.comparison.sides import Compared
from blockyard.text.table import Table
from blockyard.types.comparison import Comparison
from blockyard.types.comparison_tables import Line, StepLine

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


def markdown(compared: Compared) -> str:
    """Return the verdict, the conditions, a table for each side, and the rest folded away."""
    comparison = compared.found
    blocks = [*_verdict(comparison), *_conditions(comparison)]
    for side, tables in enumerate(compared.tables["sides"], start=1):
        blocks += _side(comparison["sides"], side, tables["lines"])
    return "\n\n".join([*blocks, *_details(compared)]) + "\n"


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


def _side(names: Sequence[str], side: int, lines: Sequence[Line]) -> Iterator[str]:
    """How a side differs from the first, without columns that are empty."""
    if len(names) > 2:
        yield f"### {_text(names[side])} against {_text(names[0])}"
    table = Table(
        "",
        ["", names[0], names[side], "change", "95% interval", "verdict"],
        [
            [
                *(line["figure"], line["first"], line["other"]),
                *(line["change"], line["interval"], line["verdict"]),
            ]
            for line in lines
        ],
    ).without_empty()
    yield _table(table.columns, table.rows)


def _details(compared: Compared) -> Iterator[str]:
    """What explains the figures: changes, load steps, the bill, notes."""
    comparison, tables = compared.found, compared.tables
    names = comparison["sides"]
    changes = [line for one in comparison["differing"] for line in one["lines"]]
    parts = ["\n".join(f"- {_text(line)}" for line in changes)] if changes else []
    for name, own in zip(names[1:], tables["sides"], strict=True):
        parts += _steps((names[0], name), own["steps"])
    costs = compared.costs
    if costs:
        parts += [f"{_text(costs.caption)}:", _table(costs.columns, costs.rows)]
    notes = [*tables["bases"], *comparison["notes"]]
    parts += ["\n".join(f"- {_sentence(line)}" for line in notes)] if notes else []
    if parts:
        inner = "\n\n".join(parts)
        yield f"<details>\n<summary>Changes, cost and notes</summary>\n\n{inner}\n\n</details>"


def _steps(both: tuple[str, str], steps: Sequence[StepLine]) -> Iterator[str]:
    """Each load step: IOPS or TPS, and p99 beside it."""
    rows = []
    for step in steps:
        p99 = _figures(step["p99"]) if step["p99"] else ["", "", ""]
        rows.append([f"{step['name']} {step['load']}", *_figures(step["rate"]), *p99])
    if rows:
        columns = [*(f"rate, {name}" for name in both), "change"]
        columns += [*(f"p99, {name}" for name in both), "change"]
        yield _table(["load step", *columns], rows)


def _figures(line: Line) -> list[str]:
    return [line["first"], line["other"], line["brief"]]


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
