"""Three MariaDB nodes under Galera on this machine, and the loss of one."""

import asyncio
import contextlib
import socket
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from databases import programs
from databases.mariadb import USER, MariaDb
from databases.network import Host
from databases.open_loop import LAST, PATIENCE_S, Outcome, connection, open_loop
from databases.programs import owned
from databases.witness import TABLE

PROVIDER = "/usr/lib/galera/libgalera_smm.so"
NODES = 3
# Longer than what is under way when a node is lost, shorter than any timeout.
UNDER_WAY_S = 1


@dataclass(frozen=True)
class Loss:
    """What is done: a load on the first node, and the loss of a node."""

    #: The one with the load, or one of the others.
    node: Literal["writer", "other"]
    #: Whether its sockets are closed at once, or it is only silent.
    how: Literal["killed", "frozen"]
    suspect_s: float
    #: `evs.join_retrans_period`.
    join_s: float = 1
    connections: int = 8
    rate: float = 100

    def __str__(self) -> str:
        """As the table has it."""
        joins = "" if self.join_s == 1 else f", joins every {self.join_s:g} s"
        return f"Galera, {self.node} {self.how}, {self.suspect_s:g} s{joins}"


class Node(MariaDb):
    """A node, whose settings are in a file: the programs that copy its data read them there."""

    def options(self) -> list[str]:
        """The option that names the file, which is written."""
        _, *options = super().options()
        file = self.sockets / "node.cnf"
        # Messages of these programs are in the node's own.
        file.write_text("\n".join(["[sst]", "sst-syslog=-1", "[mysqld]", *map(_line, options)]))
        return [f"--defaults-file={file}"]


def _line(option: str) -> str:
    name, value = option.removeprefix("--").split("=", 1)
    return f'{name}="{value}"'


def nodes(
    folder: Path,
    suspect_s: float = 5,
    join_s: float = 1,
    hosts: Sequence[Host] = (),
    settings: dict[str, str] | None = None,
) -> list[MariaDb]:
    """The nodes, with their data in `folder`, on this machine or each on a host.

    `settings` are of all their servers.
    """
    ports = _free_ports(3 * NODES)
    places = [one.address for one in hosts] or ["127.0.0.1"] * NODES
    addresses = [f"{place}:{ports[3 * number]}" for number, place in enumerate(places)]
    found: list[MariaDb] = []
    for number in range(NODES):
        group, ist, sst = ports[3 * number : 3 * number + 3]
        options = {
            "gmcast.listen_addr": f"tcp://{places[number]}:{group}",
            "ist.recv_addr": f"{places[number]}:{ist}",
            "gcache.size": "16M",
            "evs.suspect_timeout": f"PT{suspect_s}S",
            # Galera refuses to start with more than a third of that.
            "evs.keepalive_period": f"PT{min(1, suspect_s / 4)}S",
            "evs.join_retrans_period": f"PT{join_s}S",
        }
        own = {
            "innodb-log-file-size": "32M",
            "binlog-format": "ROW",
            "innodb-autoinc-lock-mode": "2",
            "wsrep-on": "ON",
            "wsrep-slave-threads": "8",
            "wsrep-provider": PROVIDER,
            "wsrep-provider-options": ";".join(f"{key}={value}" for key, value in options.items()),
            "wsrep-cluster-name": folder.name,
            "wsrep-cluster-address": f"gcomm://{','.join(addresses)}",
            "wsrep-node-address": addresses[number],
            "wsrep-sst-method": "rsync",
            "wsrep-sst-receive-address": f"{places[number]}:{sst}",
            **(settings or {}),
        }
        home = folder / f"node{number}"
        within = hosts[number].within if hosts else []
        found.append(Node(home / "data", home / "sockets", own, within))
    return found


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as taken:
        sockets = [taken.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def start(members: list[MariaDb]) -> None:
    """Start a cluster, the first node first."""
    members[0].start("--wsrep-new-cluster")
    with ThreadPoolExecutor() as pool:
        list(pool.map(partial(MariaDb.start, timeout=PATIENCE_S), members[1:]))
    deadline = time.monotonic() + PATIENCE_S
    while any(not _is_synced(one) for one in members):
        if time.monotonic() > deadline:
            raise RuntimeError("the nodes are no cluster")
        time.sleep(0.1)


def _is_synced(node: MariaDb) -> bool:
    said = node.query(
        "show status where variable_name in ('wsrep_cluster_size', 'wsrep_local_state_comment')"
    ).split()
    return {str(NODES), "Synced"} <= set(said)


def prepare(folder: Path, filled: str = "", settings: dict[str, str] | None = None) -> None:
    """Make the data of a cluster that has been stopped, with an empty table of rows.

    Statements in `filled` make more; `settings` are of all its servers.
    """
    made = nodes(folder, settings=settings)
    for one in made:
        owned(one.data.parent, USER)
        owned(one.sockets, USER)
    try:
        made[0].create()
        for one in made[1:]:
            owned(one.data, USER)
        start(made)
        made[0].query(f"{TABLE};{filled}")
        for one in reversed(made):
            one.stop()
    finally:
        for one in made:
            one.kill()


@contextlib.contextmanager
def cluster(prepared: Path, folder: Path, asked: Loss) -> Iterator[list[MariaDb]]:
    """A running cluster with a copy of what is prepared; killed at the end."""
    programs.run("cp", "-a", prepared, folder)
    with running(nodes(folder, asked.suspect_s, asked.join_s)) as members:
        yield members


@contextlib.contextmanager
def running(members: list[MariaDb]) -> Iterator[list[MariaDb]]:
    """The cluster of these nodes, running; killed at the end."""
    try:
        start(members)
        yield members
    finally:
        for one in members:
            one.kill()


def lose_node(prepared: Path, folder: Path, asked: Loss, seed: str) -> Outcome:
    """Lose a node under load, and see when a client commits again."""
    with cluster(prepared, folder, asked) as members:
        return asyncio.run(_lose(members, asked, seed))


async def _lose(members: list[MariaDb], asked: Loss, seed: str) -> Outcome:
    writer, other, third = members
    # Statements that fail have their turn again.
    options = ["--force"]
    async with (
        connection([*other.client(), *options]) as second,
        open_loop([*writer.client(), *options], asked.connections, asked.rate, seed) as load,
    ):
        await load.some_time()
        rows = load.acknowledged
        lost = writer if asked.node == "writer" else third
        began = load.lose() if lost is writer else time.monotonic()
        lost.kill() if asked.how == "killed" else lost.freeze()
        if lost is writer:
            again = await second.inserted(LAST)
            last = max(rows.values())
        else:
            middle = began + UNDER_WAY_S
            await load.until(lambda: max(rows.values()) > middle)
            again = min(at for at in rows.values() if at > middle)
            last = max(at for at in rows.values() if at < middle)
    return Outcome(len(rows), len(load.missing(other)), again - last)
