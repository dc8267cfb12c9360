"""In which order Linux serves what an NVMe drive has no tags for, without any cloud.

In the test machine fio keeps more in flight than the drive's queues have tags. QEMU makes the
drive and lets through so many IOs a second. The processor is emulated and slow, so the rate is
low, and only ratios count. Beside it stands what the model says of the same.
"""

import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import machine  # noqa: E402 - found by the line above

BLOCKYARD = ROOT / ".venv/bin/blockyard"
QUANTILES = (50, 95, 99, 99.9)
RATE = 250
SECONDS = 60
#: Now and then the kernel fails to start on two emulated processors.
TRIES = 5

#: By tags of each queue: an instance with two such queues.
INSTANCES = {31: "m5.large", 63: "r5b.large"}

SCENARIO = f"""
name: queues
as_of: 2026-11-01
duration: 300s
warmup: 10s
host: {{{{instance: {{instance}}, burst_balance: 0%}}}}
storage: {{{{data: {{{{type: io2, size: 100GiB, iops: {RATE}, tokens: 0%}}}}}}}}
workload:
  load: {{{{kind: access_spec, on: data, file_size: 8GiB, processes: {{processes}},
    outstanding: {{depth}}, pattern: {{{{size: 16KiB, read: 0%, random: 100%}}}}}}}}
"""


@dataclass(frozen=True)
class Load:
    """A drive's two queues, and what fio does to it."""

    tags: int
    engine: str
    processes: int
    depth: int


LOADS = [
    Load(63, "libaio", 16, 16),
    Load(31, "libaio", 16, 16),
    Load(31, "libaio", 16, 32),
    Load(31, "libaio", 4, 64),
    Load(63, "psync", 256, 1),
    Load(63, "io_uring", 16, 16),
]


def main() -> None:
    """Print a table of all loads, or of those whose numbers are named."""
    loads = [LOADS[int(number) - 1] for number in sys.argv[1:]] or LOADS
    heads = "".join(f" p{quantile:g} |" for quantile in QUANTILES)
    print(f"| queues | load | in the drive |{heads}")
    print("| --- | --- | --- |" + " --- |" * len(QUANTILES))
    for load in loads:
        drive, measured = linux(load)
        pairs = zip(measured, model(load), strict=True)
        cells = "".join(f" {one:.2f}, {other:.2f} |" for one, other in pairs)
        name = f"{load.engine}, {load.processes} of depth {load.depth}"
        print(f"| 2 of {load.tags} | {name} | {drive:.0f} |{cells}", flush=True)


def linux(load: Load) -> tuple[float, list[float]]:
    """How many requests were in the drive, and the quantiles over the mean, by Linux."""
    percentiles = ":".join(f"{quantile:g}" for quantile in QUANTILES)
    script = f"""
modprobe nvme io_queue_depth={load.tags + 1}
sleep 1
fio --name=load --filename=/dev/nvme0n1 --direct=1 --rw=randwrite --bs=16k --size=8g \
  --ioengine={load.engine} --iodepth={load.depth} --numjobs={load.processes} --group_reporting \
  --time_based --ramp_time=5 --runtime={SECONDS} --percentile_list={percentiles} \
  --output-format=json
cat /sys/block/nvme0n1/stat
"""
    drive = f"if=none,id=drive,driver=null-co,size=8G,throttling.iops-total={RATE}"
    devices = ["-drive", drive, "-device", "nvme,serial=queues,drive=drive,max_ioqpairs=2"]
    for _ in range(TRIES):
        try:
            done = machine.run(script, (), 600, "2", devices)
        except RuntimeError:
            continue
        break
    else:
        raise SystemExit(f"the machine did not start in {TRIES} attempts")
    said = done.stdout
    found, end = json.JSONDecoder().raw_decode(said[said.index("{") :])
    (job,) = found["jobs"]
    times = job["write"]["clat_ns"]
    at = {float(key): value for key, value in times["percentile"].items()}
    in_flight = int(re.findall(r"\d+", said[said.index("{") + end :])[7]) / (SECONDS + 5) / 1000
    return in_flight, [at[quantile] / times["mean"] for quantile in QUANTILES]


def model(load: Load) -> list[float]:
    """The same by the model: each process is one that `access_spec` has."""
    text = SCENARIO.format(
        instance=INSTANCES[load.tags], processes=load.processes, depth=load.depth
    )
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "queues.yaml").write_text(text)
        subprocess.run(  # noqa: S603 - our own program
            [BLOCKYARD, "simulate", "queues.yaml", "--out", "run"],
            cwd=folder, capture_output=True, check=True,
        )  # fmt: skip
        result = json.loads((Path(folder) / "run/result.json").read_text())
    latency = next(total["latency_us"] for total in result["totals"] if total["job"] == "load")
    names = (f"p{quantile:g}".replace(".", "_") for quantile in QUANTILES)
    return [latency[name] / latency["mean"] for name in names]


main()
