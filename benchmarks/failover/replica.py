"""A MariaDB source and its semi-synchronous replica, which falls silent, and the source's loss."""

import asyncio
import contextlib
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from databases import programs
from databases.mariadb import USER, MariaDb
from databases.open_loop import LAST, PATIENCE_S, connection, open_loop
from databases.programs import owned
from databases.witness import TABLE

#: How long the replica is silent.
SILENT_S = 7
#: From then until what is under way has ended.
AFTER_S = 3


@dataclass(frozen=True)
class SemiSynchronous:
    """What is done: the replica is silent for a time, and perhaps the source is lost meanwhile."""

    timeout_s: float
    #: Whether the source is lost at the end of that time, and the replica promoted.
    is_lost: bool = False
    connections: int = 40
    rate: float = 200

    def __str__(self) -> str:
        """As the table has it."""
        lost = ", source killed" if self.is_lost else ""
        return f"semi-synchronous, timeout {self.timeout_s:g} s, replica frozen{lost}"


@dataclass(frozen=True)
class Waited:
    """What clients saw."""

    acknowledged: int
    #: Of these rows, those that the replica does not have.
    lost: int
    #: The longest time without a commit.
    outage_s: float
    #: Commits that nobody had acknowledged but the source.
    unacknowledged: int
    #: For how long after its return the replica was not waited for.
    return_s: float


def prepare(folder: Path) -> Path:
    """The data of a server with an empty table of rows, to be copied."""
    home, sockets = owned(folder / "home", USER), owned(folder / "sockets", USER)
    server = MariaDb(home / "data", sockets)
    server.create()
    try:
        server.start()
        server.query(TABLE)
        server.stop()
    finally:
        server.kill()
    return server.data


@contextlib.contextmanager
def pair(data: Path, folder: Path, timeout_s: float) -> Iterator[list[MariaDb]]:
    """A source and its replica, which waits for what comes."""
    folder.mkdir()
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    own = {
        "log-bin": "log",
        "skip-networking": "0",
        "bind-address": "127.0.0.1",
        "rpl-semi-sync-master-enabled": "ON",
        "rpl-semi-sync-slave-enabled": "ON",
        "rpl-semi-sync-master-timeout": str(round(timeout_s * 1000)),
        "skip-slave-start": "1",
    }
    found = []
    for number, place in enumerate((port, 0)):
        home = owned(folder / f"node{number}", USER)
        sockets = owned(folder / f"node{number}-sockets", USER)
        programs.run("cp", "-a", data, home)
        settings = own | {"server-id": str(number + 1), "port": str(place)}
        found.append(MariaDb(home / data.name, sockets, settings))
    source, replica = found
    # Only the source is heard.
    replica.settings["skip-networking"] = "1"
    try:
        source.start()
        source.query(
            "create user replica@'127.0.0.1'; grant replication slave on *.* to replica@'127.0.0.1'"
        )
        replica.start()
        replica.query(
            f"change master to master_host='127.0.0.1', master_port={port}, "
            "master_user='replica', master_log_file='log.000001', master_log_pos=4, "
            "master_connect_retry=1; start slave"
        )
        deadline = time.monotonic() + PATIENCE_S
        while not _is_semi_synchronous(source):
            if time.monotonic() > deadline:
                raise RuntimeError("the replica does not acknowledge")
            time.sleep(0.1)
        yield found
    finally:
        for node in found:
            node.kill()


def silence(data: Path, folder: Path, asked: SemiSynchronous, seed: str) -> Waited:
    """Silence the replica under load, and see how long commits wait and what is lost."""
    with pair(data, folder, asked.timeout_s) as (source, replica):
        return asyncio.run(_silence(source, replica, asked, seed))


async def _silence(
    source: MariaDb, replica: MariaDb, asked: SemiSynchronous, seed: str
) -> Waited:
    async with open_loop(
        [*source.client(), "--force"], asked.connections, asked.rate, seed
    ) as load:
        await load.some_time()
        began = time.monotonic()
        replica.freeze()
        await asyncio.sleep(began + SILENT_S - time.monotonic())
        without = await asyncio.to_thread(_status, source, "no_tx")
        returned = time.monotonic()
        if asked.is_lost:
            load.lose()
            source.kill()
            replica.thaw()
            await asyncio.to_thread(_applied, replica)
            async with connection([*replica.client(), "--force"]) as other:
                await other.inserted(LAST)
            until = returned
        else:
            replica.thaw()
            while not await asyncio.to_thread(_is_semi_synchronous, source):
                await asyncio.sleep(0.01)
            until = time.monotonic()
            without = await asyncio.to_thread(_status, source, "no_tx")
            await asyncio.sleep(AFTER_S)
            load.lose()
            await asyncio.to_thread(_caught_up, source, replica)
        rows = sorted(load.acknowledged.values())
    gaps = [later - earlier for earlier, later in zip(rows, rows[1:], strict=False)]
    lost = len(load.missing(replica))
    return Waited(len(rows), lost, max(gaps), int(without), until - returned)


def _status(server: MariaDb, name: str) -> str:
    return server.query(f"show status like 'Rpl_semi_sync_master_{name}'").split()[-1]


def _is_semi_synchronous(source: MariaDb) -> bool:
    said = source.query("show status like 'Rpl_semi_sync_master_%'").split()
    status = dict(zip(said[::2], said[1::2], strict=True))
    return (
        status["Rpl_semi_sync_master_status"] == "ON"
        and status["Rpl_semi_sync_master_clients"] == "1"
    )


def _applied(replica: MariaDb) -> None:
    """Wait until a replica whose source is gone has applied its relay log, and promote it."""
    while replica.query("select count(*) from information_schema.processlist where "
                        "state like '%has read all relay log%'") == "0":  # fmt: skip
        time.sleep(0.05)
    replica.query("stop slave; reset slave all")


def _caught_up(source: MariaDb, replica: MariaDb) -> None:
    file, place = source.query("show master status").split()[:2]
    replica.query(f"select master_pos_wait('{file}', {place}, {PATIENCE_S})")
