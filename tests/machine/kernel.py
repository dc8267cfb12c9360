"""The machine's kernel: Debian's package, unpacked but not installed."""

import platform
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

CACHE = Path(__file__).parents[2] / ".machine"

#: Names Debian's current kernel of a series with ublk (from 6.0), 9p and MD, which the
#: smaller kernel for clouds lacks in part.
PACKAGE = "linux-image-6.12-amd64"


class UnavailableError(Exception):
    """There can be no machine here; says why, and what to do."""


@dataclass(frozen=True)
class Kernel:
    """An unpacked kernel."""

    root: Path

    @property
    def version(self) -> str:
        """The kernel's name for itself, `uname -r`."""
        return self.modules.name

    @property
    def image(self) -> Path:
        """What is booted."""
        return next((self.root / "boot").glob("vmlinuz-*"))

    @property
    def modules(self) -> Path:
        """The folder of its modules."""
        return next((self.root / "lib/modules").iterdir())


def kernel() -> Kernel:
    """The kernel, fetched at the first call."""
    if platform.machine() != "x86_64":
        raise UnavailableError(f"the machine is x86-64, and this one is {platform.machine()}")
    root = CACHE / PACKAGE
    if not root.exists():
        CACHE.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as folder:
            unpack(Path(folder), Path(folder) / "root")
            (Path(folder) / "root").rename(root)
    return Kernel(root)


def unpack(folder: Path, root: Path) -> None:
    """Fetch the package into a folder and unpack it to `root`."""
    for tool in ["apt-get", "apt-cache", "dpkg-deb", "depmod"]:
        if shutil.which(tool, path=TOOLS) is None:
            raise UnavailableError(f"{tool} is missing; the kernel is a package of Debian")
    depends = call("apt-cache", "depends", PACKAGE, folder=folder)
    found = re.search(r"Depends: (linux-image-\S+)", depends)
    if found is None:
        raise UnavailableError(f"no package {PACKAGE}; apt-get update may know it")
    call("apt-get", "download", "--quiet", found[1], folder=folder)
    (package,) = folder.glob("*.deb")
    call("dpkg-deb", "--extract", package.name, root.name, folder=folder)
    call("depmod", "--basedir", str(root), Kernel(root).version, folder=folder)


#: Users other than root often have no system folders in their path.
TOOLS = "/usr/sbin:/usr/bin:/sbin:/bin"


def call(*command: str, folder: Path) -> str:
    """What a tool prints."""
    done = subprocess.run(
        command,
        cwd=folder,
        env={"PATH": TOOLS, "LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise UnavailableError(f"{' '.join(command)}: {done.stderr.strip() or done.returncode}")
    return done.stdout
