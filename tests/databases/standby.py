"""A PostgreSQL primary and its standby behind a slow link, and the loss of the primary."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from databases import programs
from databases.open_loop import LAST, Outcome, connection, open_loop
from databases.postgres import USER, Postgres
from databases.programs import owned
from databases.relay import relay
from databases.witness import TABLE

SOCKET = ".s.PGSQL.5432"


@dataclass(frozen=True)
class Failover:
    """What is done: a load, and the loss of the primary."""

    synchronous_commit: str
    #: From then until the standby is promoted.
    failover_s: float
    connections: int = 40
    rate: float = 200
    #: Each way of the link.
    delay_s: float = 0.05

    def __str__(self) -> str:
        """As the benchmark's table has it."""
        return f"PostgreSQL, `{self.synchronous_commit}`"


def prepared(folder: Path) -> Path:
    """The data of a server with an empty table of rows, to be copied."""
    home, sockets = owned(folder / "home", USER), owned(folder / "sockets", USER)
    server = Postgres(home / "data", sockets, {"fsync": "off"})
    server.create()
    try:
        server.start()
        server.query(TABLE)
        server.stop()
    finally:
        server.kill()
    return server.data


@contextlib.contextmanager
def pair(
    data: Path, folder: Path, settings: dict[str, str], place: Path | None = None
) -> Iterator[list[Postgres]]:
    """A primary with `settings` and its standby, which finds it by the socket in `link`.

    Both begin with a copy of `data`; the primary's is in `place`, if that is not `folder`.
    """
    link = folder / "link"
    nodes = []
    for name in ("primary", "standby"):
        within = place if place and name == "primary" else folder
        home, sockets = owned(within / name, USER), owned(folder / f"{name}-sockets", USER)
        programs.run("cp", "-a", data, home)
        nodes.append(Postgres(home / data.name, sockets, settings))
        settings = {"primary_conninfo": f"host={link} user={USER}"}
    primary, standby = nodes
    (standby.data / "standby.signal").touch()
    try:
        primary.start()
        yield nodes
    finally:
        for node in nodes:
            node.kill()


def lose_primary(data: Path, folder: Path, asked: Failover, seed: str) -> Outcome:
    """Lose the primary under load, promote the standby, and count what it lacks.

    Both are made in the new folder `folder`, with a copy of `data`.
    """
    folder.mkdir()
    settings = {
        "synchronous_commit": asked.synchronous_commit,
        "synchronous_standby_names": "*",
    }
    with pair(data, folder, settings) as (primary, standby):
        return asyncio.run(lose(primary, standby, folder / "link", asked, seed))


async def lose(
    primary: Postgres,
    standby: Postgres,
    place: Path,
    asked: Failover,
    seed: str,
    fail: Callable[[], None] | None = None,
) -> Outcome:
    """Lose the primary under load, cut off and killed, or by what `fail` does and ends with."""
    place.mkdir()
    place.chmod(0o755)
    # Statements that fail have their turn again.
    options = ["--set=ON_ERROR_STOP=0"]
    async with relay(place / SOCKET, primary.sockets / SOCKET, asked.delay_s) as link:
        await asyncio.to_thread(standby.start)
        async with (
            connection([*standby.client(), *options]) as other,
            open_loop(primary.client(), asked.connections, asked.rate, seed) as load,
        ):
            await load.some_time()
            if fail:
                await asyncio.to_thread(fail)
                began = load.lose()
            else:
                # At one moment for clients and standby, however long the kill takes.
                link.cut()
                began = load.lose()
                primary.kill()
            await asyncio.sleep(began + asked.failover_s - time.monotonic())
            promote = ("pg_ctl", "promote", "--no-wait", "-D", standby.data)
            promotion = asyncio.to_thread(programs.run, *promote, user=USER)
            again, _ = await asyncio.gather(other.inserted(LAST), promotion)
        rows = load.acknowledged
        return Outcome(len(rows), len(load.missing(standby)), again - max(rows.values()))
