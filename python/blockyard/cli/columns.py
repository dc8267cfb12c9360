"""Which columns of a table a terminal has room for."""

from collections.abc import Sequence

from rich.cells import cell_len

# Blanks between two columns.
GAP = 2


def kept(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int,
    first_to_go: Sequence[str],
    least_name: int = 10,
) -> list[int]:
    """The numbers of the columns that fit into `width` once others are left out, in that order.

    The first column contains names, which may be cut or folded to `least_name`.
    """
    widths = [max(map(cell_len, column)) for column in zip(headings, *rows, strict=True)]
    widths[0] = min(widths[0], least_name)
    places = list(range(len(headings)))
    for heading in first_to_go:
        if sum(widths[place] + GAP for place in places) - GAP <= width:
            break
        places = [place for place in places if headings[place] != heading]
    return places
