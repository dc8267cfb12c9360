"""A Galera cluster of three MariaDB nodes, each on its own emulated volume."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

import undoing
from databases import filesystem, galera
from databases.emulated import need, volumes
from databases.galera import Node
from databases.mariadb import USER
from databases.programs import owned
from databases.witness import TABLE, witness

pytestmark = pytest.mark.slow

#: The first of nine ports, on which nothing else of the tests listens.
PORTS = 24_567

#: Rows that each connection has acknowledged before the test goes on.
ROWS = 200


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[list[Node]]:
    """Three nodes, the first of them with the table of the witness."""
    need(USER, *galera.PROGRAMS)
    if not galera.PROVIDER.exists():
        pytest.skip(f"{galera.PROVIDER} is missing; scripts/peers.sh installs galera-4")
    storage = "".join(f"  node{number}: {{type: gp3, size: 10GiB}}\n" for number in range(3))
    with volumes(storage, tmp_path) as served, contextlib.ExitStack() as stack:
        folder = stack.enter_context(filesystem.workspace())
        nodes = []
        for number in range(3):
            device = served.device(f"node{number}")
            filesystem.make(device)
            home = stack.enter_context(undoing.mounted(device, folder / f"node{number}"))
            data, sockets = owned(home / "data", USER), owned(folder / f"sockets{number}", USER)
            node = Node(data, sockets, number=number, ports=PORTS)
            stack.callback(node.kill)
            nodes.append(node)
        start(nodes)
        yield nodes


def start(nodes: list[Node]) -> None:
    """Make a cluster of them."""
    nodes[0].create()
    nodes[0].bootstrap()
    nodes[0].query(TABLE)
    for node in nodes[1:]:
        node.join()


def test_cluster_keeps_its_data_when_a_node_is_killed(cluster: list[Node]) -> None:
    *others, killed = cluster
    with witness(*others) as client, witness(killed, first=10) as cut_off:
        client.until(ROWS)
        cut_off.until(ROWS)
        killed.kill()
        # The others go on, but only after they have given up on it.
        client.until(ROWS)
        killed.rejoin()
    assert {node.status("wsrep_cluster_size") for node in cluster} == {"3"}
    for node in cluster:
        assert client.lost(node) == set()
        assert cut_off.lost(node) == set()
