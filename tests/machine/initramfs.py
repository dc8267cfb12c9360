"""What the machine starts with: a shell, and what is needed to reach its files."""

import lzma
import shutil
import subprocess
from pathlib import Path

from machine.kernel import TOOLS, Kernel, UnavailableError, call

#: The file systems that the machine's own is made of.
MODULES = ["virtio_pci", "9pnet_virtio", "9p", "overlay"]


def initramfs(kernel: Kernel, folder: Path) -> Path:
    """Make the archive that the kernel starts from, in `folder`."""
    busybox = shutil.which("busybox", path=TOOLS)
    if busybox is None:
        raise UnavailableError("busybox is missing; scripts/peers.sh installs it")
    root = folder / "initramfs"
    for name in ["bin", "modules", "proc", "sys", "dev", "host", "memory", "root"]:
        (root / name).mkdir(parents=True)
    shutil.copy(busybox, root / "bin/busybox")
    (root / "bin/sh").symlink_to("busybox")
    shutil.copy(Path(__file__).with_name("init"), root / "init")
    for number, module in enumerate(in_order(kernel)):
        # The machine's shell unpacks nothing; a number keeps the order.
        unpacked = lzma.decompress(module.read_bytes())
        (root / "modules" / f"{number:02}").write_bytes(unpacked)
    archive = folder / "initramfs.cpio"
    names = "\n".join(str(path.relative_to(root)) for path in sorted(root.rglob("*")))
    with archive.open("wb") as file:
        subprocess.run(
            [busybox, "cpio", "-o", "-H", "newc"],
            cwd=root, input=names.encode(), stdout=file, stderr=subprocess.DEVNULL, check=True,
        )  # fmt: skip
    return archive


def in_order(kernel: Kernel) -> list[Path]:
    """The modules and all that they depend on, each after what it needs."""
    base = ["--dirname", str(kernel.root), "--set-version", kernel.version]
    needed = call("modprobe", *base, "--show-depends", "--all", *MODULES, folder=kernel.root)
    files = [line.split()[1] for line in needed.splitlines() if line.startswith("insmod")]
    return [Path(file) for file in dict.fromkeys(files)]
