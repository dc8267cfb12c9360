"""A virtual machine for what the kernel of this one cannot do.

Its kernel is Debian's, with device-mapper, MD, NBD and ublk; its files are this
machine's, read-only, with a layer in memory on top. So any command of this
machine runs in it, as root, and can do no harm. QEMU emulates its
processor in software, which is slow: nothing that takes time may be judged in it.
"""

import contextlib
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from machine.initramfs import initramfs
from machine.kernel import UnavailableError, kernel

__all__ = ["UnavailableError", "run"]

QEMU = "qemu-system-x86_64"
MEMORY = "1536M"

#: With a second processor the kernel now and then fails at its start: it patches its own code, and
#: QEMU has the other processor run into what is half patched (`Oops: int3`).
PROCESSORS = "1"

#: The kernel says little, goes without what protects it from strangers, and ends if it fails.
CALM = "console=ttyS0 quiet mitigations=off panic=-1"

#: Loaded at the start; the kernel itself asks for what else it needs.
MODULES = ["virtio_blk", "dm-mod", "raid0", "raid1", "loop", "nbd", "ublk_drv"]

#: What the machine does once it has its files; this folder of it is shared.
EXCHANGE = "/run/exchange"
SESSION = f"""\
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8
# No udev runs here, so LVM makes its own nodes.
export DM_DISABLE_UDEV=1
modprobe -a {" ".join(MODULES)}
cd {{folder}}
sh {EXCHANGE}/script >{EXCHANGE}/stdout 2>{EXCHANGE}/stderr </dev/null
echo $? >{EXCHANGE}/status
sync
echo o >/proc/sysrq-trigger
sleep 60
"""


def run(
    script: str,
    disks: Sequence[str] = (),
    timeout: float = 120,
    processors: str = PROCESSORS,
    devices: Sequence[str] = (),
) -> subprocess.CompletedProcess[str]:
    """Run a shell script in the machine, in the current folder.

    `disks` are the sizes of empty disks, in bytes or with K, M or G; they are /dev/vda,
    /dev/vdb and so on. `timeout` is in seconds and includes the start, some 10 of them.
    `devices` are more arguments of QEMU.

    Raises `UnavailableError` where there can be no such machine, and RuntimeError, with the
    end of what its console said, where it does not come to the script's end.
    """
    with tempfile.TemporaryDirectory(prefix="machine-") as name:
        folder = Path(name)
        exchange = folder / "exchange"
        exchange.mkdir()
        (exchange / "script").write_text(script)
        (exchange / "session").write_text(SESSION.format(folder=shlex.quote(str(Path.cwd()))))
        boot(folder, exchange, [*attached(disks, folder), *devices], timeout, processors)
        return subprocess.CompletedProcess(
            script,
            int((exchange / "status").read_text()),
            (exchange / "stdout").read_text(),
            (exchange / "stderr").read_text(),
        )


def boot(
    folder: Path, exchange: Path, devices: Sequence[str], timeout: float, processors: str
) -> None:
    """Start the machine and wait until it has left the script's status."""
    qemu = shutil.which(QEMU)
    if qemu is None:
        raise UnavailableError(f"{QEMU} is missing; scripts/peers.sh installs it")
    system = kernel()
    console = folder / "console"
    command: list[str | Path] = [
        qemu, "-nodefaults", "-display", "none", "-no-reboot",
        "-accel", "tcg", "-cpu", "max", "-smp", processors, "-m", MEMORY,
        "-kernel", system.image, "-initrd", initramfs(system, folder),
        "-append", f"{CALM} machine.modules={system.modules}",
        "-serial", f"file:{console}",
        *share("host", Path("/"), ",readonly=on,multidevs=remap"),
        *share("exchange", exchange),
        *devices,
    ]  # fmt: skip
    try:
        ended = subprocess.run(
            command,
            preexec_fn=before_others,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise RuntimeError(f"no end after {timeout:g} s; the console: {said(console)}") from error
    if not (exchange / "status").exists():
        raise RuntimeError(f"no end; QEMU: {ended.stderr}; the console: {said(console)}")


def before_others() -> None:
    """Have the machine wait for no other tests, which are over long before it; root may."""
    with contextlib.suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, -10)


def share(tag: str, folder: Path, options: str = "") -> list[str]:
    """A folder of this machine, as the file system `tag` of the other."""
    return ["-virtfs", f"local,path={folder},mount_tag={tag},security_model=none{options}"]


def attached(disks: Sequence[str], folder: Path) -> list[str]:
    """Empty disks of these sizes."""
    arguments = []
    for number, size in enumerate(disks):
        file = folder / f"disk{number}"
        subprocess.run(["truncate", "--size", size, file], check=True)
        arguments += ["-drive", f"file={file},format=raw,if=virtio,cache=unsafe"]
    return arguments


def said(console: Path) -> str:
    """The end of what the machine said, if it said anything."""
    text = console.read_text(errors="replace") if console.exists() else ""
    return "\n".join(text.splitlines()[-60:]) or "nothing"
