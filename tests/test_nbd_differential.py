"""What clients get, compared with what nbdkit's memory plugin gives them.

BLOCKYARD_NBD_OPERATIONS sets how many operations each seed has: a thousand times as many take
minutes, and find more.
"""

import contextlib
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from serving import serve
from test_nbd import PYTHON, needs, tried

pytestmark = pytest.mark.slow

SCENARIO = "{name: one, storage: {data: {type: unlimited, size: 16MiB}}}"
OPERATIONS = os.environ.get("BLOCKYARD_NBD_OPERATIONS", "400")
SCRIPT = Path(__file__).with_name("nbd_differential.py")


@contextlib.contextmanager
def peer(socket: Path) -> Iterator[str]:
    """A disk in the memory of nbdkit; its URI."""
    command = ["nbdkit", "--foreground", "--exit-with-parent", "-U", str(socket), "memory", "16M"]
    process = subprocess.Popen(command)
    try:
        while not socket.exists():
            assert process.poll() is None
            time.sleep(0.01)
        yield f"nbd+unix:///?socket={socket}"
    finally:
        process.terminate()
        process.wait(timeout=60)


@needs("nbdkit")
@pytest.mark.parametrize(("seed", "backing"), [(1, "ram"), (2, "files"), (3, "power-cuts")])
def test_the_same_operations_come_to_the_same(tmp_path: Path, seed: int, backing: str) -> None:
    if not PYTHON.exists() or tried(PYTHON, "-c", "import nbd").returncode:
        pytest.skip("not installed: python3-libnbd")
    options = ["--as", f"nbd={tmp_path / 'nbd'}"]
    if backing == "files":
        (tmp_path / "backing").mkdir()
        options += ["--backing", str(tmp_path / "backing")]
    if backing == "power-cuts":
        # With a control socket, the service keeps track of what a power cut would undo.
        options += ["--control", str(tmp_path / "control")]
    with (
        serve(SCENARIO, *options, folder=tmp_path) as served,
        peer(tmp_path / "peer") as other,
    ):
        compared = tried(PYTHON, SCRIPT, served.paths["data"], other, OPERATIONS, str(seed))
        assert compared.stdout.strip() == f"{OPERATIONS} operations alike", compared.stderr
