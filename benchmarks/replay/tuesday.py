"""Records a real PostgreSQL on an emulated volume: the run that docs/howto/replay.md looks at.

    .venv/bin/python benchmarks/replay/tuesday.py SCENARIO OUT [--seconds N]

Serves the scenario's device `data`, runs pgbench's simple updates with 8 clients on it, with a
tenth of the data in the server's buffers and reads that reach the device, and has `observe` record
it. Prints pgbench's own transactions a second, to compare with what a simulation predicts. Needs
root, and what scripts/peers.sh installs.
"""

import argparse
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, ClassVar

sys.path.append(str(Path(__file__).parents[2] / "tests"))
sys.path.append(str(Path(__file__).parents[1] / "oltp"))

import tpcb

from databases import programs
from databases.filled import filled
from serving import serve

BLOCKYARD = [sys.executable, "-m", "blockyard"]
# Of load before it is recorded: until the buffers are full, and checkpoints come by the clock.
WARM_UP_S = 20


class Orders(tpcb.TpcB):
    """PostgreSQL with some 200 MiB of data, of which transactions change a row and add another."""

    SCALE: ClassVar = 12
    SETTINGS: ClassVar = tpcb.TpcB.SETTINGS | {
        "shared_buffers": "16MB",
        "checkpoint_completion_target": "0.2",
    }

    def ordered(self, seconds: int) -> str:
        """Put the load on it; what pgbench says of it."""
        options = ["--builtin=simple-update", "--no-vacuum", f"--time={seconds}", "--client=8"]
        options += ["--rate=35"]
        return programs.run("pgbench", *options, *self._where(), timeout=600).stdout


def main() -> None:
    """Fill, serve, load, observe."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scenario", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=int, default=54)
    options = parser.parse_args()
    running: Any
    with (
        filled(Orders, tpcb.USER, **Orders.FILLING) as database,
        tempfile.TemporaryDirectory() as folder,
        serve(
            options.scenario.read_text(), "--as", "block", "--backing", "ram", folder=Path(folder)
        ) as served,
    ):
        device = served.paths["data"]
        # Above 2 ms the kernel would hold writes back for the sake of reads.
        (Path("/sys/block") / Path(device).name / "queue/wbt_lat_usec").write_text("0")
        with database.on(device, **Orders.SETTINGS) as running, running.bypass():
            load = threading.Thread(
                target=lambda: print(running.ordered(WARM_UP_S + options.seconds + 5))
            )
            load.start()
            time.sleep(WARM_UP_S)
            server = (running.data / "postmaster.pid").read_text().split()[0]
            command = [*BLOCKYARD, "observe", "--device", device, "--pid", server, "--io-log"]
            command += ["--on", str(options.scenario), "--duration", f"{options.seconds}s"]
            command += ["--out", str(options.out)]
            subprocess.run(command, check=True)  # noqa: S603 - our own
            load.join()
        served.stop()
        print(f"answers were {served.result()['lateness_us']['p99']:.0f} µs late (p99)")


if __name__ == "__main__":
    main()
