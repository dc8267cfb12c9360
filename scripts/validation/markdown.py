"""Tables and figures as Markdown."""

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def off(value: float, reference: float) -> str:
    """How far a figure differs from another."""
    return f"{100 * (value / reference - 1):+.1f} %"


def against(simulated: float, figure: float) -> tuple[str, str]:
    """A simulated rate, and how far it differs from the published one."""
    return f"{simulated:,.0f}", off(simulated, figure)
