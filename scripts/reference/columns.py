"""The columns of a table, as documented by the module that makes it."""

from blockyard import _core


def text(table: str) -> str:
    """A row for each column."""
    rows = [
        f"| `{name}` | {kind} | {meaning} |" for name, kind, meaning in _core.table_columns(table)
    ]
    return "\n".join(["| column | value | meaning |", "| --- | --- | --- |", *rows])
