"""A MariaDB source and its semi-synchronous replica, whose link is cut, and the source's loss."""

import asyncio
import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from databases import programs
from databases.mariadb import USER, MariaDb
from databases.network import Link, Network, network
from databases.open_loop import LAST, PATIENCE_S, connection, open_loop
from databases.programs import owned
from databases.witness import TABLE

#: How long the link is cut.
CUT_S = 7
#: Until a replica whose link is cut is promoted: `stop slave` tries to reach the source.
PROMOTED_S = 2
PORT = 3306
#: From then until what is under way has ended.
AFTER_S = 3


@dataclass(frozen=True)
class SemiSynchronous:
    """What is done: the link is cut for a time, and perhaps the source is lost at its end."""

    timeout_s: float
    #: Whether the source is lost then, and the replica promoted.
    is_lost: bool = False
    connections: int = 40
    rate: float = 200
    #: Each way of the link.
    delay_s: float = 0.0005

    def __str__(self) -> str:
        """As the table has it."""
        then = "source killed" if self.is_lost else "restored"
        return f"MariaDB, timeout {self.timeout_s:g} s, link cut, {then}"


@dataclass(frozen=True)
class Waited:
    """What clients saw."""

    acknowledged: int
    #: Of these rows, those that the replica does not have.
    lost: int
    #: The longest time without a commit.
    outage_s: float
    #: How long commits went on without the replica.
    asynchronous_s: float


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
def pair(data: Path, folder: Path, between: Network, timeout_s: float) -> Iterator[list[MariaDb]]:
    """A source and its replica, which the source waits for."""
    folder.mkdir()
    settings = {
        "log-bin": "log",
        "skip-networking": "0",
        "port": str(PORT),
        "rpl-semi-sync-master-enabled": "ON",
        "rpl-semi-sync-slave-enabled": "ON",
        "rpl-semi-sync-master-timeout": str(round(timeout_s * 1000)),
        "skip-slave-start": "1",
    }
    found = []
    for number, host in enumerate(between.hosts):
        home = owned(folder / f"node{number}", USER)
        sockets = owned(folder / f"node{number}-sockets", USER)
        programs.run("cp", "-a", data, home)
        own = settings | {"server-id": str(number + 1)}
        found.append(MariaDb(home / data.name, sockets, own, host.within))
    source, replica = found
    place = between.hosts[0].address
    try:
        for node in found:
            node.start()
        source.query("create user replica; grant replication slave on *.* to replica")
        replica.query(
            f"change master to master_host='{place}', master_port={PORT}, master_user='replica', "
            "master_log_file='log.000001', master_log_pos=4, master_connect_retry=1; start slave"
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


def cut_link(data: Path, folder: Path, asked: SemiSynchronous, seed: str) -> Waited:
    """Cut the link under load, and see how long commits wait and what is lost."""
    with (
        network(2, Link(asked.delay_s), seed) as between,
        pair(data, folder, between, asked.timeout_s) as nodes,
    ):
        return asyncio.run(_cut(nodes, between, asked, seed))


async def _cut(nodes: list[MariaDb], between: Network, asked: SemiSynchronous, seed: str) -> Waited:
    source, replica = nodes
    async with (
        connection([*replica.client(), "--force"]) as other,
        open_loop([*source.client(), "--force"], asked.connections, asked.rate, seed) as load,
    ):
        await load.some_time()
        began = time.monotonic()
        between.cut(0, 1)
        fell_back = await _state(source, expected=False, until=began + CUT_S)
        await asyncio.sleep(began + CUT_S - time.monotonic())
        if asked.is_lost:
            asynchronous_s = time.monotonic() - fell_back
            load.lose()
            source.kill()
            await asyncio.to_thread(replica.query, "stop slave; reset slave all")
            ends = [await other.inserted(LAST)]
        else:
            between.restore(0, 1)
            again = await _state(source, expected=True, until=began + PATIENCE_S)
            asynchronous_s = again - fell_back
            await asyncio.sleep(AFTER_S)
            load.lose()
            await asyncio.to_thread(_caught_up, source, replica)
            ends = []
        rows = [*sorted(load.acknowledged.values()), *ends]
    gaps = [later - earlier for earlier, later in pairwise(rows)]
    return Waited(len(load.acknowledged), len(load.missing(replica)), max(gaps), asynchronous_s)


async def _state(source: MariaDb, *, expected: bool, until: float) -> float:
    """When a source is semi-synchronous or is not, or `until` if it stays as it is."""
    while time.monotonic() < until:
        if await asyncio.to_thread(_is_semi_synchronous, source) == expected:
            return time.monotonic()
        await asyncio.sleep(0.02)
    return until


def _is_semi_synchronous(source: MariaDb) -> bool:
    said = source.query("show status like 'Rpl_semi_sync_master_%'").split()
    status = dict(zip(said[::2], said[1::2], strict=True))
    of = "Rpl_semi_sync_master_"
    return status[f"{of}status"] == "ON" and status[f"{of}clients"] != "0"


def _caught_up(source: MariaDb, replica: MariaDb) -> None:
    file, place = source.query("show master status").split()[:2]
    replica.query(f"select master_pos_wait('{file}', {place}, {PATIENCE_S})")
