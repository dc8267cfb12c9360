"""Notebooks as pages: run from the first cell to the last, with the output."""

import contextlib
import html
import io
import json
from pathlib import Path
from typing import Any

from IPython.core.displayhook import CapturingDisplayHook
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from matplotlib.figure import Figure


def markdown(path: Path) -> str:
    """A notebook as Markdown, from a fresh run in its folder. Raises whatever a cell raises."""
    notebook = json.loads(path.read_text())
    shell = InteractiveShell()
    if shell.display_formatter is not None:
        shell.display_formatter.formatters["image/svg+xml"].for_type(Figure, _svg)
    with contextlib.chdir(path.parent):
        parts = [part for cell in notebook["cells"] for part in _cell(shell, cell)]
    return "\n\n".join(parts)


def _svg(figure: Figure) -> str:
    text = io.StringIO()
    figure.savefig(text, format="svg")
    # As an element of the page it needs no XML header.
    return text.getvalue()[text.getvalue().index("<svg") :]


def _cell(shell: InteractiveShell, cell: dict[str, Any]) -> list[str]:
    """A cell and its output."""
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return [source]
    with capture_output() as captured:
        values = CapturingDisplayHook(shell)
        shell.display_trap.hook = values
        result = shell.run_cell(source)
    result.raise_error()
    shown = [output.data for output in captured.outputs]
    shown += [value["data"] for value in values.outputs]
    printed = [_text(captured.stdout)] if captured.stdout else []
    return [f"```python\n{source}\n```", *printed, *map(_shown, shown)]


def _shown(forms: dict[str, Any]) -> str:
    """A cell's output, in the form that a browser shows best."""
    for form in ("text/html", "image/svg+xml"):
        if form in forms:
            return f"<div>\n{forms[form]}\n</div>"
    if "image/png" in forms:
        name = html.escape(forms.get("text/plain", ""))
        return f'<img alt="{name}" src="data:image/png;base64,{forms["image/png"].strip()}">'
    return _text(forms["text/plain"])


def _text(text: str) -> str:
    return f"```text\n{text.rstrip()}\n```"
