"""What observing costs: of a processor, of fio's rate, and in lost events.

fio reads a loop device in memory at random, alone and watched at each level in turn, beside
blktrace and bpftrace's biosnoop where these run. Needs fio, and root.
"""

import argparse
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
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
BLOCKYARD = str(ROOT / ".venv/bin/blockyard")
SIZE = "256M"
# fio runs for longer than the observer on either side.
AROUND_S = 1.5

# By name: what makes fio's IOs. The first ones show the cost of events, the last that of calls.
LOADS = {
    "200,000 IOPS": ["--ioengine=io_uring", "--iodepth=32", "--rate_iops=200000"],
    "io_uring, 1 x 32": ["--ioengine=io_uring", "--iodepth=32"],
    "psync, 4 x 1": ["--ioengine=psync", "--numjobs=4", "--thread"],
}


@dataclass(frozen=True)
class Watched:
    """What a run of an observer took and found."""

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


@dataclass(frozen=True)
class Fio:
    """fio at work."""

    process: subprocess.Popen[str]

    @classmethod
    def start(cls, device: str, load: list[str], seconds: float) -> "Fio":
        """Begin."""
        whole = seconds + 2 * AROUND_S
        command = ["fio", "--name=load", f"--filename={device}", "--rw=randread", "--bs=4k"]
        command += ["--direct=1", "--time_based", f"--runtime={whole}s", "--group_reporting"]
        command += ["--output-format=json", *load]
        return cls(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))  # noqa: S603

    def iops(self) -> float:
        """Its rate, once it has ended."""
        text, _ = self.process.communicate()
        return float(json.loads(text[text.index("{") :])["jobs"][0]["read"]["iops"])


def measured(name: str, load: str, device: str, seconds: float) -> tuple[float, Watched]:
    """The rate of fio, and what the observer took, beyond what it takes of an idle device."""
    with tempfile.TemporaryDirectory(prefix="blockyard-") as folder:
        fio = Fio.start(device, LOADS[load], seconds)
        time.sleep(AROUND_S)
        found = Watched(0.0)
        if name != "alone":
            found = OBSERVERS[name](device, fio.process.pid, seconds, Path(folder))
        return fio.iops(), found


def idle(name: str, device: str, seconds: float) -> float:
    """The processor time of an observer of an idle device: mostly its start."""
    with tempfile.TemporaryDirectory(prefix="blockyard-") as folder:
        length = str(seconds + 2 * AROUND_S)
        process = subprocess.Popen(["sleep", length])  # noqa: S603, S607
        try:
            return OBSERVERS[name](device, process.pid, seconds, Path(folder)).cpu_s
        finally:
            process.kill()
            process.wait()


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
        base = {name: idle(name, device, asked.seconds) for name in names}
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
        took = statistics.median(100 * (one.cpu_s - base.get(name, 0.0)) for _, one in found)
        share = max(0.0, took / asked.seconds)
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
