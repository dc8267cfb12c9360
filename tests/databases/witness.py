"""A client that notes which of its transactions were acknowledged."""

import contextlib
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from databases.programs import resolved

TABLE = "create table noted (id bigint primary key)"

#: The ids that each connection has to itself.
ROWS_EACH = 1_000_000_000


class Database(Protocol):
    """What a witness needs of a database."""

    def client(self) -> list[str | Path]:
        """The command of a client that takes statements and prints bare rows."""
        ...

    def query(self, statements: str) -> str:
        """The rows of the statements."""
        ...


class Witness:
    """Several connections, each inserting one row a transaction until it is cut off.

    A row counts as acknowledged once the server has said so. The witness runs outside
    of what is crashed, so it knows what a user was promised.
    """

    def __init__(self, first: int) -> None:
        self._first = first
        self._acknowledged: list[set[int]] = []
        self._clients: list[subprocess.Popen[str]] = []
        self._threads: list[threading.Thread] = []

    @property
    def acknowledged(self) -> set[int]:
        """The rows that were acknowledged so far."""
        return set().union(*(rows.copy() for rows in self._acknowledged))

    def connect(self, database: Database) -> None:
        """Have one more connection insert rows, with ids that no other uses."""
        client = subprocess.Popen(
            resolved(database.client()),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            bufsize=1,
        )
        rows: set[int] = set()
        first = (self._first + len(self._clients)) * ROWS_EACH
        thread = threading.Thread(target=_insert, args=(client, first, rows))
        self._clients.append(client)
        self._acknowledged.append(rows)
        self._threads.append(thread)
        thread.start()

    def until(self, rows: int, timeout: float = 120) -> None:
        """Wait until each connection had `rows` more rows acknowledged.

        Raises RuntimeError if they do not within `timeout` seconds.
        """
        goals = [len(own) + rows for own in self._acknowledged]
        deadline = time.monotonic() + timeout
        while any(len(own) < goal for own, goal in zip(self._acknowledged, goals, strict=True)):
            if time.monotonic() > deadline:
                counts = [len(own) for own in self._acknowledged]
                raise RuntimeError(f"rows acknowledged: {counts}; expected {goals}")
            time.sleep(0.05)

    def wait(self, timeout: float) -> None:
        """Wait until all connections are cut off, or `timeout` seconds have passed."""
        deadline = time.monotonic() + timeout
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def end(self) -> None:
        """Cut the connections that are left."""
        for client in self._clients:
            client.kill()
        for thread in self._threads:
            thread.join()
        for client in self._clients:
            client.wait()

    def lost(self, database: Database) -> set[int]:
        """The acknowledged rows that the database does not have."""
        present = database.query("select id from noted")
        return self.acknowledged - set(map(int, present.split()))


def _insert(client: subprocess.Popen[str], first: int, rows: set[int]) -> None:
    assert client.stdin
    assert client.stdout
    with client.stdout as answers, contextlib.suppress(BrokenPipeError), client.stdin as statements:
        for row in range(first, first + ROWS_EACH):
            statements.write(f"insert into noted values ({row}) returning id;\n")  # noqa: S608
            if answers.readline() != f"{row}\n":
                break
            rows.add(row)


@contextlib.contextmanager
def witness(*databases: Database, first: int = 0) -> Iterator[Witness]:
    """A witness with a connection to each database; all end with the block.

    `first` is the number of its first connection, which decides on the ids of its rows.
    """
    observer = Witness(first)
    try:
        for database in databases:
            observer.connect(database)
        yield observer
    finally:
        observer.end()
