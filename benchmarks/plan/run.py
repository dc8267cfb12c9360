"""Plans beside Netflix's service-capacity-modeling: README.md says how and with what result.

.venv/bin/python benchmarks/plan/run.py
"""

import argparse
import json
import subprocess
import sys
import time
import venv
from pathlib import Path
from typing import Any

import blockyard

HERE = Path(__file__).parent
PEER = "service-capacity-modeling==0.3.212"

# GiB of data, reads and writes of 8 KiB a second.
LOADS = [(100, 5_000, 2_000), (500, 20_000, 5_000), (2048, 60_000, 20_000), (8192, 200_000, 50_000)]

# Blockyard alone: what its own targets are for.
CERTAIN: dict[str, object] = {
    "size": "2TiB",
    "reads": {"iops": 60000},
    "writes": {"iops": 20000},
    "latency": {"read": {"p99": "2ms"}},
    "as_of": "2026-11-01",
}
UNCERTAIN: dict[str, object] = {
    **CERTAIN,
    "size": {"low": "1TiB", "mid": "2TiB", "high": "6TiB"},
    "reads": {"iops": {"low": 20000, "mid": 60000, "high": 150000}},
}
WITH_JOURNAL = {**UNCERTAIN, "journal": {"size": "100GiB", "iops": 2000}}


def peer_python() -> Path:
    """The Python of the peer's own environment, made on the first call."""
    environment = HERE / ".venv"
    python = environment / "bin" / "python"
    if not python.exists():
        venv.create(environment, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", PEER], check=True)  # noqa: S603
    return python


def asked(python: Path, load: tuple[int, int, int]) -> dict[str, Any]:
    """The peer's answer to a load."""
    command = [str(python), str(HERE / "peer.py"), *map(str, load)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def node(answer: dict[str, Any], **more: object) -> dict[str, object]:
    """What the peer wants of the storage of one of its nodes, as a requirement."""
    flows = {name: {"iops": answer[name]} for name in ("reads", "writes") if answer[name]}
    return {
        "name": "node",
        "size": f"{answer['size_gib']}GiB",
        **flows,
        "headroom": "0%",
        "free_space": "0%",
        "as_of": "2026-11-01",
        **more,
    }


def verdict(answer: dict[str, Any]) -> str:
    """Which limits the IO that the peer provisions would pass on its own instance."""
    fixed = {"instance": {"type": answer["instance"]}}
    held = blockyard.plan(node(answer, **fixed), prove=False)
    if held.best is not None:
        return "holds"
    return "; ".join(dict.fromkeys(held.reasons()["gp3"]))


def timed(wanted: dict[str, object], **options: Any) -> tuple[float, float, blockyard.Plan]:
    """Processor and wall time of a plan, in seconds, and the plan."""
    cpu, wall = time.process_time(), time.perf_counter()
    made = blockyard.plan(wanted, **options)
    return time.process_time() - cpu, time.perf_counter() - wall, made


def main() -> int:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--alone", action="store_true", help="without the peer")
    arguments = parser.parse_args()
    print("| plan | processor s | wall s |\n| --- | --- | --- |")
    cases: list[tuple[str, dict[str, object], dict[str, Any]]] = [
        ("certain, without proof", CERTAIN, {"prove": False}),
        ("certain, all layouts simulated", CERTAIN, {}),
        ("1,000 worlds, without proof", UNCERTAIN, {"prove": False}),
        ("1,000 worlds with a journal, without proof", WITH_JOURNAL, {"prove": False}),
    ]
    for name, wanted, options in cases:
        cpu, wall, _ = timed(wanted, **options)
        print(f"| {name} | {cpu:.2f} | {wall:.2f} |")
    if arguments.alone:
        return 0
    python = peer_python()
    print(
        "\n| GiB, reads/s, writes/s | the peer's nodes | s | on its own instance "
        "| the plan for such a node | s |\n| --- | --- | --- | --- | --- | --- |"
    )
    for load in LOADS:
        answer = asked(python, load)
        cpu, _, made = timed(node(answer, instance={"vcpu": answer["vcpu"]}), prove=False)
        best = made.best
        mine = (
            "none"
            if best is None
            else (
                f"{best['data']['count']} x {best['data']['type']} on {best['instance']}, "
                f"${best['usd_per_month']:,.0f}"
            )
        )
        said = ", ".join(f"{part:,}" for part in load)
        theirs = (
            f"{answer['nodes']} x {answer['instance']}, {answer['type']} of "
            f"{answer['size_gib']} GiB with {answer['reads']:,} + {answer['writes']:,} IOPS"
        )
        row = [said, theirs, f"{answer['took_s']:.2f}", verdict(answer), mine, f"{cpu:.2f}"]
        print(f"| {' | '.join(row)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
