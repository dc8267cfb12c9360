"""A Galera cluster of private MariaDB nodes on this machine."""

import re
from dataclasses import dataclass
from pathlib import Path

from databases import programs
from databases.mariadb import USER, MariaDb

PROVIDER = Path("/usr/lib/galera/libgalera_smm.so")
PROGRAMS = ["mariadbd", "mariadb-install-db", "mariadb", "rsync", "lsof"]


@dataclass
class Node(MariaDb):
    """One node. It talks to the others over this machine's own address only."""

    number: int = 0
    #: The first of the cluster's ports; each node takes three.
    ports: int = 0

    def __post_init__(self) -> None:
        """Complete the settings with those of a node."""
        group, ist, sst = (self._port(self.number, which) for which in range(3))
        members = ",".join(f"127.0.0.1:{self._port(number, 0)}" for number in range(3))
        provider = {
            "gmcast.listen_addr": f"tcp://127.0.0.1:{group}",
            "ist.recv_addr": f"127.0.0.1:{ist}",
            "gcache.size": "32M",
        }
        self.settings = {
            "binlog-format": "ROW",
            "innodb-autoinc-lock-mode": "2",
            "innodb-log-file-size": "32M",
            # One thread that applies, with a flush for each row, falls behind for ever.
            "wsrep-slave-threads": "8",
            "wsrep-on": "ON",
            "wsrep-provider": str(PROVIDER),
            "wsrep-provider-options": ";".join(f"{key}={value}" for key, value in provider.items()),
            "wsrep-cluster-name": "blockyard",
            "wsrep-cluster-address": f"gcomm://{members}",
            "wsrep-node-name": f"node{self.number}",
            "wsrep-node-address": f"127.0.0.1:{group}",
            # A node answers with what any of them has acknowledged before.
            "wsrep-sync-wait": "1",
            "wsrep-sst-method": "rsync",
            "wsrep-sst-receive-address": f"127.0.0.1:{sst}",
            **self.settings,
        }

    def _port(self, number: int, which: int) -> int:
        return self.ports + 3 * number + which

    def bootstrap(self) -> None:
        """Start it as the first node of a new cluster."""
        self.start("--wsrep-new-cluster")

    def join(self) -> None:
        """Start it with an empty folder, and wait until it has what the others have."""
        self.start(timeout=90)

    def rejoin(self) -> None:
        """Start it after a crash, and wait until it has what the others have.

        It looks first how far its own data go, as Debian's service does, so that it gets
        only what it missed.
        """
        looked = programs.run("mariadbd", *self.options(), "--wsrep-recover", user=USER)
        found = re.search(r"Recovered position: ([0-9a-f-]{36}:\d+)", looked.stderr)
        if found is None:
            raise RuntimeError(f"no recovered position: {looked.stderr}")
        self.start(f"--wsrep-start-position={found[1]}", timeout=90)

    def answers(self) -> bool:
        """Whether it takes queries, as a member that has all that the others have."""
        return super().answers() and self.status("wsrep_local_state_comment") == "Synced"

    def status(self, name: str) -> str:
        """One of the server's status variables."""
        return self.query(f"show status like '{name}'").split("\t")[-1]
