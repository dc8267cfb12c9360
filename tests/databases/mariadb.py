"""A private MariaDB, and sysbench as its load."""

import re
from dataclasses import dataclass
from pathlib import Path

from databases import programs
from databases.programs import Server
from databases.server import DatabaseServer

USER = "mysql"
PROGRAMS = ["mariadbd", "mariadb-install-db", "mariadb", "sysbench"]

#: sysbench's data, some 120 MB in one table: several times the buffer pool.
ROWS = 500_000


@dataclass
class MariaDb(DatabaseServer):
    """A MariaDB server.

    InnoDB reads and writes past the page cache (`O_DIRECT`), and its buffer pool holds
    only a part of the data, so that reads reach the device as well.
    """

    @property
    def _socket(self) -> Path:
        return self.sockets / "mariadb.sock"

    def create(self) -> None:
        """Make the system tables. A test's own lie in the database `test`."""
        command = ["mariadb-install-db", "--no-defaults", "--skip-name-resolve",
                   "--auth-root-authentication-method=normal"]  # fmt: skip
        programs.run(*command, f"--datadir={self.data}", user=USER)

    def start(self, *options: str, timeout: float = 60) -> None:
        """Start it and wait until it answers, after a crash thus until it has recovered.

        `options` are for this start alone. Raises RuntimeError with the end of its log
        if it cannot.
        """
        command = ["mariadbd", *self.options(), *options]
        self._server = Server(USER, command, self.sockets / "mariadb.log", self.within)
        self._server.wait_until(self.answers, timeout)

    def options(self) -> list[str]:
        """What its program is started with."""
        settings = {
            "datadir": str(self.data),
            "socket": str(self._socket),
            "pid-file": str(self.sockets / "mariadb.pid"),
            "skip-networking": "1",
            # A server that starts deletes what others have in theirs.
            "tmpdir": str(self.sockets),
            "innodb-buffer-pool-size": "32M",
            "innodb-flush-method": "O_DIRECT",
            "innodb-log-file-size": "256M",
            # The pages that were in memory are read back only when needed.
            "innodb-buffer-pool-load-at-startup": "0",
            "innodb-buffer-pool-dump-at-shutdown": "0",
            **self.settings,
        }
        return ["--no-defaults", *(f"--{name}={value}" for name, value in settings.items())]

    def query(self, statements: str) -> str:
        """The rows of the statements, without headings."""
        return programs.run(*self.client(), "--execute", statements).stdout.strip()

    def client(self) -> list[str | Path]:
        """The command of a client that takes statements and prints bare rows."""
        options = ["--no-defaults", "--user=root", "--batch", "--skip-column-names", "--unbuffered"]
        return ["mariadb", *options, f"--socket={self._socket}", "test"]

    def fill(self) -> None:
        """Make sysbench's table."""
        self._sysbench("prepare")

    def load(self, seconds: int, clients: int) -> list[float]:
        """Transactions per second in each second of updates, as fast as they go."""
        return self._rates(seconds, clients)

    def steady(self, seconds: int) -> list[float]:
        """Transactions per second in each second of a load that asks for 800 reads.

        Three of four are read from the device. InnoDB writes its pages whenever it sees
        fit, so that no load with updates is as steady.
        """
        return self._rates(seconds, 4, "--rate=800", test="oltp_point_select")

    def _rates(
        self, seconds: int, clients: int, *options: str, test: str = "oltp_update_non_index"
    ) -> list[float]:
        often = ["--report-interval=1", f"--time={seconds}", f"--threads={clients}"]
        said = self._sysbench("run", *often, *options, test=test)
        return [float(rate) for rate in re.findall(r"^\[ \d+s \].* tps: ([\d.]+)", said, re.M)]

    def _sysbench(self, what: str, *options: str, test: str = "oltp_update_non_index") -> str:
        return programs.run(
            "sysbench", test, "--db-driver=mysql", "--mysql-db=test", "--mysql-user=root",
            f"--mysql-socket={self._socket}", "--rand-type=uniform", f"--table-size={ROWS}",
            *options, what, timeout=600,
        ).stdout  # fmt: skip
