"""What observing costs: of a processor, of fio's rate, and in lost events.

fio reads a loop device in memory at random, alone and watched at each level in turn, beside
blktrace and bpftrace's biosnoop where these run. Needs fio, and root.
"""

import argparse
import dataclasses
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
BLOCKYARD = str(ROOT / ".venv/bin/blockyard")
SIZE = "256M"
# In which an observer, and fio, have started.
START_S = 1.5
# An observation as short as this shows what its start and its end take, under the same load.
SHORT_S = 1.0

# By name: what makes fio's IOs. The first ones show the cost of events, the last that of calls.
LOADS = {
    "200,000 IOPS": ["--ioengine=io_uring", "--iodepth=32", "--rate_iops=200000"],
    "io_uring, 1 x 32": ["--ioengine=io_uring", "--iodepth=32"],
    "psync, 4 x 1": ["--ioengine=psync", "--numjobs=4", "--thread"],
}


@dataclass(frozen=True)
class Watched:
    """What a run of an observer took and found; of two runs, what a second more takes."""

    cpu_s: float
    lost: int = 0
    seen: int = 0


# Watches a device, of whose IO a process is the cause, for so many seconds.
Observer = Callable[[str, int, float, Path], Watched]


def blockyard(*options: str, pid: bool = False) -> Observer:
    """Blockyard at a level."""

    def watch(device: str, process: int, seconds: float, place: Path) -> Watched:
        whose = ["--pid", str(process)] if pid else []
        command = [BLOCKYARD, "observe", "--device", device, "--duration", f"{seconds}s"]
        cpu = spent([*command, *whose, *options, "--out", str(place / "run")])
        observed = json.loads((place / "run/result.json").read_text())["observed"]
        calls = observed.get("calls") or {}
        lost = [*observed.get("lost", []), *calls.get("lost", [])]
        seen = sum(op.get("seen", 0) for device in observed["devices"] for op in device["ops"])
        return Watched(cpu, sum(one["events"] for one in lost), seen)

    return watch


def other(*command: str) -> Observer:
    """Another program, which is interrupted at the end; what it loses is not looked at."""

    def watch(device: str, process: int, seconds: float, place: Path) -> Watched:  # noqa: ARG001
        whole = [word.format(device=device, seconds=round(seconds)) for word in command]
        return Watched(spent(whole, seconds + 1, place))

    return watch


OBSERVERS: dict[str, Observer] = {
    "level 1": blockyard("--counters"),
    "level 2": blockyard(),
    "level 2, --io-log": blockyard("--io-log"),
    "level 3": blockyard("--calls", pid=True),
    "blktrace": other("blktrace", "-d", "{device}", "-w", "{seconds}", "-D", "."),
    "biosnoop": other("bpftrace", "/usr/sbin/biosnoop.bt"),
}


def spent(command: list[str], until_s: float | None = None, place: Path | None = None) -> float:
    """The processor time of a command with its children; interrupted after so many seconds."""
    before = os.times()
    process = subprocess.Popen(  # noqa: S603
        command, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        _, said = process.communicate(timeout=until_s)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
    if process.returncode not in (0, -signal.SIGINT):
        raise RuntimeError(f"{command[0]}: {said.strip().splitlines()[-1:]}")
    after = os.times()
    return (after.children_user + after.children_system) - (
        before.children_user + before.children_system
    )


def missing(name: str, device: str, place: Path) -> str | None:
    """Why an observer cannot run here."""
    program = {"blktrace": "blktrace", "biosnoop": "bpftrace"}.get(name)
    if program is None:
        return None
    if not shutil.which(program):
        return f"{program} is not installed"
    try:
        OBSERVERS[name](device, os.getpid(), 1.0, place)
    except RuntimeError as error:
        return str(error)
    return None


@contextmanager
def loop_device(place: Path) -> Iterator[str]:
    """A loop device in memory."""
    image = place / "image"
    subprocess.run(["truncate", "--size", SIZE, image], check=True)  # noqa: S603, S607
    attach = ["losetup", "--find", "--show", str(image)]
    made = subprocess.run(attach, check=True, capture_output=True, text=True)  # noqa: S603
    device = made.stdout.strip()
    try:
        yield device
    finally:
        subprocess.run(["losetup", "--detach", device], check=True)  # noqa: S603, S607


@contextmanager
def fio(device: str, load: list[str]) -> Iterator[int]:
    """At work: fio, by its process."""
    command = ["fio", "--name=load", f"--filename={device}", "--rw=randread", "--bs=4k"]
    command += ["--direct=1", "--time_based", "--runtime=1h", *load]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)  # noqa: S603
    time.sleep(START_S)
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait()


