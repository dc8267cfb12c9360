"""The simulator in a page: what its panel "What if" starts from, and the module itself."""

import base64
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

# Made by `make build` where there is a compiler for it.
_MODULE = Path(__file__).parent / "assets" / "engine.wasm.lzma"


@dataclass(frozen=True)
class Scenario:
    """A scenario that can be changed in the page."""

    name: str
    text: str
    # What it stands under in a long list.
    group: str = ""
    # Whether the report of the page is of a simulation of it, not of something measured.
    simulated: bool = True


@dataclass(frozen=True)
class Engine:
    """What the panel of a page starts from: the first scenario, unless its reader chooses."""

    scenarios: Sequence[Scenario]
    # Whether the page has a report of the scenarios as they are.
    own: bool = True
    # The regions in which its reader can plan a layout; None if there is nothing to plan.
    regions: Sequence[str] | None = None

    def given(self) -> str:
        """It as JSON that can stand in a script element."""
        return json.dumps(asdict(self), ensure_ascii=False).replace("<", "\\u003c")


def module() -> str | None:
    """The simulator as WebAssembly, gzipped, as base64; None where it was not built."""
    if not _MODULE.exists():
        return None
    return base64.b64encode(_MODULE.read_bytes()).decode()
