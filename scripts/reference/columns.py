"""The columns of a table, as documented by the module that makes it."""

from blockyard import _core

# The table whose columns others have, too.
FIRST = "intervals"


def text(table: str) -> str:
    """A line for each column; those of the first table are only named."""
    known = [] if table == FIRST else _core.table_columns(FIRST)
    columns = _core.table_columns(table)
    lines = [
        f"- `{name}` ({kind}): {of}" for name, kind, of in columns if (name, kind, of) not in known
    ]
    shared = [f"`{column[0]}`" for column in columns if column in known]
    if len(shared) > 1:
        lines.append(f"- As in `{FIRST}.parquet`: {', '.join(shared)}.")
    return "\n".join(lines)
