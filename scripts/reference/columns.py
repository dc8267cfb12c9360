"""The columns of a table, as documented by the module that makes it."""

from blockyard import _core

# The table whose columns others have, too.
FIRST = "intervals"


# From this many shared columns on, a table refers to the first.
SHARED = 3


def text(table: str) -> str:
    """A line for each column; many that the first table has are only named."""
    columns = _core.table_columns(table)
    known = [] if table == FIRST else _core.table_columns(FIRST)
    shared = [column for column in columns if column in known]
    if len(shared) < SHARED:
        shared = []
    lines = [
        f"- `{name}` ({kind}): {of}" for name, kind, of in columns if (name, kind, of) not in shared
    ]
    if shared:
        lines.append(f"- As in `{FIRST}.parquet`: {', '.join(f'`{name}`' for name, *_ in shared)}.")
    return "\n".join(lines)