def iops(device: str, seconds: float) -> float:
    """The rate of a device once an observer has started, for as long as that goes on."""
    stat = Path(f"/sys/block/{Path(device).name}/stat")
    time.sleep(START_S)
    begin, before = time.monotonic(), int(stat.read_text().split()[0])
    time.sleep(seconds - START_S)
    return (int(stat.read_text().split()[0]) - before) / (time.monotonic() - begin)


def measured(name: str, load: str, device: str, seconds: float) -> tuple[float, Watched]:
    """The rate of fio, and what the observer takes a second once it has started."""
    with (
        tempfile.TemporaryDirectory(prefix="blockyard-") as folder,
        fio(device, LOADS[load]) as process,
    ):
        if name == "alone":
            return iops(device, seconds), Watched(0.0)
        short, long = Path(folder) / "short", Path(folder) / "long"
        short.mkdir()
        long.mkdir()
        started = OBSERVERS[name](device, process, SHORT_S, short)
        with ThreadPoolExecutor() as pool:
            rate = pool.submit(iops, device, seconds)
            found = OBSERVERS[name](device, process, seconds, long)
        share = (found.cpu_s - started.cpu_s) / (seconds - SHORT_S)
        return rate.result(), dataclasses.replace(found, cpu_s=share)


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--load", choices=LOADS, action="append", help="by default all")
    parser.add_argument("--observer", choices=OBSERVERS, action="append", help="by default all")
    asked = parser.parse_args()
    loads, observers = asked.load or [*LOADS], asked.observer or [*OBSERVERS]
    if os.geteuid() != 0 or not shutil.which("fio"):
        sys.exit("needs root, and fio")
    order = random.Random(1)  # noqa: S311
    shared = tempfile.TemporaryDirectory(prefix="blockyard-", dir="/dev/shm")
    with shared as folder, loop_device(Path(folder)) as device:
        why = {name: missing(name, device, Path(folder)) for name in observers}
        names = [name for name in observers if why[name] is None]
        rows: dict[tuple[str, str], list[tuple[float, Watched]]] = {}
        for _ in range(asked.rounds):
            for load in loads:
                for name in order.sample(["alone", *names], len(names) + 1):
                    row = measured(name, load, device, asked.seconds)
                    rows.setdefault((load, name), []).append(row)
    print("| load | observer | fio, IOPS | beside alone | % of a core | per 100,000 IOPS | lost |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for (load, name), found in sorted(rows.items()):
        rate = statistics.median(iops for iops, _ in found)
        rounds = zip(found, rows[load, "alone"], strict=True)
        beside = sorted(own / alone for (own, _), (alone, _) in rounds)
        share_of_alone = f"{statistics.median(beside):.3f} ({beside[0]:.3f} to {beside[-1]:.3f})"
        share = max(0.0, statistics.median(100 * one.cpu_s for _, one in found))
        cost = "" if name == "alone" else f"{share:.1f} | {share / rate * 1e5:.1f}"
        lost = sum(one.lost for _, one in found) if name.startswith("level") else ""
        print(f"| {load} | {name} | {rate:,.0f} | {share_of_alone} | {cost or ' | '} | {lost} |")
    for load in loads:
        alone_iops = [iops for iops, _ in rows[load, "alone"]]
        print(f"\n{load}, alone: {min(alone_iops):,.0f} to {max(alone_iops):,.0f} IOPS")
    for name, reason in why.items():
        if reason:
            print(f"\n{name}: not run: {reason}")


if __name__ == "__main__":
    main()
