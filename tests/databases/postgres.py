"""A private PostgreSQL, and pgbench as its load."""

import re
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from databases import programs
from databases.programs import Server
from databases.server import DatabaseServer

USER = "postgres"
PROGRAMS = ["initdb", "postgres", "psql", "pgbench"]

#: pgbench's data: 100,000 accounts for each.
SCALE = 5


@dataclass
class Postgres(DatabaseServer):
    """A PostgreSQL server.

    Of its defaults only those are changed that keep this small and to itself: no
    TCP, little memory, no checkpoints by the clock within a test.
    """

    #: A fast shutdown, as `pg_ctl stop -m fast`: with a checkpoint.
    STOP: ClassVar = signal.SIGINT

    def create(self) -> None:
        """Make an empty database cluster; what a test fills lies in `postgres`."""
        # Without syncs, as nothing of it is needed if this fails.
        programs.run("initdb", "--no-sync", "--auth=trust", "-D", self.data, user=USER)

    def start(self) -> None:
        """Start it and wait until it answers, after a crash thus until it has recovered.

        Raises RuntimeError with the end of its log if it cannot.
        """
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.sockets),
            "shared_buffers": "128MB",
            "checkpoint_timeout": "1h",
            **self.settings,
        }
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        command: list[str | Path] = ["postgres", "-D", self.data, *options]
        self._server = Server(USER, command, self.sockets / "postgres.log", self.within)
        self._server.wait_until(self.answers)

    def query(self, statements: str) -> str:
        """The rows of the last statement, as psql prints them bare."""
        return programs.run(*self.client(), "-c", statements).stdout.strip()

    def client(self) -> list[str | Path]:
        """The command of a client that takes statements and prints bare rows."""
        options = ["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"]
        return ["psql", *options, "--set=ON_ERROR_STOP=1", *self._where()]

    def fill(self) -> None:
        """Make pgbench's tables."""
        self._pgbench("--initialize", "--quiet", f"--scale={SCALE}")

    def load(self, seconds: int, clients: int) -> list[float]:
        """Transactions per second in each second of simple updates, as fast as they go."""
        return self._rates(seconds, clients)

    def steady(self, seconds: int) -> list[float]:
        """Transactions per second in each second of a load that asks for 600.

        From few clients, as many would share a flush and so do with fewer IOs.
        """
        return self._rates(seconds, 2, "--rate=600")

    def _rates(self, seconds: int, clients: int, *options: str) -> list[float]:
        said = self._pgbench(
            "--builtin=simple-update", "--no-vacuum", "--progress=1", f"--time={seconds}",
            f"--client={clients}", *options,
        )  # fmt: skip
        return [float(rate) for rate in re.findall(r"^progress: .*? s, ([\d.]+) tps", said, re.M)]

    def _pgbench(self, *options: str) -> str:
        # It reports its progress on standard error.
        return programs.run("pgbench", *options, *self._where(), timeout=600).stderr

    def _where(self) -> list[str]:
        return [f"--host={self.sockets}", f"--username={USER}", "postgres"]
