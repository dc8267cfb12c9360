"""The page without a run: examples, a blank layout and plans, all simulated in it."""

import json
from collections.abc import Iterator
from pathlib import Path

from blockyard import _core
from blockyard.pages.engine import Engine, Scenario
from blockyard.pages.page import Page

# Made by `make build` from `scenarios/`: texts by their paths there.
_EXAMPLES = Path(__file__).parent / "assets" / "examples.json"

# What is to be seen first.
_FIRST = "examples/gp3.yaml"

_BLANK = """\
name: blank
duration: 10s
storage:
  data: {type: gp3, size: 100GiB}
workload:
  readers: {kind: ranread, on: data, file_size: 80GiB, processes: 4}
"""


def playground(documentation: str | None = None) -> Page:
    """The page, with a link to the documentation if its address is given.

    Raises OSError if the examples have not been built.
    """
    return Page(
        title="Playground",
        headlines=[],
        heads=[],
        words=[],
        sections=[],
        engine=Engine(list(_scenarios()), own=False, regions=_core.regions()),
        documentation=documentation,
    )


def _scenarios() -> Iterator[Scenario]:
    texts: dict[str, str] = json.loads(_EXAMPLES.read_text(encoding="utf-8"))
    yield _example(_FIRST, texts.pop(_FIRST))
    yield Scenario("blank", _BLANK)
    published = sorted(path for path in texts if not path.startswith("examples/"))
    for path in [*published, *sorted(texts.keys() - published)]:
        yield _example(path, texts[path])


def _example(path: str, text: str) -> Scenario:
    folder, _, name = path.removesuffix(".yaml").rpartition("/")
    examples = folder == "examples" or folder.startswith("examples/")
    group = "Examples" if examples else "Published tests"
    return Scenario(name if examples else f"{folder}/{name}", text, group)
