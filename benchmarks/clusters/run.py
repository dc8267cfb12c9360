"""What a simulated cluster of three costs beside three nodes without replication.

    make build
    .venv/bin/python benchmarks/clusters/run.py [--rounds N]

The same database, volumes and rate of transactions: on one node, as a Galera cluster of three, and
with two standbys, whose other nodes apply what the first commits. Counted is processor time of one
simulation by the module alone. Prints IOs simulated a second, and their ratio to a node alone.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

BARE = Path(__file__).parents[1] / "commits" / "bare.py"

NODE = """
name: node
duration: 300s
hosts:
  a: {instance: m5.xlarge, zone: us-east-1a}
  b: {instance: m5.xlarge, zone: us-east-1b}
  c: {instance: m5.xlarge, zone: us-east-1c}
zones:
  round_trip:
    us-east-1a/us-east-1b: 0.7ms
    us-east-1a/us-east-1c: 0.9ms
    us-east-1b/us-east-1c: 0.8ms
links:
  ab: {between: [a, b], bandwidth: 2500Mbit/s, mtu: 9001}
  ac: {between: [a, c], bandwidth: 2500Mbit/s, mtu: 9001}
  bc: {between: [b, c], bandwidth: 2500Mbit/s, mtu: 9001}
storage:
  data_a: {type: gp3, size: 200GiB, iops: 6000, host: a}
  data_b: {type: gp3, size: 200GiB, iops: 6000, host: b}
  data_c: {type: gp3, size: 200GiB, iops: 6000, host: c}
workload:
  shop:
    kind: oltp
    engine: ENGINE
    on: data_a
    data_size: 10GiB
    pool: 1GiB
    rate: 300/s
    threads: 64
    skew: {hot: {ios: 80%, blocks: 5%}}
    transactions:
      order: {pages: 14, changes: 4, log: 3KiB, BINLOGcpu: 1ms}
"""
GALERA = """\
    galera:
      nodes: {b: {on: data_b}, c: {on: data_c}}
      appliers: 4
"""
STANDBYS = """\
    standbys:
      nodes: {b: {on: data_b}, c: {on: data_c}}
"""
ALONE = {"innodb": NODE.replace("ENGINE", "innodb").replace("BINLOG", "binlog: 2KiB, ")}
ALONE["postgres"] = NODE.replace("ENGINE", "postgres").replace("BINLOG", "")
CASES = (("innodb", "Galera", GALERA), ("postgres", "standbys", STANDBYS))


def speed(text: str) -> tuple[float, float]:
    """IOs of one simulation, and processor seconds that it takes."""
    with tempfile.TemporaryDirectory() as folder:
        scenario = Path(folder) / "scenario.yaml"
        scenario.write_text(text)
        done = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, BARE, scenario], check=True, capture_output=True, text=True
        )
    used, ios = map(float, done.stdout.split())
    return ios, used


def main() -> None:
    """Measure both in turn; a row each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    print("| three nodes | IOs, a node alone | IOs, three | IOs/s, alone | IOs/s, three | ratio |")
    print("| --- | --- | --- | --- | --- | --- |")
    for engine, name, replicas in CASES:
        pairs = [(speed(ALONE[engine]), speed(ALONE[engine] + replicas)) for _ in range(rounds)]
        alone, three = (
            median(ios / used for ios, used in side) for side in zip(*pairs, strict=True)
        )
        ratios = sorted((b[0] / b[1]) / (a[0] / a[1]) for a, b in pairs)
        print(
            f"| {name} | {pairs[0][0][0]:,.0f} | {pairs[0][1][0]:,.0f} | {alone:,.0f}"
            f" | {three:,.0f} | {median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}) |",
            flush=True,
        )


if __name__ == "__main__":
    main()
