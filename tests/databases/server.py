"""What the servers of both databases have in common."""

import signal
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from databases.programs import Server


@dataclass
class DatabaseServer(ABC):
    """A server with its data in one folder and its socket in another."""

    data: Path
    sockets: Path
    settings: dict[str, str] = field(default_factory=dict)
    #: What its command is run by, such as `nsenter`, as root.
    within: list[str] = field(default_factory=list)
    _server: Server | None = None

    #: What asks it to end in order.
    STOP: ClassVar[signal.Signals] = signal.SIGTERM

    @abstractmethod
    def query(self, statements: str) -> str:
        """The rows of the statements, without headings. Raises RuntimeError if they fail."""

    def answers(self) -> bool:
        """Whether it takes queries."""
        try:
            return self.query("select 1") == "1"
        except RuntimeError:
            return False

    def cpu_s(self) -> float:
        """Processor time that the running server has used."""
        assert self._server
        return self._server.cpu_s()

    def stop(self) -> None:
        """Stop it in order."""
        if self._server:
            self._server.stop(self.STOP)

    def kill(self) -> None:
        """End it as kill -9 does."""
        if self._server:
            self._server.kill()

    def wait(self) -> None:
        """Wait until it has ended by itself. Raises TimeoutExpired if it does not."""
        assert self._server
        self._server.wait()

    def freeze(self) -> None:
        """Stop it where it is, so that it keeps its connections and says nothing."""
        assert self._server
        self._server.freeze()

    def thaw(self) -> None:
        """Have one that was frozen go on."""
        assert self._server
        self._server.thaw()
