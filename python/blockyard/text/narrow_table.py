"""A table of figures, one line for each thing that is told of, as wide as a terminal has room."""

from collections.abc import Callable, Collection, Sequence

from rich.text import Text

# What a line is of, and its figures.
Line = tuple[str, ...]

_BETWEEN = "  "


def fitted(
    headings: Line,
    lines: Sequence[Line],
    columns: int,
    first_to_go: Sequence[str],
    tells: Callable[[Line, Collection[str]], bool] = lambda _line, _shown: True,
) -> Text:
    """A table; names that leave the figures no room stand on lines of their own.

    Where it is still too wide, figures go in the order of `first_to_go`, and with them each
    line that no longer `tells` anything under the headings that are left.
    """
    every = [headings, *lines]
    widths = [max(map(len, column)) for column in zip(*every, strict=True)]
    shown = list(range(len(headings)))
    if beside := _width(widths) <= columns:
        return _table(every, widths, beside=beside)
    for heading in first_to_go:
        if _width([0, *(widths[place] for place in shown[1:])]) <= columns:
            break
        shown.remove(headings.index(heading))
    left = {headings[place] for place in shown}
    kept = [headings, *(line for line in lines if tells(line, left))]
    return _table(
        [tuple(line[place] for place in shown) for line in kept],
        [widths[place] for place in shown],
        beside=beside,
    )


def _width(widths: Sequence[int]) -> int:
    return sum(widths) + len(_BETWEEN) * (len(widths) - 1)


def _table(lines: Sequence[Line], widths: Sequence[int], *, beside: bool) -> Text:
    table = Text(_aligned(lines[0], widths, beside=beside), style="bold")
    above = ""
    for line in lines[1:]:
        if not beside and line[0] != above:
            above = line[0]
            table.append(f"\n{above}", style="not bold")
        table.append(f"\n{_aligned(line, widths, beside=beside)}", style="not bold")
    return table


def _aligned(line: Line, widths: Sequence[int], *, beside: bool) -> str:
    figures = [text.rjust(width) for text, width in zip(line[1:], widths[1:], strict=True)]
    return _BETWEEN.join([line[0].ljust(widths[0]) if beside else "", *figures])
