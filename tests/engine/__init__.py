"""The module of pages in Node, for tests."""

import json
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import blockyard

MODULE = Path(blockyard.__file__).parent / "pages" / "assets" / "engine.wasm.gz"


class Engine:
    """A process of Node that hosts the module."""

    def __init__(self) -> None:
        node = Path(sys.executable).parent / "node"
        self._node = subprocess.Popen(
            [node, Path(__file__).parent / "host.mjs", MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, **question: Any) -> Any:
        """What the module answers."""
        return json.loads(self._line(json.dumps(question)))

    def memory(self) -> int:
        """Bytes that the module has."""
        return int(self._line("memory"))

    def _line(self, line: str) -> str:
        assert self._node.stdin
        assert self._node.stdout
        self._node.stdin.write(f"{line}\n")
        self._node.stdin.flush()
        return self._node.stdout.readline()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._node.kill()
        self._node.wait()
