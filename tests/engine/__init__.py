"""The module of pages in Node, for tests."""

import json
import lzma
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import blockyard

MODULE = Path(blockyard.__file__).parent / "pages" / "assets" / "engine.wasm.lzma"


class Engine:
    """A process of Node that hosts the module."""

    def __init__(self) -> None:
        node = Path(sys.executable).parent / "node"
        self._module = tempfile.NamedTemporaryFile(suffix=".wasm")  # noqa: SIM115 - until the end
        self._module.write(lzma.decompress(MODULE.read_bytes()))
        self._module.flush()
        self._node = subprocess.Popen(
            [node, Path(__file__).parent / "host.mjs", self._module.name],
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
        self._module.close()
