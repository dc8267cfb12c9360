"""The process behind `undoing`: it undoes what tests did to the machine, and outlives them.

It runs as a program in a session of its own. Orders arrive on its standard input, one JSON text
a line: `["keep", KIND, SUBJECT]` keeps what will have to be undone, and `["undo", KIND, SUBJECT]`
undoes it now; each is answered with a line, empty unless undoing failed. The input ends with the
process that gives the orders, even if that is killed. Whatever is kept is then undone, and the
processes that were started meanwhile are ended, the latest first. It knows these processes by
the variable `VARIABLE` of their environment, which children inherit.
"""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

VARIABLE = "BLOCKYARD_TESTS"

# Debian keeps some of the commands out of a user's search path.
SYSTEM = "/usr/sbin:/sbin"

# How long a process has to end before it is killed, or a command before it is given up.
PATIENCE_S = 10

# How long a file system has to become free, on a machine that is short of processors: one that
# is unmounted lazily is still there, and mounting its device again finds it as it was left.
BUSY_S = 60

# What Python starts beside processes of a pool. It ignores SIGTERM, and ends with who started it.
TRACKER = b"multiprocessing.resource_tracker"

_TICKS = os.sysconf("SC_CLK_TCK")


def carry_out(*command: str, patience: float = PATIENCE_S) -> str:
    """Run a command; return what it complains of."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        said, _ = process.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        # Not waited for: it may hang in the kernel.
        process.kill()
        return f"{' '.join(command)}: no end after {patience:g} s"
    return said.strip() if process.returncode else ""


def thaw(place: str) -> str:
    """Let writes to a frozen file system go on."""
    return carry_out("fsfreeze", "--unfreeze", place)


def unmount(place: str) -> str:
    """Unmount what is mounted on `place` or below it, lazily where it stays in use, and say so."""
    left = []
    below = [mount for mount in _mounts() if f"{mount[1]}/".startswith(f"{place}/")]
    for device, mount in reversed(below):
        deadline = time.monotonic() + BUSY_S
        while said := carry_out("umount", mount, patience=BUSY_S):
            if time.monotonic() > deadline:
                left.append(f"{said}; {carry_out('umount', '--lazy', mount) or 'now lazily'}")
                break
            # Processes that have been killed may take a moment to end.
            time.sleep(0.1)
        else:
            left += _released(device, deadline)
    return "\n".join(left)


def _released(device: str, deadline: float) -> list[str]:
    """Wait until a device that was unmounted is free; return what is wrong if it stays in use.

    A process with mounts of its own that began meanwhile has this one too, while it runs.
    """
    while device not in dict(_mounts()) and _is_held(device):
        if time.monotonic() > deadline:
            return [f"{device}: still mounted, in another mount namespace"]
        time.sleep(0.05)
    return []


def _is_held(device: str) -> bool:
    """Whether a file system, or the like, has a block device to itself."""
    try:
        if not Path(device).is_block_device():
            return False
        os.close(os.open(device, os.O_RDONLY | os.O_EXCL))
    except OSError as error:
        return error.errno == errno.EBUSY
    return False


def _mounts() -> list[tuple[str, str]]:
    """What is mounted, and where."""
    lines = Path("/proc/self/mounts").read_text().splitlines()
    return [(_name(device), _name(mount)) for device, mount, *_ in map(str.split, lines)]


def _name(escaped: str) -> str:
    r"""A name in the list of mounts, where blanks are written as `\040`."""
    return escaped.encode().decode("unicode_escape").encode("latin-1").decode()


def detach(what: str) -> str:
    """Detach the loop devices whose storage is a file, or one of them by its own name."""
    said = []
    for store in Path("/sys/block").glob("loop*/loop/backing_file"):
        try:
            device = f"/dev/{store.parts[3]}"
            if what in (device, store.read_text().strip().removesuffix(" (deleted)")):
                said.append(carry_out("losetup", "--detach", device))
        except OSError:
            continue  # It was detached meanwhile.
    return "\n".join(filter(None, said))


def remove(zram: str) -> str:
    """Remove a device of compressed memory by its number."""
    control = Path("/sys/class/zram-control/hot_remove")
    try:
        if Path(f"/sys/block/zram{zram}").exists():
            control.write_text(zram)
    except OSError as error:
        return f"zram{zram}: {error}"
    return ""


UNDO: dict[str, Callable[[str], str]] = {
    "thaw": thaw,
    "unmount": unmount,
    "detach": detach,
    "zram": remove,
}


def started(token: str) -> dict[int, int]:
    """The processes with a token in their environment, and when each began, in ticks."""
    found = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if TRACKER in (place / "cmdline").read_bytes():
                continue
            if f"{VARIABLE}={token}".encode() in (place / "environ").read_bytes().split(b"\0"):
                fields = (place / "stat").read_text().rsplit(")", 1)[1].split()
                found[int(place.name)] = int(fields[19])
        except OSError:
            continue  # It has ended, or belongs to somebody else.
    return found


def end(process: int, token: str) -> None:
    """Ask a process to end; kill it if it does not."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.kill(process, number)
            os.kill(process, signal.SIGCONT)
        except OSError:
            return
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            if process not in started(token):
                return
            time.sleep(0.02)


def undo_all(kept: list[tuple[float, str, str]], token: str) -> None:
    """Undo what is kept and end what was started, the latest first."""
    tried: set[int] = set()
    while True:
        left = {process: began for process, began in started(token).items() if process not in tried}
        latest = max(left, key=lambda process: (left[process], process), default=None)
        # The kernel rounds down, so what seems to have begun in the same tick began later.
        if latest is not None and (not kept or left[latest] >= int(kept[-1][0])):
            end(latest, token)
            tried.add(latest)
        elif kept:
            _, kind, subject = kept.pop()
            UNDO[kind](subject)
        else:
            return


def main() -> None:
    """Take orders until there can be no more; then undo what is left."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    token = sys.argv[1]
    os.environ["PATH"] += f":{SYSTEM}"
    kept: list[tuple[float, str, str]] = []
    for line in sys.stdin:
        order, kind, subject = json.loads(line)
        said = ""
        if order == "keep":
            kept.append((time.clock_gettime(time.CLOCK_BOOTTIME) * _TICKS, kind, subject))
        else:
            kept = [entry for entry in kept if entry[1:] != (kind, subject)]
            said = UNDO[kind](subject)
        try:
            sys.stdout.write(json.dumps(said) + "\n")
            sys.stdout.flush()
        except BrokenPipeError:
            break
    undo_all(kept, token)


if __name__ == "__main__":
    main()
