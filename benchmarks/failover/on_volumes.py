"""A Galera cluster with each node's data on a volume of its own, which `emulate` serves."""

import contextlib
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cluster

import undoing
from databases import filesystem, programs
from databases.emulated import Volumes, volumes
from databases.mariadb import USER, MariaDb

NAMES = "abc"
#: Its rates are less than what this machine's processors copy.
VOLUME = "type: gp3, size: 20GiB"


@contextlib.contextmanager
def cluster_on_volumes(
    prepared: Path, folder: Path, settings: dict[str, str] | None = None
) -> Iterator[tuple[list[MariaDb], Volumes]]:
    """A running cluster with a copy of what is prepared; `settings` are of all its servers."""
    folder.mkdir()
    served = folder / "served"
    served.mkdir()
    storage = "".join(f"  data_{name}: {{{VOLUME}}}\n" for name in NAMES)
    with volumes(storage, served) as devices, contextlib.ExitStack() as mounts:
        members = cluster.nodes(folder, settings=settings)
        for name, node in zip(NAMES, members, strict=True):
            node.data.parent.mkdir()
            # Not on the volume: what a server says of a failed disk is there afterwards.
            shutil.copytree(prepared / node.sockets.parent.name / "sockets", node.sockets)
            shutil.chown(node.sockets, USER)
            filesystem.make(devices.device(f"data_{name}"))
            mounts.enter_context(undoing.mounted(devices.device(f"data_{name}"), node.data))
        with ThreadPoolExecutor() as pool:
            list(pool.map(lambda node: _copied(prepared, node), members))
        with cluster.running(members):
            yield members, devices


def _copied(prepared: Path, node: MariaDb) -> None:
    programs.run("cp", "-a", f"{prepared / node.data.parent.name / 'data'}/.", node.data)
    programs.run("sync", "--file-system", node.data)
